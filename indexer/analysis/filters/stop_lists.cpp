// English by Lucene, other languages by Snowball.
#include "analysis/filters/stop_lists.hpp"

#include <algorithm>
#include <sstream>

#include "warpdex/indexer/analysis/stop_words.hpp"

namespace warpdex::analysis {
namespace {

constexpr std::string_view kEnglish =
    "a an and are as at be but by for if in into is it no not of on or such that the their then "
    "there these they this to was will with";

std::vector<std::string> split_words(std::string_view words) {
  std::istringstream stream{std::string(words)};
  std::vector<std::string> split;
  for (std::string word; stream >> word;) split.push_back(word);
  return split;
}

}  // namespace

std::optional<std::vector<std::string>> stop_words(std::string_view language) {
  if (language == "english") return split_words(kEnglish);
  const auto list = std::ranges::find(kSnowballStopLists, language, &StopList::language);
  if (list == kSnowballStopLists.end()) return std::nullopt;
  return split_words(list->words);
}

}  // namespace warpdex::analysis

namespace warpdex {

std::vector<std::string> stop_list_names() {
  std::vector<std::string> names{"english"};
  for (const analysis::StopList& list : analysis::kSnowballStopLists) {
    names.emplace_back(list.language);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace warpdex
