// A query as a tree of clauses, before analysis: what the syntax `lucene` and JSON stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpdex {

/// A clause, with those below it. Texts are UTF-8. Which members count is said by the kind.
struct QueryNode {
  enum class Kind {
    kNothing,   ///< no document
    kAll,       ///< every document, with a score of 1
    kMatch,     ///< documents with a word of `text`, analysed as documents are
    kTerm,      ///< documents with the term `text`, which is not analysed
    kPhrase,    ///< the words of `text` in their order, `slop` moves apart
    kPrefix,    ///< words that begin with `text`; a score of 1
    kWildcard,  ///< words of the pattern `text`: ? is a character, * any number; a score of 1
    kFuzzy,     ///< words at most `edits` edits from `text`
    kRange,     ///< words from `text` to `upper`, in the order of their bytes; a score of 1
    kAny,       ///< documents with one of `texts`, terms that are not analysed; a score of 1
    kBoolean,   ///< all of `must` and `filter`, none of `must_not`, `minimum_should_match` of
                ///< `should`
    kConstant,  ///< what the one clause of `filter` matches, with a score of 1
    kBest,      ///< one of `should`; the best one's score, and `tie_breaker` of those of the others
  };

  Kind kind = Kind::kNothing;
  float boost = 1;      ///< a factor of the score: 0, or kMinQueryWeight to kMaxQueryWeight
  std::string field{};  ///< empty: the index's text
  std::string text{};
  std::string upper{};         ///< kRange; with `text`: an empty one is no limit
  bool includes_lower = true;  ///< kRange: `text` itself
  bool includes_upper = true;  ///< kRange: `upper` itself
  bool all_words = false;      ///< kMatch: documents with every word
  /// kMatch, kPhrase: what to do where analysis leaves no word: leave the clause out, or match
  /// nothing.
  bool may_vanish = true;
  std::uint32_t slop = 0;   ///< kPhrase
  std::uint32_t edits = 2;  ///< kFuzzy: 0 to 2; exchanging two neighbours is one
  float tie_breaker = 0;    ///< kBest: 0 to 1
  std::vector<std::string> texts{};
  /// kBoolean; kMatch has it too, of its words. Scores of `must` and of what matches of `should`
  /// are added. Without `must` and `filter`, one of `should` at least must match.
  std::uint32_t minimum_should_match = 0;
  std::vector<QueryNode> must{};
  std::vector<QueryNode> filter{};
  std::vector<QueryNode> should{};
  std::vector<QueryNode> must_not{};
  std::size_t place = 0;  ///< the byte of the query's text that it comes from, for messages

  bool operator==(const QueryNode&) const = default;
};

/// Clauses of a tree, itself included; more are refused.
inline constexpr std::size_t kMaxQueryNodes = 4096;
/// Clauses above each other.
inline constexpr std::size_t kMaxQueryDepth = 64;

/// Throws UsageError for more clauses than that, and for values out of range.
void check_query_tree(const QueryNode& tree);

}  // namespace warpdex
