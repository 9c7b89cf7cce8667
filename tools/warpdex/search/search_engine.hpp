// The engine that search and bench answer with, chosen by --device: the CPU's or the GPU's.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "options/device_options.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex::tools {

/// An index in GPU memory, and the resources of a GPU that this index has for itself.
struct UploadedIndex {
  UploadedIndex(const Index& uploaded, const ResourceSettings& settings)
      : resources(settings), plain(std::in_place, uploaded, resources) {}
  /// A snapshot that is not plain, or that is searched by vectors too: `with_vectors`.
  UploadedIndex(const Snapshot& uploaded, const ResourceSettings& settings, bool with_vectors)
      : resources(settings), changed(std::in_place, uploaded, resources) {
    if (with_vectors) vectors.emplace(*changed);
  }

  GpuEngine make_engine(const GpuEngineSettings& settings = {}) const {
    return plain ? GpuEngine(*plain, settings) : GpuEngine(*changed, settings);
  }
  int device() const { return plain ? plain->device() : changed->device(); }
  bool is_resident() const { return plain ? plain->is_resident() : changed->is_resident(); }
  std::size_t memory() const { return plain ? plain->memory() : changed->memory(); }

  Resources resources;
  std::optional<GpuIndex> plain;       ///< an index of one segment without deletions
  std::optional<GpuSnapshot> changed;  ///< any other
  std::optional<GpuVectors> vectors;   ///< of its documents
};

/// The snapshot in GPU memory, or none if the CPU is to answer: DeviceOptions::start_gpu(). Of a
/// plain one, its index, which must outlive it. `with_vectors`: those of the documents, too; throws
/// UsageError if the index holds none.
std::unique_ptr<UploadedIndex> upload(const Snapshot& snapshot, const DeviceOptions& device,
                                      bool with_vectors = false);

/// Tells which lists are in GPU memory; empty if `gpu` is null, or if all lists always are.
HasList has_list(const UploadedIndex* gpu);

/// A scheduler with a GPU engine of its own, or without one.
class ScheduledEngine {
 public:
  /// `gpu`, which has the snapshot and may be null, must outlive this. Predicts by what is stored
  /// beside the index.
  ScheduledEngine(const Snapshot& snapshot, const UploadedIndex* gpu,
                  const SchedulerSettings& settings);

  Scheduler& scheduler() { return *scheduler_; }
  /// Makes a new scheduler on the same engine, with empty statistics and corrections. Waits for
  /// queries that are under way.
  void restart();

 private:
  Snapshot snapshot_;
  GpuSide gpu_;
  SchedulerSettings settings_;
  // The scheduler ends before its engines.
  std::unique_ptr<GpuEngine> engine_;
  std::unique_ptr<GpuEngine> background_;
  std::unique_ptr<Scheduler> scheduler_;
};

/// Answers batches of queries; each is planned first. What the GPU's engine cannot answer, the
/// CPU's does.
class SearchEngine {
 public:
  /// Is called from time to time, with the number of queries that were answered since; what it
  /// throws ends the search.
  using OnProgress = std::function<void(std::size_t queries)>;

  /// Takes the GPU's engine if `gpu` is not null, else the CPU's, of so many threads (0: all). With
  /// `is_scheduled` and a GPU it takes both, and sends each query to the one that serves it best.
  /// `gpu` must outlive this.
  SearchEngine(const Snapshot& snapshot, const UploadedIndex* gpu, std::size_t threads,
               bool is_scheduled);

  /// In their order. Throws what the engines throw.
  std::vector<SearchResult> search(std::span<const Query> queries, const SearchSettings& settings,
                                   const OnProgress& on_progress = {});

 private:
  std::vector<SearchResult> search_on_gpu(const SearchSettings& settings,
                                          const OnProgress& on_progress);
  std::vector<SearchResult> search_by_schedule(const SearchSettings& settings,
                                               const OnProgress& on_progress);

  Snapshot snapshot_;
  // Plans of batches that may still be under way when a search ends by an exception: they outlive
  // the engines.
  std::vector<PlannedQuery> plans_;
  std::vector<PlannedQuery> left_plans_;
  std::unique_ptr<CpuEngine> cpu_;
  std::unique_ptr<GpuEngine> gpu_;
  std::unique_ptr<ScheduledEngine> scheduled_;  ///< or none, and the others answer
};

}  // namespace warpdex::tools
