// A batch of the CPU engine: its queries, how many of them are taken, and their answers. Internal.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <span>
#include <vector>

#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/engine/engine.hpp"

namespace warpdex {

/// Any number of threads work on it and wait for it.
class CpuBatch final : public BatchAnswers::Source {
 public:
  /// `settings` has one entry for all queries or one for each. The plans must live until the batch
  /// is done.
  CpuBatch(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings);

  /// Takes and answers queries, those with the most postings first, until none is left.
  void work(CpuSearcher& searcher);
  /// Whether all queries are taken.
  bool is_taken() const { return next_.load(std::memory_order_relaxed) >= order_.size(); }
  /// Starts no further query; the batch is done when those that were started are.
  void drop() { is_dropped_.store(true, std::memory_order_relaxed); }

  bool is_done() const { return done_.load(std::memory_order_acquire) == order_.size(); }
  /// Waits until the batch is done: spins for `spin`, then sleeps.
  void wait(std::chrono::microseconds spin);
  /// Throws what the first failed query threw. The batch must be done.
  void rethrow_failure() const;

  std::size_t size() const override { return results_.size(); }
  AnswerView answer(std::size_t query) const override;

 private:
  void answer_query(CpuSearcher& searcher, std::size_t query) noexcept;

  std::span<const PlannedQuery> plans_;
  std::vector<SearchSettings> settings_;
  std::vector<std::uint32_t> order_;  ///< queries, those with the most postings first
  std::vector<SearchResult> results_;
  std::atomic<std::size_t> next_ = 0;  ///< index into order_
  std::atomic<std::size_t> done_ = 0;  ///< queries that are done
  std::atomic<bool> is_dropped_ = false;
  std::mutex mutex_;  ///< protects the members below
  std::condition_variable ended_;
  std::exception_ptr failure_;
};

}  // namespace warpdex
