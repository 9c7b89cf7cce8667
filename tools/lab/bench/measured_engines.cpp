#include "bench/measured_engines.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "output/text.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::tools {
namespace {

std::vector<Resources*> resources_of(const std::vector<Gpu>& gpus) {
  std::vector<Resources*> all;
  for (const Gpu& gpu : gpus) all.push_back(&gpu.resources());
  return all;
}

}  // namespace

UploadedIndex::UploadedIndex(const Snapshot& uploaded, std::vector<Gpu> on, std::size_t shards)
    : gpus(std::move(on)), group(uploaded, resources_of(gpus), shards) {}

std::shared_ptr<const GpuBlocks> UploadedIndex::upload_blocks(std::size_t threads) const {
  return std::make_shared<const GpuBlocks>(
      group.snapshot(), SnapshotBlocks(group.snapshot(), threads), resources_of(gpus));
}

std::unique_ptr<UploadedIndex> upload(const Snapshot& snapshot, const DeviceOptions& device) {
  const std::size_t shards = device.shards();
  std::unique_ptr<UploadedIndex> uploaded;
  device.start_gpus([&](std::span<const GpuChoice> gpus) {
    uploaded = std::make_unique<UploadedIndex>(snapshot, open_gpus(gpus), shards);
  });
  return uploaded;
}

HasList has_list(const UploadedIndex* gpu) {
  if (gpu == nullptr || gpu->is_resident()) return {};
  return [gpu](std::size_t segment, const PostingsEntry& list) {
    return gpu->group.has_list(segment, list);
  };
}

ScheduledEngine::ScheduledEngine(const Snapshot& snapshot, const UploadedIndex* gpu,
                                 const SchedulerSettings& settings)
    : snapshot_(snapshot), settings_(settings) {
  if (gpu != nullptr && settings.placement.placement != Placement::kCpuOnly) {
    gpu_.batches = gpu_batches(settings.placement);
    engine_ = std::make_unique<GpuGroupEngine>(gpu->make_engine({.max_batches = gpu_.batches}));
    background_ = std::make_unique<GpuGroupEngine>(
        gpu->make_engine({.max_batches = kBackgroundBatches, .is_background = true}));
    gpu_.engine = engine_.get();
    gpu_.background = background_.get();
    gpu_.has_list = has_list(gpu);
    speed_ = gpu_speed(device_info(gpu->device()));
  }
  restart();
}

void ScheduledEngine::restart() {
  scheduler_.reset();
  scheduler_ =
      std::make_unique<Scheduler>(snapshot_, gpu_, settings_, load_cost_model(snapshot_, speed_));
}

}  // namespace warpdex::tools
