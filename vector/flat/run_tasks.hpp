// Shares tasks over oneTBB's threads, which stay from call to call. Internal.
#pragma once

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

namespace warpdex::vector {

/// Calls work(item) for each item below `items`, in any order, from up to `threads` threads.
/// Returns when all are done; rethrows the first exception.
template <class Work>
void run_tasks(std::size_t threads, std::size_t items, const Work& work) {
  // oneTBB has no more threads than processors, and complains when it is asked for more.
  oneapi::tbb::task_arena arena(
      std::min(static_cast<int>(threads), oneapi::tbb::info::default_concurrency()));
  arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, items, work); });
}

}  // namespace warpdex::vector
