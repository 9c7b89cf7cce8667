// Queries that threads share out, a batch at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpdex::tools {

/// Hands queries out in order, those of a batch when all of the one before are answered: as if
/// whoever asks sent the next batch only then. Used by many threads; those that wait are awake, as
/// a batch may take less than it takes to wake one.
class QueryTurns {
 public:
  using Clock = std::chrono::steady_clock;

  /// `queries` of them, `batch_size` (1 or more) at a time. The clock starts.
  QueryTurns(std::size_t queries, std::size_t batch_size);

  /// The next query, which is to be answered now; nothing when there is none, or after fail().
  std::optional<std::size_t> take();
  /// A query that was taken is answered.
  void answered();
  /// One cannot be answered: lets all threads go.
  void fail() { has_failed_.store(true); }

  /// Nanoseconds of each batch, from the end of the one before, once all threads are through.
  void write_times(std::uint64_t* nanoseconds) const;

 private:
  const std::size_t queries_;
  const std::size_t batch_size_;
  const Clock::time_point start_;
  std::vector<Clock::time_point> ends_;  ///< of batches
  std::atomic<std::size_t> taken_ = 0;
  std::atomic<std::size_t> answered_ = 0;
  std::atomic<bool> has_failed_ = false;
};

}  // namespace warpdex::tools
