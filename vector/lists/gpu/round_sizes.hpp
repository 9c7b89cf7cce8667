// How large the first rounds of a search of lists are. Internal.
#pragma once

#include <cstdint>

namespace warpdex::vector {

/// Candidates of a query that have room, at least.
inline constexpr std::uint32_t kMinCandidates = 4096;
/// Rows of a query's first round, at least; all of them become candidates.
inline constexpr std::uint32_t kMinFirstRows = 512;

}  // namespace warpdex::vector
