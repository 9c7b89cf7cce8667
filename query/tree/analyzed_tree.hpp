// A tree whose texts are the terms of an index. Internal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Analyses the texts of trees as an index's documents were.
class TreeAnalyzer {
 public:
  /// `has_positions`: whether the index has these.
  explicit TreeAnalyzer(Analyzer& analyzer, bool has_positions)
      : analyzer_(analyzer), has_positions_(has_positions) {}

  /// The tree of terms: without kMatch, and without phrases of one term. Clauses whose words are
  /// all left out (stop words) are left out, as Lucene does; none where all are. Throws InputError,
  /// which says at which byte, for a field that the index has not, for a phrase of several words if
  /// the index has no positions, and for text that is not UTF-8.
  std::optional<QueryNode> analyze(const QueryNode& tree);

 private:
  std::optional<QueryNode> words(const QueryNode& node);
  std::optional<QueryNode> phrase(const QueryNode& node);
  std::optional<QueryNode> boolean(const QueryNode& node);
  std::vector<QueryNode> all(const std::vector<QueryNode>& nodes);
  std::string fold(std::string_view text);
  std::string fold_pattern(std::string_view pattern);

  Analyzer& analyzer_;
  bool has_positions_;
  std::vector<std::string_view> terms_;
  std::vector<std::uint32_t> positions_;
};

/// The terms that a match may have, with their weights, for snippets and explanations.
void append_words(const QueryNode& analyzed, float boost, std::vector<QueryTerm>& terms);

/// The same question as terms with signs, for QueryMode::kOr, if there is one: the engines answer
/// these fast, on the GPU too.
std::optional<Query> flattened(const QueryNode& analyzed);

}  // namespace warpdex
