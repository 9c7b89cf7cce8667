// The ways in which a GPU compares queries with codes, by name.
#pragma once

#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::tools {

/// Throws UsageError for another name.
inline vector::CodeWay code_way(const std::string& name) {
  if (name == "auto") return vector::CodeWay::kAuto;
  if (name == "queries") return vector::CodeWay::kQueries;
  if (name == "tables") return vector::CodeWay::kTables;
  if (name == "products") return vector::CodeWay::kProducts;
  throw UsageError("queries are compared by auto, queries, tables or products, not '" + name + "'");
}

}  // namespace warpdex::tools
