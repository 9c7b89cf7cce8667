// The scheduler of text queries: each query, from any thread, on the processor that serves it best.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <memory>
#include <span>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/engine/engine.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/scheduler/cost_model.hpp"
#include "warpdex/scheduler/job_scheduler.hpp"

namespace warpdex {

/// What came of a query.
struct ScheduledAnswer {
  JobEnd end = JobEnd::kComplete;
  /// Of JobEnd::kComplete, what every engine answers; of kPartial, the best so far, with exact
  /// scores, and a number of matches that is a lower bound; else empty.
  SearchResult result;
  /// The certificate of kPartial: no document that is missing from `result` scores more.
  float max_missing_score = 0;
  bool is_late = false;  ///< it has an answer, which came after its deadline
  Processor processor = Processor::kCpu;
  JobCost predicted;
  Micros waited = 0;           ///< from submit() to its last run
  Micros took = 0;             ///< from submit() to here
  Micros end_time = 0;         ///< by JobScheduler::now()
  std::exception_ptr failure;  ///< of kFailed
};

/// A GPU engine, or one that stands in for it, and how many batches it has room for. One thread of
/// the scheduler uses it.
struct GpuSide {
  Engine* engine = nullptr;  ///< null: there is no GPU
  std::size_t batches = 0;   ///< GpuEngineSettings::max_batches; 1 or more
  HasList has_list = {};     ///< none: all lists are always in GPU memory
  /// For huge queries, with room for kBackgroundBatches: GpuEngineSettings::is_background. Null:
  /// `engine` takes these too.
  Engine* background = nullptr;
};

/// One under way, and one whose answer is being delivered.
inline constexpr std::size_t kBackgroundBatches = 2;

/// Batches that an engine should have room for, with these settings: those under way, one of a huge
/// query, and one whose answers are being delivered.
inline std::size_t gpu_batches(const PlacementSettings& settings) { return settings.batches + 2; }

/// Names a query that was submitted.
struct QueryHandle {
  Job* job = nullptr;
  std::uint64_t generation = 0;
};

/// Answers queries over one snapshot of an index. All functions may be called from any number of
/// threads. Its answers, where they are complete, are the engines', whatever ran where.
class Scheduler {
 public:
  /// Gets the answer on a thread of the scheduler, or of submit()'s caller where the query is
  /// refused or has no room. Should take microseconds; must not throw, nor submit with
  /// OverloadPolicy::kWait.
  using OnAnswer = std::function<void(ScheduledAnswer&&)>;

  /// Starts the threads. Shares the snapshot, of one segment or of several; the engine, which has
  /// the same, must outlive the scheduler. Throws UsageError for settings out of range.
  Scheduler(const Snapshot& snapshot, const GpuSide& gpu, const SchedulerSettings& settings = {},
            const CostModel& model = {});
  /// Queries that are queued end with JobEnd::kCancelled; what is running is waited for. No thread
  /// may submit meanwhile.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// The future throws what made the query fail, if it did. Throws UsageError for settings or
  /// options out of range, FormatError for a damaged lexicon.
  std::future<ScheduledAnswer> submit(const Query& query, const SearchSettings& settings,
                                      const JobOptions& options = {});
  /// The same, of a query that was planned over the scheduler's snapshot.
  std::future<ScheduledAnswer> submit(PlannedQuery plan, const SearchSettings& settings,
                                      const JobOptions& options = {});
  /// The same, with a callback, which is cheaper.
  QueryHandle submit(PlannedQuery plan, const SearchSettings& settings, const JobOptions& options,
                     OnAnswer on_answer);

  /// Ends a query with JobEnd::kCancelled: at once if it waits, soon if it runs on the CPU, with
  /// its batch on the GPU. Returns false if it has ended.
  bool cancel(const QueryHandle& handle);

  SchedulerStatistics statistics() const;
  const Snapshot& snapshot() const;
  /// For jobs of other classes: see JobScheduler. `classes` are theirs; they outlive the scheduler.
  Scheduler(const Snapshot& snapshot, const GpuSide& gpu, const SchedulerSettings& settings,
            const CostModel& model, std::span<WorkClass* const> classes);
  JobScheduler& jobs();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
