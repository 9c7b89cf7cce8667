// An index in GPU memory, and the scheduler over it, for commands that measure them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "options/device_options.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex::tools {

/// A snapshot in GPU memory, and the resources of a GPU that it has for itself.
struct UploadedIndex {
  /// `with_vectors`: it is searched by vectors, too.
  UploadedIndex(const Snapshot& uploaded, const ResourceSettings& settings, bool with_vectors)
      : resources(settings), snapshot(uploaded, resources) {
    if (with_vectors) vectors.emplace(snapshot);
  }

  GpuEngine make_engine(const GpuEngineSettings& settings = {}) const {
    return GpuEngine(snapshot, settings);
  }
  int device() const { return snapshot.device(); }
  bool is_resident() const { return snapshot.is_resident(); }
  std::size_t memory() const { return snapshot.memory(); }

  Resources resources;
  GpuSnapshot snapshot;
  std::optional<GpuVectors> vectors;  ///< of its documents
};

/// The snapshot in GPU memory, or none if the CPU is to answer: DeviceOptions::start_gpu().
/// `with_vectors`: those of the documents, too; throws UsageError if the index holds none.
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
  double speed_ = 1;  ///< of the GPU, for costs that were not calibrated
  SchedulerSettings settings_;
  // The scheduler ends before its engines.
  std::unique_ptr<GpuEngine> engine_;
  std::unique_ptr<GpuEngine> background_;
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace warpdex::tools
