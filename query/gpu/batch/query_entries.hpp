// What one query of a batch is to the kernels: a query of AND, or of OR, or one after the other.
// Internal.
#pragma once

#include <array>
#include <cstdint>

#include "plan/roles.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Which kernels a query is for.
enum class EntryKind {
  kAnd,     ///< with required terms
  kSecond,  ///< likewise, if AND matched too few
  kOr,
};

/// A query as some of the kernels read it.
struct QueryEntry {
  EntryKind kind = EntryKind::kOr;
  RoleCounts roles;
  bool unsigned_is_required = false;
  bool is_fallback = false;   ///< runs if AND matched too few
  bool is_one_list = false;   ///< all postings of its one list match
  bool shares_lists = false;  ///< with the entry before, which has the same
};

/// The entries of a query, in the order in which they run; none where nothing can match.
struct QueryEntries {
  std::array<QueryEntry, 2> entries;
  std::uint32_t count = 0;

  const QueryEntry* begin() const { return entries.data(); }
  const QueryEntry* end() const { return entries.data() + count; }
};

/// O(terms).
QueryEntries entries_of(const PlannedQuery& plan, QueryMode mode);

/// A query's shortest required list, which leads AND; there is one.
const PlannedTerm& driver_of(const PlannedQuery& plan, const QueryEntry& entry);
/// Flags of a query of OR or AND: its own and those of the `ablation`.
std::uint32_t flags_of(const QueryEntry& entry, bool count, std::uint32_t ablation);

}  // namespace warpdex::gpu
