// Memory in large pages, which take less time to come and to translate.
#pragma once

#include <cstddef>

namespace warpdex {

/// Asks the system for large pages where memory that is not written yet is 16 MiB or more; smaller
/// memory stays in small pages, whose use is exact. Advice: the system may not heed it. O(1).
void prefer_large_pages(void* data, std::size_t bytes) noexcept;

}  // namespace warpdex
