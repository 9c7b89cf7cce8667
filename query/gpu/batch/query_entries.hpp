// The entries of one query in a batch: AND, or OR, or one after the other. Internal.
#pragma once

#include <array>
#include <cstdint>

#include "plan/roles.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Which kernels read an entry.
enum class EntryKind {
  kAnd,          ///< AND: it has required terms
  kAndFallback,  ///< AND that runs only if the AND before it matched too few
  kOr,
};

/// A query as some of the kernels read it.
struct QueryEntry {
  EntryKind kind = EntryKind::kOr;
  RoleCounts roles;
  bool unsigned_is_required = false;
  bool is_fallback = false;   ///< runs only if the AND before it matched too few
  bool is_one_list = false;   ///< all postings of its only list match; their number is known
  bool shares_lists = false;  ///< uses the lists of the entry before
};

/// The entries of a query, in the order in which they run. None if nothing can match.
struct QueryEntries {
  std::array<QueryEntry, 2> entries;
  std::uint32_t count = 0;

  const QueryEntry* begin() const { return entries.data(); }
  const QueryEntry* end() const { return entries.data() + count; }
};

/// Adds an entry in which unsigned terms are required or not, if anything can match.
inline void add_entry(const PlannedQuery& plan, bool unsigned_is_required, bool is_fallback,
                      bool knows_matches, QueryEntries& entries) {
  if (plan.misses_must || (unsigned_is_required && plan.misses_unsigned)) return;
  const RoleCounts roles = count_roles(plan, unsigned_is_required);
  if (roles.is_empty) return;
  QueryEntry& entry = entries.entries[entries.count];
  entry.roles = roles;
  entry.unsigned_is_required = unsigned_is_required;
  entry.is_fallback = is_fallback;
  entry.is_one_list = roles.is_one_list() && !is_fallback && knows_matches;
  if (roles.has_required && !entry.is_one_list) {
    entry.kind = is_fallback ? EntryKind::kAndFallback : EntryKind::kAnd;
  }
  // OR as a fallback reads the same lists as AND; none of them is required.
  entry.shares_lists = is_fallback && !roles.has_required && entries.count > 0;
  ++entries.count;
}

/// `knows_matches`: if the query is one list, the number of its matches is known. O(terms).
inline QueryEntries entries_of(const PlannedQuery& plan, QueryMode mode, bool knows_matches) {
  QueryEntries entries;
  add_entry(plan, mode != QueryMode::kOr, false, knows_matches, entries);
  const bool is_one_list = entries.count > 0 && entries.entries[0].is_one_list;
  if (mode == QueryMode::kAndOr && !is_one_list)
    add_entry(plan, false, true, knows_matches, entries);
  return entries;
}

/// A query's shortest required list, which drives AND. There must be one.
const PlannedTerm& driver_of(const PlannedQuery& plan, const QueryEntry& entry);
/// The QueryFlags of an entry, with those of the `ablation`.
std::uint32_t flags_of(const QueryEntry& entry, bool count, std::uint32_t ablation);

}  // namespace warpdex::gpu
