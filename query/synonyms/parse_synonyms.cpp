// Reads rules of synonyms in Solr's format.
#include <algorithm>
#include <memory>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/utf8.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {
namespace {

/// Reads one line.
class RuleLine {
 public:
  RuleLine(std::string_view line, std::size_t number, const std::string& name)
      : line_(line), number_(number), name_(name) {}

  SynonymRules::Rule read() {
    SynonymRules::Rule rule{.line = number_};
    bool has_arrow = false;
    std::vector<std::string>* side = &rule.from;
    std::string word;
    while (at_ < line_.size()) {
      if (line_[at_] == '\\' && at_ + 1 < line_.size()) {
        word += line_[at_ + 1];
        at_ += 2;
      } else if (line_[at_] == ',') {
        add(word, *side);
        ++at_;
      } else if (line_.substr(at_, 2) == "=>") {
        if (has_arrow) refuse("it has two '=>'; a rule has one");
        add(word, *side);
        has_arrow = true;
        side = &rule.to;
        at_ += 2;
      } else {
        word += line_[at_++];
      }
    }
    add(word, *side);
    if (!has_arrow) rule.to = rule.from;
    return rule;
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw InputError(name_ + ", line " + std::to_string(number_) + ": " + what);
  }

  void add(std::string& word, std::vector<std::string>& side) const {
    constexpr std::string_view kSpace = " \t\v\f\r";
    const std::size_t begin = word.find_first_not_of(kSpace);
    if (begin == word.npos) refuse("a word is missing before or behind a comma or '=>'");
    side.push_back(word.substr(begin, word.find_last_not_of(kSpace) + 1 - begin));
    word.clear();
  }

  std::string_view line_;
  std::size_t number_;
  const std::string& name_;
  std::size_t at_ = 0;
};

}  // namespace

std::shared_ptr<const SynonymRules> parse_synonyms(std::string_view text, std::string_view name) {
  auto rules = std::make_shared<SynonymRules>();
  rules->name = name;
  std::size_t number = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string_view line = text.substr(start, end - start);
    start = end + 1;
    ++number;
    if (analysis::find_invalid_utf8(line) != line.size()) {
      throw InputError(rules->name + ", line " + std::to_string(number) + ": it is not UTF-8");
    }
    const std::size_t first = line.find_first_not_of(" \t\v\f\r");
    if (first == line.npos || line[first] == '#') continue;
    rules->rules.push_back(RuleLine(line, number, rules->name).read());
  }
  return rules;
}

}  // namespace warpdex
