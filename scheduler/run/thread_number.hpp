// Numbers the threads of the process. Internal.
#pragma once

#include <atomic>
#include <cstddef>

namespace warpdex {

/// The number of the calling thread: 0 for the first thread that asks, and so on.
inline std::size_t thread_number() {
  static std::atomic<std::size_t> threads = 0;
  thread_local const std::size_t number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace warpdex
