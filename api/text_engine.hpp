// Answers planned queries from any number of threads, on one kind of device. Internal.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"
#include "warpdex/query/cpu/search_watch.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

/// When a search is to end before its time.
struct SearchLimits {
  using Clock = std::chrono::steady_clock;

  std::stop_token stop{};
  Clock::time_point end = Clock::time_point::max();
  std::size_t threads = 0;  ///< of the CPU; 0: the searcher's

  /// As SearchOptions::on_progress; may be null.
  const std::function<void(std::size_t)>* on_progress = nullptr;

  bool has_end() const { return end != Clock::time_point::max(); }
  bool any() const { return has_end() || stop.stop_possible() || reports() || threads != 0; }
  bool reports() const { return on_progress != nullptr && *on_progress; }
  /// Throws CancelledError if the caller stopped the search.
  void check_stop() const;
};

/// Tells a caller how far its search has come. Made on its thread, at the search's start.
class ProgressReport {
 public:
  explicit ProgressReport(const SearchLimits& limits)
      : limits_(limits), caller_(std::this_thread::get_id()) {}

  /// So many requests more are answered. Any thread.
  void add(std::size_t requests) { answered_.fetch_add(requests, std::memory_order_relaxed); }
  /// Calls on_progress now and then, if this is the caller's thread. Returns false once that has
  /// thrown: the search is to end.
  bool goes_on();
  /// The last call. Throws what an earlier one threw.
  void finish();

 private:
  const SearchLimits& limits_;
  const std::thread::id caller_;
  SearchLimits::Clock::time_point last_ = SearchLimits::Clock::now();
  std::atomic<std::size_t> answered_ = 0;  ///< since the last call
  std::atomic<bool> has_failed_ = false;
  std::exception_ptr failure_;
};

/// An answer, and whether it is all of it.
struct TextAnswer {
  SearchResult result;
  bool is_complete = true;
  float max_missing_score = 0;  ///< see SearchProgress
  bool is_of_gpu = false;       ///< the GPU found it
  bool terms_cut = false;       ///< see Answer::terms_cut
  std::vector<Facet> facets{};  ///< in the order of SearchOptions::facets
};

/// Ends a search at its deadline or when its caller stops it.
class LimitWatch final : public SearchWatch {
 public:
  LimitWatch(const SearchLimits& limits, ProgressReport& report)
      : limits_(limits), report_(report) {}
  bool goes_on() override {
    return report_.goes_on() && !limits_.stop.stop_requested() &&
           (!limits_.has_end() || SearchLimits::Clock::now() < limits_.end);
  }

 private:
  const SearchLimits& limits_;
  ProgressReport& report_;
};

class TextEngine {
 public:
  virtual ~TextEngine() = default;
  /// In their order. The plans are made for the engine's snapshot. Throws CancelledError, and what
  /// the engines below throw.
  virtual std::vector<TextAnswer> search(std::span<const PlannedQuery> plans,
                                         const SearchSettings& settings,
                                         const SearchLimits& limits) = 0;
};

/// `threads` of 0: default_threads().
std::unique_ptr<TextEngine> make_cpu_text(const Snapshot& snapshot, std::size_t threads,
                                          std::shared_ptr<const SnapshotBlocks> blocks = nullptr);
/// Batches on GPUs, by `blocks` (null: none) where these take them; what GPUs cannot answer, `cpu`
/// does, which must outlive it.
std::unique_ptr<TextEngine> make_gpu_text(const GpuGroup& gpus,
                                          std::shared_ptr<const GpuBlocks> blocks, TextEngine& cpu);
/// Each query on the processor that serves it best.
std::unique_ptr<TextEngine> make_scheduled_text(const GpuGroup& gpus, std::size_t threads);

}  // namespace warpdex
