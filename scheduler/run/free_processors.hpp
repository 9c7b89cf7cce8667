// How many processors the other threads of this process leave to the CPU threads. Internal.
#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>

#include "run/thread_role.hpp"
#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Callers, the GPU's thread, builders and deliverers come first. If CPU threads take their
/// processors, the GPU loses more queries than CPU threads answer.
class FreeProcessors {
 public:
  explicit FreeProcessors(std::size_t processors) : processors_(processors) {}

  /// Reads the processor time that threads have used, if the last look is kWindow ago; returns
  /// whether it did. A look takes microseconds. From any thread.
  bool look(Micros now, const ThreadRole& cpu_threads);
  /// The number of processors that other threads did not use, rounded, less an eighth of all.
  /// Before the second look, all processors.
  std::size_t count() const { return count_.load(std::memory_order_relaxed); }

 private:
  static constexpr Micros kWindow = 10'000;

  const std::size_t processors_;
  std::atomic<std::size_t> count_ = processors_;
  std::atomic<Micros> next_look_ = 0;
  std::mutex mutex_;      ///< protects the members below
  double others_ = 0;     ///< processor time of other threads, in seconds, at the last look
  Micros looked_at_ = 0;  ///< 0: never
};

}  // namespace warpdex
