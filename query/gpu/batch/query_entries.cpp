// Decides which kernels answer a query.
#include "gpu/batch/query_entries.hpp"

#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {
namespace {

void add_entry(const PlannedQuery& plan, bool unsigned_is_required, bool is_fallback,
               bool knows_matches, QueryEntries& entries) {
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

}  // namespace

QueryEntries entries_of(const PlannedQuery& plan, QueryMode mode, bool knows_matches) {
  QueryEntries entries;
  add_entry(plan, mode != QueryMode::kOr, false, knows_matches, entries);
  const bool is_one_list = entries.count > 0 && entries.entries[0].is_one_list;
  if (mode == QueryMode::kAndOr && !is_one_list)
    add_entry(plan, false, true, knows_matches, entries);
  return entries;
}

const PlannedTerm& driver_of(const PlannedQuery& plan, const QueryEntry& entry) {
  const PlannedTerm* term = plan.terms.data();
  while (term->is_prohibited || !is_required(*term, entry.unsigned_is_required)) ++term;
  return *term;
}

std::uint32_t flags_of(const QueryEntry& entry, bool count, std::uint32_t ablation) {
  std::uint32_t flags = ablation;
  if (entry.is_fallback) flags |= kFallback;
  if (!entry.is_one_list) return count ? flags | kCount : flags;
  return entry.roles.has_required || count ? flags | kOneList : flags;
}

}  // namespace warpdex::gpu
