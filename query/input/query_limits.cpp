// Words what a query has too much of.
#include "input/query_limits.hpp"

#include <string_view>
#include <unordered_set>

#include "warpdex/core/error.hpp"

namespace warpdex {

std::string query_bytes_problem(std::size_t bytes, const QueryLimits& limits) {
  if (bytes <= limits.bytes) return {};
  return "has a query of more than " + std::to_string(limits.bytes) + " bytes; shorten it";
}

void check_query_bytes(std::size_t bytes, const QueryLimits& limits) {
  if (bytes <= limits.bytes) return;
  throw InputError("its text has more than " + std::to_string(limits.bytes) + " bytes; shorten it");
}

void check_query_terms(const Query& query, const QueryLimits& limits) {
  if (query.terms.size() <= limits.terms) return;
  std::unordered_set<std::string_view> terms;
  for (const QueryTerm& term : query.terms) {
    terms.insert(term.term);
    if (terms.size() <= limits.terms) continue;
    throw InputError("it has more than " + std::to_string(limits.terms) +
                     " different terms; leave some out");
  }
}

}  // namespace warpdex
