// Threads that are started for one call.
#include "warpdex/core/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <system_error>
#include <thread>
#include <vector>

#include "shared_items.hpp"

namespace warpdex {

std::size_t default_threads() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) {
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t threads, std::size_t items,
                  const std::function<void(std::size_t, std::size_t)>& work) {
  if (threads == 0) threads = default_threads();
  threads = std::min(threads, items);
  SharedItems shared(items, work);
  const auto run = [&](std::size_t thread) { shared.run(thread); };
  {
    std::vector<std::jthread> pool;
    try {
      for (std::size_t thread = 1; thread < threads; ++thread) pool.emplace_back(run, thread);
    } catch (const std::system_error&) {
      // The system gives no more threads: those that run do the work.
    }
    if (threads > 0) run(0);
  }
  shared.rethrow_failure();
}

}  // namespace warpdex
