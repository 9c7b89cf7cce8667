// Answers on the engine that the options say, and on the CPU's what the GPU's leaves.
#include "search/search_engine.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/index_vectors.hpp"

namespace warpdex::tools {
namespace {

/// Queries between two reports of progress.
constexpr std::size_t kPieceQueries = 32;
/// Between two looks at whether a batch is done.
constexpr std::chrono::microseconds kLook{100};

/// Waits for a batch and lets `on_progress` end that.
BatchAnswers await(Engine& engine, Ticket ticket, const SearchEngine::OnProgress& on_progress) {
  while (on_progress && !engine.poll(ticket)) {
    on_progress(0);
    std::this_thread::sleep_for(kLook);
  }
  return engine.wait(ticket);
}

/// In pieces, all of which are under way at once.
std::vector<SearchResult> search_on_cpu(CpuEngine& engine, std::span<const PlannedQuery> plans,
                                        const SearchSettings& settings,
                                        const SearchEngine::OnProgress& on_progress) {
  std::vector<Ticket> tickets;
  for (std::size_t first = 0; first < plans.size(); first += kPieceQueries) {
    const std::size_t count = std::min(kPieceQueries, plans.size() - first);
    tickets.push_back(engine.submit(plans.subspan(first, count), std::span(&settings, 1)));
  }
  std::vector<SearchResult> results;
  for (const Ticket ticket : tickets) {
    const BatchAnswers answers = await(engine, ticket, on_progress);
    for (std::size_t i = 0; i < answers.size(); ++i) results.push_back(answers.result(i));
    if (on_progress) on_progress(answers.size());
  }
  return results;
}

}  // namespace

std::unique_ptr<UploadedIndex> upload(const Snapshot& snapshot, const DeviceOptions& device,
                                      bool with_vectors) {
  if (with_vectors) vector_settings(snapshot);  // throws, before an upload, if there are none
  std::unique_ptr<UploadedIndex> uploaded;
  device.start_gpu([&](const ResourceSettings& settings) {
    uploaded = snapshot.is_plain() && !with_vectors
                   ? std::make_unique<UploadedIndex>(*snapshot.segments()[0].index, settings)
                   : std::make_unique<UploadedIndex>(snapshot, settings, with_vectors);
  });
  if (uploaded && uploaded->vectors && !uploaded->vectors->is_resident()) {
    std::cerr
        << "warpdex: note: the GPU's memory does not hold the vectors; the CPU searches them\n";
  }
  return uploaded;
}

HasList has_list(const UploadedIndex* gpu) {
  if (gpu == nullptr || gpu->is_resident()) return {};
  return [gpu](std::size_t segment, const PostingsEntry& list) {
    return gpu->plain ? gpu->plain->has_list(list) : gpu->changed->has_list(segment, list);
  };
}

ScheduledEngine::ScheduledEngine(const Snapshot& snapshot, const UploadedIndex* gpu,
                                 const SchedulerSettings& settings)
    : snapshot_(snapshot), settings_(settings) {
  if (gpu != nullptr && settings.placement.placement != Placement::kCpuOnly) {
    gpu_.batches = gpu_batches(settings.placement);
    engine_ = std::make_unique<GpuEngine>(gpu->make_engine({.max_batches = gpu_.batches}));
    background_ = std::make_unique<GpuEngine>(
        gpu->make_engine({.max_batches = kBackgroundBatches, .is_background = true}));
    gpu_.engine = engine_.get();
    gpu_.background = background_.get();
    gpu_.has_list = has_list(gpu);
  }
  restart();
}

void ScheduledEngine::restart() {
  scheduler_.reset();
  scheduler_ = std::make_unique<Scheduler>(snapshot_, gpu_, settings_, load_cost_model(snapshot_));
}

SearchEngine::SearchEngine(const Snapshot& snapshot, const UploadedIndex* gpu, std::size_t threads,
                           bool is_scheduled)
    : snapshot_(snapshot) {
  if (gpu != nullptr && is_scheduled) {
    SchedulerSettings settings;
    settings.cpu_threads = threads;
    scheduled_ = std::make_unique<ScheduledEngine>(snapshot, gpu, settings);
    return;
  }
  cpu_ = std::make_unique<CpuEngine>(snapshot, CpuEngineSettings{.threads = threads});
  if (gpu != nullptr) gpu_ = std::make_unique<GpuEngine>(gpu->make_engine());
}

std::vector<SearchResult> SearchEngine::search(std::span<const Query> queries,
                                               const SearchSettings& settings,
                                               const OnProgress& on_progress) {
  plans_.resize(queries.size());
  parallel_for(0, queries.size(), [&](std::size_t thread, std::size_t i) {
    if (on_progress && thread == 0) on_progress(0);  // it may end the search here, too
    plans_[i] = plan_query(snapshot_, queries[i]);
  });
  if (scheduled_) return search_by_schedule(settings, on_progress);
  if (gpu_) return search_on_gpu(settings, on_progress);
  return search_on_cpu(*cpu_, plans_, settings, on_progress);
}

/// One batch on the GPU; what it cannot answer, on the CPU.
std::vector<SearchResult> SearchEngine::search_on_gpu(const SearchSettings& settings,
                                                      const OnProgress& on_progress) {
  const Ticket ticket = gpu_->submit(plans_, std::span(&settings, 1));
  const BatchAnswers answers = await(*gpu_, ticket, on_progress);
  std::vector<SearchResult> results(plans_.size());
  std::vector<std::size_t> left;
  left_plans_.clear();
  for (std::size_t i = 0; i < answers.size(); ++i) {
    results[i] = answers.result(i);
    if (answers[i].is_answered) continue;
    left.push_back(i);
    left_plans_.push_back(plans_[i]);
  }
  if (on_progress) on_progress(plans_.size() - left.size());
  std::vector<SearchResult> others = search_on_cpu(*cpu_, left_plans_, settings, on_progress);
  for (std::size_t i = 0; i < left.size(); ++i) results[left[i]] = std::move(others[i]);
  return results;
}

/// One by one; the scheduler makes batches of them.
std::vector<SearchResult> SearchEngine::search_by_schedule(const SearchSettings& settings,
                                                           const OnProgress& on_progress) {
  std::vector<std::future<ScheduledAnswer>> answers;
  answers.reserve(plans_.size());
  for (const PlannedQuery& plan : plans_) {
    answers.push_back(scheduled_->scheduler().submit(plan, settings));
  }
  std::vector<SearchResult> results;
  results.reserve(plans_.size());
  for (std::future<ScheduledAnswer>& answer : answers) {
    while (on_progress && answer.wait_for(kLook) != std::future_status::ready) on_progress(0);
    results.push_back(answer.get().result);
    if (on_progress) on_progress(1);
  }
  return results;
}

}  // namespace warpdex::tools
