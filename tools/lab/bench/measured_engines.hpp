// An index in GPU memory, and the scheduler over it, for commands that measure them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "options/device_options.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/gpu/gpu_blocks.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex::tools {

/// A snapshot in the memory of GPUs that it has for itself.
struct UploadedIndex {
  UploadedIndex(const Snapshot& uploaded, std::vector<Gpu> gpus, std::size_t shards);

  GpuGroupEngine make_engine(const GpuEngineSettings& settings = {}) const {
    return GpuGroupEngine(group, settings);
  }
  /// The snapshot's blocks of documents on these GPUs, too.
  std::shared_ptr<const GpuBlocks> upload_blocks(std::size_t threads) const;
  int device() const { return gpus.front().device(); }
  bool is_resident() const { return group.is_resident(); }
  std::size_t memory() const { return group.memory(); }

  std::vector<Gpu> gpus;
  GpuGroup group;
};

/// The snapshot in GPU memory, or none if the CPU is to answer: DeviceOptions::start_gpus().
std::unique_ptr<UploadedIndex> upload(const Snapshot& snapshot, const DeviceOptions& device);

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
  std::unique_ptr<GpuGroupEngine> engine_;
  std::unique_ptr<GpuGroupEngine> background_;
  std::unique_ptr<Scheduler> scheduler_;
};

}  // namespace warpdex::tools
