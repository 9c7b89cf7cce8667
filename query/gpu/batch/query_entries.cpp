// Decides which kernels answer a query.
#include "gpu/batch/query_entries.hpp"

#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {

std::uint32_t flags_of(const QueryEntry& entry, bool count) {
  const std::uint32_t flags = entry.is_fallback ? kFallback : 0U;
  if (!entry.is_one_list) return count ? flags | kCount : flags;
  return entry.roles.has_required || count ? flags | kOneList : flags;
}

}  // namespace warpdex::gpu
