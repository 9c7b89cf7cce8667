// Decides which kernels answer a query.
#include "gpu/batch/query_entries.hpp"

#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {

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
