// A batch of the CPU engine: its queries, who has taken which, and their answers. Internal.
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
  /// `settings`: one for all or one for each. The plans live until the batch is done.
  CpuBatch(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings);

  /// Answers queries that no thread has taken, the heaviest first, until there are none.
  void work(CpuSearcher& searcher);
  /// Whether all queries are taken.
  bool is_taken() const { return next_.load(std::memory_order_relaxed) >= order_.size(); }
  /// Answers no query any more; the batch is done once those that were begun are.
  void drop() { is_dropped_.store(true, std::memory_order_relaxed); }

  bool is_done() const { return done_.load(std::memory_order_acquire) == order_.size(); }
  /// Waits until it is done: awake for `spin`, then asleep.
  void wait(std::chrono::microseconds spin);
  /// Throws what the first query that failed threw. The batch is done.
  void rethrow_failure() const;

  std::size_t size() const override { return results_.size(); }
  AnswerView answer(std::size_t query) const override;

 private:
  void answer_query(CpuSearcher& searcher, std::size_t query) noexcept;

  std::span<const PlannedQuery> plans_;
  std::vector<SearchSettings> settings_;
  std::vector<std::uint32_t> order_;  ///< queries, those with the most postings first
  std::vector<SearchResult> results_;
  std::atomic<std::size_t> next_ = 0;  ///< in order_
  std::atomic<std::size_t> done_ = 0;  ///< queries
  std::atomic<bool> is_dropped_ = false;
  std::mutex mutex_;  ///< of what follows
  std::condition_variable ended_;
  std::exception_ptr failure_;
};

}  // namespace warpdex
