// How much memory a process can still take.
#pragma once

#include <cstddef>

namespace warpdex {

/// Bytes that can be taken before the machine, or the container (cgroup v2) that the process runs
/// in, is short of memory; caches of files count as free. O(1) small reads of the system's files.
std::size_t available_memory();

}  // namespace warpdex
