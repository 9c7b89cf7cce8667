// The tree that is terms with signs. Internal.
#pragma once

#include <string_view>
#include <vector>

#include "warpdex/query/query.hpp"

namespace warpdex {

/// The question of a tree as terms with signs, for QueryMode::kOr: the engines answer these fast,
/// on a GPU too.
struct FlatTree {
  std::vector<QueryTerm> terms{};
  std::string_view why_not{};  ///< what of the tree terms with signs cannot ask; else empty
};

FlatTree flattened(const QueryNode& analyzed);

}  // namespace warpdex
