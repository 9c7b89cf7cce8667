// The terms that matched in place of what stands for them, for snippets.
#pragma once

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex {

/// A tree of terms (Query::tree) with the terms that prefixes, patterns, ranges and near words
/// stand for in their place (kAny), as live documents have them; `must_not` stays as it is. Throws
/// FormatError. O(terms that begin as the clauses do).
QueryNode with_found_terms(const Snapshot& snapshot, const QueryNode& analyzed);

}  // namespace warpdex
