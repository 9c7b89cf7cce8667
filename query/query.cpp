// The names of the query modes.
#include "warpdex/query/query.hpp"

#include "warpdex/core/error.hpp"

namespace warpdex {

QueryMode query_mode_from_name(std::string_view name) {
  if (name == "and") return QueryMode::kAnd;
  if (name == "or") return QueryMode::kOr;
  if (name == "and-or") return QueryMode::kAndOr;
  throw UsageError("there is no query mode '" + std::string(name) + "'; take and, or or and-or");
}

std::string_view query_mode_name(QueryMode mode) {
  switch (mode) {
    case QueryMode::kAnd: return "and";
    case QueryMode::kOr: return "or";
    case QueryMode::kAndOr: return "and-or";
  }
  throw UsageError("this is no query mode; take and, or or and-or");
}

}  // namespace warpdex
