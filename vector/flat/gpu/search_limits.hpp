// What a search on a GPU takes at a time.
#pragma once

#include <cstddef>

namespace warpdex::vector {

/// Bytes of scratch memory, at most: more makes nothing faster.
inline constexpr std::size_t kMaxScratch = std::size_t{4} << 30;
/// Queries of a block, at most.
inline constexpr std::size_t kMaxBlock = 16384;

}  // namespace warpdex::vector
