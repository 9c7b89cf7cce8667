// Rules of synonyms as the terms of a text field. Internal.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// What one side of a rule is once it is analysed: one term, or several and where they stand.
struct SynonymTerms {
  std::vector<std::string> terms{};
  std::vector<std::uint32_t> positions{};  ///< from 0 on
  bool operator==(const SynonymTerms&) const = default;
};

/// Terms that rules put in the place of others.
struct SynonymEntry {
  std::vector<SynonymTerms> alternatives{};
  std::size_t line = 0;  ///< of the last rule
};

class SynonymTable {
 public:
  /// Throws InputError, which names file and line, where analysis leaves nothing of a side, and for
  /// more than 256 alternatives of a word, 2,000,000 of all, and 32 terms of a left side.
  SynonymTable(const SynonymRules& rules, Analyzer& analyzer);

  /// What takes the place of the first `size` of these terms: as many as any rule has, 1 at least.
  /// Null, and 1: no rule has them.
  const SynonymEntry* find(std::span<const std::string_view> terms, std::size_t& size) const;

 private:
  std::map<std::vector<std::string>, SynonymEntry> entries_;  ///< by the terms of a left side
  std::size_t longest_ = 0;
};

}  // namespace warpdex
