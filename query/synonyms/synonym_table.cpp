#include "synonyms/synonym_table.hpp"

#include <algorithm>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

/// Of a left side; a query is compared with all lengths at each of its words.
constexpr std::size_t kMaxLeftTerms = 32;
/// Of a word; all are compared with each other.
constexpr std::size_t kMaxAlternatives = 256;
/// Of all words, about 100 bytes each.
constexpr std::size_t kMaxPairs = 2'000'000;

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

/// Adds what takes the place of a rule's left side, without what is there already.
void add_alternatives(const SynonymRules& rules, const SynonymRules::Rule& rule,
                      const std::vector<SynonymTerms>& more, SynonymEntry& entry) {
  for (const SynonymTerms& one : more) {
    if (std::ranges::find(entry.alternatives, one) != entry.alternatives.end()) continue;
    if (entry.alternatives.size() == kMaxAlternatives) {
      throw InputError(rules.name + ", line " + std::to_string(rule.line) +
                       ": a word has more than " + std::to_string(kMaxAlternatives) +
                       " synonyms; give it fewer");
    }
    entry.alternatives.push_back(one);
  }
}

}  // namespace

SynonymTable::SynonymTable(const SynonymRules& rules, Analyzer& analyzer) {
  std::size_t pairs = 0;
  for (const SynonymRules::Rule& rule : rules.rules) {
    std::vector<SynonymTerms> to;
    for (const std::string& side : rule.to) {
      to.push_back(analysed_side(rules, rule, side, analyzer));
    }
    for (const std::string& side : rule.from) {
      const SynonymTerms from = analysed_side(rules, rule, side, analyzer);
      if (from.terms.size() > kMaxLeftTerms) {
        throw InputError(rules.name + ", line " + std::to_string(rule.line) + ": '" + side +
                         "' has more than " + std::to_string(kMaxLeftTerms) +
                         " words; take it out");
      }
      SynonymEntry& entry = entries_[from.terms];
      entry.line = rule.line;
      longest_ = std::max(longest_, from.terms.size());
      const std::size_t before = entry.alternatives.size();
      add_alternatives(rules, rule, to, entry);
      pairs += entry.alternatives.size() - before;
      if (pairs <= kMaxPairs) continue;
      throw InputError(rules.name + ", line " + std::to_string(rule.line) +
                       ": up to here more than " + std::to_string(kMaxPairs) +
                       " synonyms take the place of words; give fewer");
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
