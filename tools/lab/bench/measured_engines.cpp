#include "bench/measured_engines.hpp"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "output/text.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/query/index_vectors.hpp"

namespace warpdex::tools {
std::unique_ptr<UploadedIndex> upload(const Snapshot& snapshot, const DeviceOptions& device,
                                      bool with_vectors) {
  if (with_vectors) vector_settings(snapshot);  // throws, before an upload, if there are none
  std::unique_ptr<UploadedIndex> uploaded;
  device.start_gpu([&](const GpuChoice& gpu) {
    uploaded = std::make_unique<UploadedIndex>(
        snapshot, ResourceSettings{.device = gpu.device, .memory = gpu.memory}, with_vectors);
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
    return gpu->snapshot.has_list(segment, list);
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
