#include "opensearch/search/words.hpp"

#include <algorithm>
#include <utility>

#include "opensearch/face.hpp"

namespace warpdex::server::opensearch {
namespace {

bool are_one_term(const std::vector<QueryTerm>& terms) {
  return std::ranges::all_of(
      terms, [&](const QueryTerm& term) { return term.term == terms.front().term; });
}

}  // namespace

bool Words::is_one_term() const {
  if (!excluded.empty() || (required.empty() && optional.empty())) return false;
  const std::string& first = (required.empty() ? optional : required).front().term;
  const auto is_first = [&](const QueryTerm& term) { return term.term == first; };
  return std::ranges::all_of(required, is_first) && std::ranges::all_of(optional, is_first);
}

void WordsJoiner::append(std::vector<QueryTerm>& to, const std::vector<QueryTerm>& terms) {
  to.insert(to.end(), terms.begin(), terms.end());
}

void WordsJoiner::exclude_together(const std::vector<QueryTerm>& terms) {
  const std::uint32_t word = are_one_term(terms) ? 0 : ++groups_;
  for (const QueryTerm& term : terms) {
    words_.excluded.push_back({term.term, Occur::kMustNot, 1, word});
  }
}

/// A clause in the place of the whole query. Its groups keep their numbers apart from others.
void WordsJoiner::take_whole(Words clause) {
  append(words_.required, clause.required);
  append(words_.optional, clause.optional);
  std::uint32_t most = groups_;
  for (QueryTerm& term : clause.excluded) {
    if (term.word > 0) term.word += groups_;
    most = std::max(most, term.word);
    words_.excluded.push_back(std::move(term));
  }
  groups_ = most;
}

void WordsJoiner::add_must(Words clause, bool is_alone) {
  if (clause.is_empty()) {
    words_.match_nothing = true;
    return;
  }
  if (!is_alone && clause.required.empty()) {
    if (!are_one_term(clause.optional)) {
      throw illegal_argument(
          "bool: a clause of must that asks for any of several words, beside others in must or "
          "should, is not supported; ask for operator 'and' in it");
    }
    std::swap(clause.required, clause.optional);
  }
  take_whole(std::move(clause));
}

void WordsJoiner::add_should(Words clause, bool is_alone) {
  if (is_alone) return add_must(std::move(clause), true);
  if (clause.is_empty()) return;  // nothing that could match
  if (!clause.required.empty() && !clause.is_one_term()) {
    throw illegal_argument(
        "bool: a clause of should that asks for several words at once, beside others in must or "
        "should, is not supported; ask for operator 'or' in it");
  }
  if (!clause.excluded.empty()) {
    throw illegal_argument(
        "bool: must_not within a clause of should, beside others in must or "
        "should, is not supported");
  }
  append(words_.optional, clause.required);
  append(words_.optional, clause.optional);
}

void WordsJoiner::add_must_not(const Words& clause) {
  if (clause.is_empty()) return;
  if (!clause.excluded.empty()) {
    throw illegal_argument("bool: must_not within must_not is not supported");
  }
  if (!clause.required.empty()) return exclude_together(clause.required);
  for (const QueryTerm& term : clause.optional) exclude_together({term});
}

void WordsJoiner::add(Words clause, ClauseKind kind, bool is_alone) {
  switch (kind) {
    case ClauseKind::kMust: return add_must(std::move(clause), is_alone);
    case ClauseKind::kShould: return add_should(std::move(clause), is_alone);
    case ClauseKind::kMustNot: return add_must_not(clause);
  }
}

Words WordsJoiner::take(bool has_positive) {
  if (!has_positive) {
    throw illegal_argument(
        "a query that only excludes would match all other documents, which is not supported; give "
        "it words that must or should match");
  }
  if (words_.required.empty() && words_.optional.empty()) words_.match_nothing = true;
  return std::move(words_);
}

Words words_of_terms(std::vector<QueryTerm> terms, bool are_required) {
  Words words;
  words.match_nothing = terms.empty();
  (are_required ? words.required : words.optional) = std::move(terms);
  return words;
}

void boost_words(Words& words, float boost) {
  for (std::vector<QueryTerm>* const terms : {&words.required, &words.optional}) {
    for (QueryTerm& term : *terms) {
      term.weight *= boost;
      if (term.weight >= kMinQueryWeight && term.weight <= kMaxQueryWeight) continue;
      throw illegal_argument("'boost' makes a weight that is not from 1e-9 to 1e9");
    }
  }
}

Query query_of(const Words& words, QueryMode& mode) {
  Query query;
  mode = QueryMode::kOr;
  if (words.is_empty()) return query;
  // Where all are required, mode and says the same.
  const bool are_all = words.optional.empty();
  if (are_all) mode = QueryMode::kAnd;
  for (const QueryTerm& term : words.required) {
    query.terms.push_back({term.term, are_all ? Occur::kUnsigned : Occur::kMust, term.weight});
  }
  for (const QueryTerm& term : words.optional) {
    query.terms.push_back({term.term, Occur::kUnsigned, term.weight});
  }
  query.terms.insert(query.terms.end(), words.excluded.begin(), words.excluded.end());
  return query;
}

}  // namespace warpdex::server::opensearch
