// Leaves out what is on a list.
#include <algorithm>
#include <functional>
#include <unordered_set>

#include "analysis/filters/filters.hpp"
#include "analysis/filters/stop_lists.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/stop_words.hpp"

namespace warpdex::analysis {
namespace {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};

class StopFilter final : public WordFilter {
 public:
  StopFilter(const std::vector<std::string>& words, const FilterContext& context) {
    for (const std::string& word : words) {
      std::string filtered = context.filtered(word);
      if (filtered.empty()) continue;
      longest_ = std::max(longest_, filtered.size());
      words_.insert(std::move(filtered));
    }
  }

  std::string_view apply(std::string_view word) override {
    return word.size() <= longest_ && words_.contains(word) ? std::string_view() : word;
  }

 private:
  std::unordered_set<std::string, TextHash, std::equal_to<>> words_;
  std::size_t longest_ = 0;
};

/// "_german_" or "_none_".
std::vector<std::string> words_of_list(const std::string& name) {
  if (name == "_none_") return {};
  const bool has_form = name.size() > 2 && name.front() == '_' && name.back() == '_';
  const auto words = stop_words(has_form ? std::string_view(name).substr(1, name.size() - 2) : "");
  if (words) return *words;
  std::string known;
  for (const std::string& list : stop_list_names()) known += ", _" + list + '_';
  throw UsageError("there is no list of words '" + name + "'; there are _none_" + known);
}

}  // namespace

std::unique_ptr<WordFilter> make_stop(const Part& part, const FilterContext& context) {
  const std::string* const list = part.find<std::string>("words");
  return std::make_unique<StopFilter>(
      list != nullptr ? words_of_list(*list) : *part.find<std::vector<std::string>>("words"),
      context);
}

}  // namespace warpdex::analysis
