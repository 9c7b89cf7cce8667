// Shares work over threads.
#pragma once

#include <cstddef>
#include <functional>

namespace warpdex {

/// Threads to use where the caller gives 0: the processors that this process may run on.
std::size_t default_threads();

/// Calls work(thread, item) for every item in [0, items), each once, from up to `threads` threads
/// (0: default_threads()); items are handed out in order, one at a time, so an item should be worth
/// a microsecond or more. Where the system gives no more threads, those that run do all. Returns
/// when all are done; rethrows the first exception after the running items ended, and then hands
/// out no more.
void parallel_for(std::size_t threads, std::size_t items,
                  const std::function<void(std::size_t thread, std::size_t item)>& work);

}  // namespace warpdex
