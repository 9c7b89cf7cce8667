// The scheduler of text queries. It takes queries from any thread and runs each on the processor
// that serves it best.
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

/// The end of a query. Times in microseconds.
struct ScheduledAnswer {
  JobEnd end = JobEnd::kComplete;
  /// For JobEnd::kComplete, the answer, the same as every engine's. For kPartial, the best
  /// documents so far, with exact scores; the number of matches is then a lower bound. Else empty.
  SearchResult result;
  /// The certificate of kPartial: no document that is missing from `result` scores more.
  float max_missing_score = 0;
  bool is_late = false;  ///< it has an answer, but after its deadline
  Processor processor = Processor::kCpu;
  JobCost predicted;
  Micros waited = 0;           ///< from submit() to its last run
  Micros took = 0;             ///< from submit() to its end
  Micros end_time = 0;         ///< by JobScheduler::now()
  std::exception_ptr failure;  ///< for kFailed: why
};

/// The engine for batches, usually a GpuEngine. Only one thread of the scheduler calls it.
struct GpuSide {
  Engine* engine = nullptr;  ///< null: there is no GPU
  std::size_t batches = 0;   ///< batches that `engine` has room for (max_batches); 1 or more
  HasList has_list = {};     ///< empty: all lists are always in GPU memory
  /// The engine for huge queries, with room for kBackgroundBatches and made with
  /// GpuEngineSettings::is_background. Null: `engine` takes these too.
  Engine* background = nullptr;
};

/// Batches of GpuSide::background: one under way, and one whose answer is being delivered.
inline constexpr std::size_t kBackgroundBatches = 2;

/// How many batches GpuSide::engine should have room for with these settings: those under way, one
/// of a huge query, and one whose answers are being delivered.
inline std::size_t gpu_batches(const PlacementSettings& settings) { return settings.batches + 2; }

/// Names a query that was submitted.
struct QueryHandle {
  Job* job = nullptr;
  std::uint64_t generation = 0;
};

/// Answers queries over one snapshot of an index. All functions may be called from any number of
/// threads. Complete answers are the same as the engines', wherever they were computed.
class Scheduler {
 public:
  /// Called once with the answer, on a thread of the scheduler or on one that calls submit(),
  /// cancel() or the destructor; so these callers must hold no lock that it takes. Should take
  /// microseconds. Must not be empty, must not throw, and must not submit with
  /// OverloadPolicy::kWait.
  using OnAnswer = std::function<void(ScheduledAnswer&&)>;

  /// Starts the threads. Shares the snapshot. The engines must be over the same snapshot and must
  /// outlive the scheduler. Throws UsageError for settings out of range.
  Scheduler(const Snapshot& snapshot, const GpuSide& gpu, const SchedulerSettings& settings = {},
            const CostModel& model = {});
  /// Queued queries end with JobEnd::kCancelled; running ones are waited for. No thread may submit
  /// meanwhile.
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Plans and submits a query. If the query fails, the future throws the reason. Throws UsageError
  /// for settings or options out of range, FormatError for a damaged lexicon.
  std::future<ScheduledAnswer> submit(const Query& query, const SearchSettings& settings,
                                      const JobOptions& options = {});
  /// The same for a query that was planned over the scheduler's snapshot.
  std::future<ScheduledAnswer> submit(PlannedQuery plan, const SearchSettings& settings,
                                      const JobOptions& options = {});
  /// The same with a callback, which is cheaper than a future.
  QueryHandle submit(PlannedQuery plan, const SearchSettings& settings, const JobOptions& options,
                     OnAnswer on_answer);

  /// Ends a query with JobEnd::kCancelled: at once if it is queued, soon if it runs on the CPU, at
  /// the latest at the end of its batch if it runs on the GPU. A run that ends first still delivers
  /// its answer. Returns false if the query has already ended.
  bool cancel(const QueryHandle& handle);

  /// O(threads).
  SchedulerStatistics statistics() const;
  const Snapshot& snapshot() const;
  /// A scheduler that also takes jobs of other classes, by jobs().submit(). `classes` must outlive
  /// it. The rest as above.
  Scheduler(const Snapshot& snapshot, const GpuSide& gpu, const SchedulerSettings& settings,
            const CostModel& model, std::span<WorkClass* const> classes);
  JobScheduler& jobs();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
