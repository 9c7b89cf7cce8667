// A counter hands out the queries. The last query that ends wakes the waiting thread.
#include "cpu/cpu_batch.hpp"

#include "warpdex/core/waiting.hpp"
#include "warpdex/query/cpu/heaviest_first.hpp"

namespace warpdex {

CpuBatch::CpuBatch(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings)
    : plans_(plans),
      settings_(settings.begin(), settings.end()),
      order_(heaviest_first(plans)),
      results_(plans.size()) {}

void CpuBatch::work(CpuSearcher& searcher) {
  for (;;) {
    const std::size_t place = next_.fetch_add(1, std::memory_order_relaxed);
    if (place >= order_.size()) return;
    answer_query(searcher, order_[place]);
    if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 < order_.size()) continue;
    const std::lock_guard lock(mutex_);  // a thread about to sleep has checked the counter, or
                                         // sleeps
    ended_.notify_all();
  }
}

void CpuBatch::answer_query(CpuSearcher& searcher, std::size_t query) noexcept {
  if (is_dropped_.load(std::memory_order_relaxed)) return;
  try {
    results_[query] = searcher.run(plans_[query], settings_[settings_.size() == 1 ? 0 : query]);
  } catch (...) {
    drop();
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void CpuBatch::wait(std::chrono::microseconds spin) {
  if (spin_until([this] { return is_done(); }, spin)) return;
  std::unique_lock lock(mutex_);
  ended_.wait(lock, [this] { return is_done(); });
}

void CpuBatch::rethrow_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

AnswerView CpuBatch::answer(std::size_t query) const {
  const SearchResult& result = results_[query];
  return {result.hits, result.matches, result.fell_back_to_or, true};
}

}  // namespace warpdex
