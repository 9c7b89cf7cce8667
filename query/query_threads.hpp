// Shares the queries of a batch over oneTBB's threads, which stay alive between batches. Internal.
#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>

#include "warpdex/core/parallel.hpp"

namespace warpdex {

class QueryThreads {
 public:
  /// So many threads take part, with the caller's; 0: default_threads().
  explicit QueryThreads(std::size_t threads)
      : threads_(threads == 0 ? default_threads() : threads), arena_(static_cast<int>(threads_)) {}

  /// Calls work(i) for each i below `items`, in any order. Returns when all are done; rethrows the
  /// first exception.
  template <class Work>
  void for_each(std::size_t items, const Work& work) {
    if (items <= 1) {
      for (std::size_t i = 0; i < items; ++i) work(i);
      return;
    }
    constexpr std::size_t kPieces = 16;  // of a thread
    const std::size_t grain = std::max<std::size_t>(1, items / (threads_ * kPieces));
    arena_.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<std::size_t>(0, items, grain),
          [&](const tbb::blocked_range<std::size_t>& some) {
            for (std::size_t i = some.begin(); i < some.end(); ++i) work(i);
          },
          tbb::simple_partitioner());
    });
  }

 private:
  std::size_t threads_;
  tbb::task_arena arena_;
};

}  // namespace warpdex
