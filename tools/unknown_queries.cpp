// Looks terms up one by one: in a log that suits the index, the first query ends the search.
#include "unknown_queries.hpp"

#include <algorithm>

#include "text.hpp"
#include "warpdex/query/plan/plan.hpp"

namespace warpdex::tools {

void UnknownQueries::look_at(std::span<const Query> queries) {
  queries_ += queries.size();
  for (const Query& query : queries) {
    if (is_any_known_) return;
    is_any_known_ =
        std::any_of(query.terms.begin(), query.terms.end(), [this](const QueryTerm& term) {
          return !plan_query(index_, Query{"", {{term.term}}}).terms.empty();
        });
  }
}

std::optional<std::string> UnknownQueries::note() const {
  if (is_any_known_ || queries_ == 0) return std::nullopt;
  if (index_.documents() == 0) return "the index has no documents, so no query finds any";
  const bool is_one = queries_ == 1;
  return "no term of " + (is_one ? "the query" : "any of the " + counted(queries_, "query")) +
         " is in the index; " + (is_one ? "was it" : "were they") +
         " analysed as its documents were (analyzer " + index_.settings().analyzer + ")?";
}

}  // namespace warpdex::tools
