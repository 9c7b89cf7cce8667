// What the words of a query ask for, joined from its clauses.
#pragma once

#include <string>
#include <vector>

#include "warpdex/query/query.hpp"

namespace warpdex::server::opensearch {

/// A document matches that has all required terms (or, without these, one optional term at least)
/// and none that is excluded. Excluded terms of one word, as QueryTerm::word has it, exclude
/// together.
struct Words {
  std::vector<QueryTerm> required{};
  std::vector<QueryTerm> optional{};
  std::vector<QueryTerm> excluded{};
  /// A part that must match cannot, since analysis left nothing of it.
  bool match_nothing = false;

  bool is_empty() const { return match_nothing || (required.empty() && optional.empty()); }
  bool is_one_term() const;
};

/// Clauses of a bool query.
enum class ClauseKind { kMust, kShould, kMustNot };

/// Joins the clauses of a bool query. Throws HttpError (400) where a search by terms cannot do what
/// they ask for.
class WordsJoiner {
 public:
  /// `is_alone`: there is no other clause but such that exclude.
  void add(Words clause, ClauseKind kind, bool is_alone);
  /// `has_positive`: there were clauses that may match.
  Words take(bool has_positive);

 private:
  void add_must(Words clause, bool is_alone);
  void add_should(Words clause, bool is_alone);
  void add_must_not(const Words& clause);
  void append(std::vector<QueryTerm>& to, const std::vector<QueryTerm>& terms);
  void exclude_together(const std::vector<QueryTerm>& terms);
  void take_whole(Words clause);

  Words words_;
  std::uint32_t groups_ = 0;  ///< of excluded terms
};

/// The terms of a text: all required, or one of them at least.
Words words_of_terms(std::vector<QueryTerm> terms, bool are_required);
/// Multiplies the weights. Throws HttpError (400) where one leaves its range.
void boost_words(Words& words, float boost);
/// As the engine has it, and its mode.
Query query_of(const Words& words, QueryMode& mode);

}  // namespace warpdex::server::opensearch
