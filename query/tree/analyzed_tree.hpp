// A tree whose texts are the terms of an index. Internal.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tree/synonym_words.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/text_analyzers.hpp"

namespace warpdex {

/// Throws InputError, which names the clause's place.
[[noreturn]] void refuse_clause(const QueryNode& node, const std::string& what);

/// Analyses the texts of trees as an index's documents were. Clauses that name no field become one
/// for each text field that words search.
class TreeAnalyzer {
 public:
  /// Throws UsageError for a field to search that the index has not.
  TreeAnalyzer(const TextAnalyzers& texts, const SearchedFields& fields)
      : texts_(texts),
        searched_(texts.searched(fields)),
        type_(fields.type),
        synonyms_(fields.synonyms) {}

  /// The tree of terms: without kMatch, and without phrases of one term. Clauses whose words are
  /// all left out (stop words) are left out, as Lucene does; none where all are. Throws InputError,
  /// which says at which byte, for a field that the index has not, for a phrase of several words if
  /// the index has no positions, and for text that is not UTF-8.
  std::optional<QueryNode> analyze(const QueryNode& tree);

 private:
  using Searched = TextAnalyzers::Searched;

  std::optional<QueryNode> in_fields(const QueryNode& node, std::span<const Searched> fields);
  std::optional<QueryNode> word_by_word(const QueryNode& node);
  std::optional<QueryNode> combined(const QueryNode& node, std::span<const Searched> named);
  std::vector<Searched> fields_of(const QueryNode& node);
  std::optional<QueryNode> blended(const QueryNode& node, std::span<const Searched> fields);
  std::optional<QueryNode> blended_group(const QueryNode& node, std::span<const Searched> fields);
  std::optional<QueryNode> in_field(const QueryNode& node);
  std::vector<QueryNode> word_clauses(const QueryNode& node);
  std::optional<QueryNode> words(const QueryNode& node);
  std::optional<QueryNode> phrase(const QueryNode& node);
  QueryNode marked_range(const QueryNode& node);
  void check_columns(const QueryNode& node) const;
  SynonymWords synonym_words(const QueryNode& node) const;
  std::optional<QueryNode> boolean(const QueryNode& node);
  std::vector<QueryNode> all(const std::vector<QueryNode>& nodes);
  std::string fold(std::string_view text);
  std::string fold_pattern(std::string_view pattern);

  void set_field(std::size_t field) {
    field_ = field;
    mark_ = field_mark(field);
  }
  /// A term of the field that is analysed for.
  std::string marked(std::string_view term) const { return mark_ + std::string(term); }

  const TextAnalyzers& texts_;
  std::vector<Searched> searched_;
  FieldsType type_;
  std::shared_ptr<const SynonymRules> synonyms_;
  // Of the clause that is analysed: its field.
  std::size_t field_ = 0;
  std::string mark_;
  std::vector<std::string_view> terms_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace warpdex
