// Threads that are started for one call.
#include "warpdex/core/parallel.hpp"

#include <sched.h>

#include <algorithm>
#include <thread>

#include "warpdex/core/kept_threads.hpp"

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
  KeptThreads().parallel_for(threads, items, work);
}

}  // namespace warpdex
