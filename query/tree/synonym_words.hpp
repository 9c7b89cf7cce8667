// Words and phrases with rules of synonyms, as clauses. Internal.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "synonyms/synonym_table.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// Clauses in which words that stand beside each other in the text of a query, each a match, are
/// one match, so that rules of several words find them. `all_words`: of that match.
std::vector<QueryNode> join_words(const std::vector<QueryNode>& clauses, bool all_words);

/// Makes clauses of one text's terms. As Lucene's SynonymGraphFilter and its query builder: where
/// rules have several at one place, the longest is taken; single words in a word's place are scored
/// as one (kSynonyms); where one of them is several words, each is a clause of its own, those of
/// several words as phrases.
class SynonymWords {
 public:
  /// `mark`: of the field. `no_positions`: TextAnalyzers::no_positions() of a field without them,
  /// else empty. `node`: the clause that the text is of, for messages.
  SynonymWords(const SynonymTable& table, const std::string& mark, std::string no_positions,
               const QueryNode& node)
      : table_(table), mark_(mark), no_positions_(std::move(no_positions)), node_(node) {}

  /// A clause for each word, or for the words that a rule has together. Throws InputError where
  /// words become a phrase and the field has no positions.
  std::vector<QueryNode> clauses(std::span<const std::string_view> terms) const;

  /// The clause of a phrase of these terms, with the slop of `node`; none where no rule has any of
  /// them. Throws InputError for more than 64 phrases that it stands for.
  std::optional<QueryNode> phrase(std::span<const std::string_view> terms,
                                  std::span<const std::uint32_t> positions) const;

 private:
  /// A place of a phrase, and what may stand there.
  struct Part {
    std::vector<SynonymTerms> alternatives{};
    std::uint32_t position = 0;
    std::uint32_t length = 1;  ///< of what the rule has, in positions
    bool is_of_rule = false;
  };

  std::vector<Part> parts(std::span<const std::string_view> terms,
                          std::span<const std::uint32_t> positions) const;
  QueryNode like_node(QueryNode::Kind kind) const;
  QueryNode term(std::string_view text) const;
  QueryNode alternatives(const SynonymEntry& entry) const;
  QueryNode several(const SynonymTerms& words, std::size_t line) const;
  QueryNode one_phrase(std::span<const Part> parts, std::span<const std::size_t> chosen) const;
  QueryNode phrase_of_words(std::span<const Part> parts) const;

  const SynonymTable& table_;
  const std::string& mark_;
  std::string no_positions_;
  const QueryNode& node_;
};

}  // namespace warpdex
