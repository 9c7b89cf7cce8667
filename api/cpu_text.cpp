// One query runs on its caller's thread, several on those of an engine.
#include <mutex>
#include <optional>

#include "text_engine.hpp"
#include "warpdex/core/kept_threads.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/pool.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/cpu/heaviest_first.hpp"

namespace warpdex {
namespace {

class CpuText final : public TextEngine {
 public:
  CpuText(const Snapshot& snapshot, std::size_t threads,
          std::shared_ptr<const SnapshotBlocks> blocks)
      : snapshot_(snapshot),
        threads_(threads == 0 ? default_threads() : threads),
        blocks_(std::move(blocks)) {}

  std::vector<TextAnswer> search(std::span<const PlannedQuery> plans,
                                 const SearchSettings& settings,
                                 const SearchLimits& limits) override {
    settings.validate();
    std::vector<TextAnswer> answers(plans.size());
    ProgressReport report(limits);
    if (plans.size() == 1) {
      answers[0] = run(plans[0], settings, limits, report);
    } else if (limits.any()) {
      // Before a deadline, those that come first are asked for first.
      std::vector<std::uint32_t> order;
      if (!limits.has_end()) order = heaviest_first(plans);
      kept_threads_.parallel_for(limits.threads == 0 ? threads_ : limits.threads, plans.size(),
                                 [&](std::size_t, std::size_t place) {
                                   if (!report.goes_on()) return;
                                   const std::size_t i = order.empty() ? place : order[place];
                                   answers[i] = run(plans[i], settings, limits, report);
                                 });
    } else if (!plans.empty()) {
      const BatchAnswers batch = engine().run(plans, settings);
      for (std::size_t i = 0; i < plans.size(); ++i) answers[i].result = batch.result(i);
    }
    report.finish();
    limits.check_stop();
    return answers;
  }

 private:
  TextAnswer run(const PlannedQuery& plan, const SearchSettings& settings,
                 const SearchLimits& limits, ProgressReport& report) {
    const auto searcher =
        searchers_.take([this] { return std::make_unique<CpuSearcher>(snapshot_, blocks_); });
    if (!limits.any()) return {searcher->run(plan, settings)};
    LimitWatch watch(limits, report);
    SearchProgress progress;
    TextAnswer answer{searcher->run(plan, settings, watch, progress)};
    answer.is_complete = progress.is_complete;
    answer.max_missing_score = progress.max_missing_score;
    report.add(1);
    return answer;
  }

  /// Its threads start with the first batch.
  CpuEngine& engine() {
    const std::lock_guard lock(mutex_);
    if (!engine_) {
      engine_.emplace(snapshot_, CpuEngineSettings{.threads = threads_, .blocks = blocks_});
    }
    return *engine_;
  }

  const Snapshot snapshot_;
  const std::size_t threads_;
  const std::shared_ptr<const SnapshotBlocks> blocks_;
  Pool<CpuSearcher> searchers_;
  KeptThreads kept_threads_;
  std::mutex mutex_;  ///< for making the engine
  std::optional<CpuEngine> engine_;
};

}  // namespace

std::unique_ptr<TextEngine> make_cpu_text(const Snapshot& snapshot, std::size_t threads,
                                          std::shared_ptr<const SnapshotBlocks> blocks) {
  return std::make_unique<CpuText>(snapshot, threads, std::move(blocks));
}

}  // namespace warpdex
