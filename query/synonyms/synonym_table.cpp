#include "synonyms/synonym_table.hpp"

#include <algorithm>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

SynonymTerms analysed_side(const SynonymRules& rules, const SynonymRules::Rule& rule,
                           const std::string& side, Analyzer& analyzer) {
  std::vector<std::string_view> terms;
  SynonymTerms found;
  analyzer.place(side, terms, found.positions);
  if (terms.empty()) {
    throw InputError(rules.name + ", line " + std::to_string(rule.line) +
                     ": the analyzer leaves nothing of '" + side + "'; take it out");
  }
  found.terms.assign(terms.begin(), terms.end());
  const std::uint32_t first = found.positions.front();
  for (std::uint32_t& position : found.positions) position -= first;
  return found;
}

}  // namespace

SynonymTable::SynonymTable(const SynonymRules& rules, Analyzer& analyzer) {
  for (const SynonymRules::Rule& rule : rules.rules) {
    std::vector<SynonymTerms> to;
    for (const std::string& side : rule.to) {
      to.push_back(analysed_side(rules, rule, side, analyzer));
    }
    for (const std::string& side : rule.from) {
      const SynonymTerms from = analysed_side(rules, rule, side, analyzer);
      SynonymEntry& entry = entries_[from.terms];
      entry.line = rule.line;
      longest_ = std::max(longest_, from.terms.size());
      for (const SynonymTerms& one : to) {
        if (std::ranges::find(entry.alternatives, one) == entry.alternatives.end()) {
          entry.alternatives.push_back(one);
        }
      }
    }
  }
}

const SynonymEntry* SynonymTable::find(std::span<const std::string_view> terms,
                                       std::size_t& size) const {
  for (size = std::min(longest_, terms.size()); size > 0; --size) {
    const auto found = entries_.find(std::vector<std::string>(terms.begin(), terms.begin() + size));
    if (found != entries_.end()) return &found->second;
  }
  size = 1;
  return nullptr;
}

}  // namespace warpdex
