// What words lose before or behind an apostrophe: possessives, articles, endings.
#include <algorithm>
#include <array>
#include <set>
#include <string>

#include "analysis/filters/filters.hpp"

namespace warpdex::analysis {
namespace {

constexpr std::array<std::string_view, 3> kApostrophes = {"'", "\u2019", "\uFF07"};

struct Apostrophe {
  std::size_t begin, end;  ///< both past the word's end if there is none
};

Apostrophe first_apostrophe(std::string_view word) {
  Apostrophe first{word.size(), word.size()};
  for (const std::string_view apostrophe : kApostrophes) {
    const std::size_t found = word.find(apostrophe);
    if (found < first.begin) first = {found, found + apostrophe.size()};
  }
  return first;
}

class PossessiveFilter final : public WordFilter {
 public:
  std::string_view apply(std::string_view word) override {
    if (word.back() != 's' && word.back() != 'S') return word;
    const std::string_view front = word.substr(0, word.size() - 1);
    for (const std::string_view apostrophe : kApostrophes) {
      if (front.ends_with(apostrophe)) return front.substr(0, front.size() - apostrophe.size());
    }
    return word;
  }
};

class ApostropheFilter final : public WordFilter {
 public:
  std::string_view apply(std::string_view word) override {
    return word.substr(0, first_apostrophe(word).begin);
  }
};

class ElisionFilter final : public WordFilter {
 public:
  explicit ElisionFilter(const std::vector<std::string>& articles)
      : articles_(articles.begin(), articles.end()) {}

  std::string_view apply(std::string_view word) override {
    const Apostrophe apostrophe = first_apostrophe(word);
    const bool is_elided =
        apostrophe.begin < word.size() && articles_.contains(word.substr(0, apostrophe.begin));
    return is_elided ? word.substr(apostrophe.end) : word;
  }

 private:
  std::set<std::string, std::less<>> articles_;
};

}  // namespace

std::unique_ptr<WordFilter> make_apostrophe(const Part& /*part*/,
                                            const FilterContext& /*context*/) {
  return std::make_unique<ApostropheFilter>();
}

std::unique_ptr<WordFilter> make_elision(const Part& part, const FilterContext& context) {
  std::vector<std::string> articles = *part.find<std::vector<std::string>>("articles");
  for (std::string& article : articles) article = context.filtered(article);
  return std::make_unique<ElisionFilter>(articles);
}

std::unique_ptr<WordFilter> make_english_possessive(const Part& /*part*/,
                                                    const FilterContext& /*context*/) {
  return std::make_unique<PossessiveFilter>();
}

}  // namespace warpdex::analysis
