#include "warpdex/gpu.hpp"

#include <typeinfo>

#include "usable_gpu.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/caller_memory.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {

Device device_from_name(const std::string& name) {
  if (name == "cpu") return Device::kCpu;
  if (name == "gpu") return Device::kGpu;
  if (name == "auto") return Device::kAuto;
  throw UsageError("there is no device '" + name + "'; take cpu, gpu or auto");
}

GpuFacts gpu_facts(int device) {
  GpuFacts facts{.device = device};
  try {
    const DeviceInfo info = device_info(device);
    facts.name = info.name;
    facts.capability = 10 * info.compute_major + info.compute_minor;
    facts.multiprocessors = info.multiprocessors;
    facts.memory = info.memory;
    facts.free_memory = info.free_memory;
    facts.shared_memory = info.shared_memory_per_block;
    facts.code = info.code_capability;
    facts.code_by_driver = info.code_by_driver;
    facts.why_unfit = why_gpu_unfit(info);
  } catch (const CudaError& error) {  // such as: another process has it to itself
    facts.why_unfit = error.what();
  }
  return facts;
}

std::vector<GpuFacts> list_gpus() {
  std::vector<GpuFacts> all;
  for (int device = 0; device < device_count(); ++device) all.push_back(gpu_facts(device));
  return all;
}

std::string why_no_gpu() { return why_no_device(); }

Gpu::Gpu(int device, std::size_t memory)
    : resources_(
          std::make_shared<Resources>(ResourceSettings{.device = device, .memory = memory})) {}

int Gpu::device() const { return resources_->device(); }
std::string Gpu::name() const { return device_info(device()).name; }
std::size_t Gpu::memory_limit() const { return resources_->memory().limit(); }
std::size_t Gpu::memory_used() const { return resources_->memory().used(); }

GpuMemory::GpuMemory(std::size_t bytes, int device)
    : buffer_(std::make_unique<DeviceBuffer>(bytes, device)) {}
GpuMemory::~GpuMemory() = default;
GpuMemory::GpuMemory(GpuMemory&&) noexcept = default;
GpuMemory& GpuMemory::operator=(GpuMemory&&) noexcept = default;
void* GpuMemory::data() const { return buffer_->data(); }
int GpuMemory::device() const { return buffer_->device(); }

GpuStream::GpuStream(int device) : stream_(std::make_unique<Stream>(device)) {}
GpuStream::~GpuStream() = default;
GpuStream::GpuStream(GpuStream&&) noexcept = default;
GpuStream& GpuStream::operator=(GpuStream&&) noexcept = default;
void* GpuStream::handle() const { return stream_->handle(); }
void GpuStream::wait() const { stream_->synchronize(); }

void wait_for_gpu(void* stream, int device) {
  wait_for_stream(static_cast<CUstream_st*>(stream), device);
}

int gpu_of(const void* pointer) { return device_of(pointer); }

void check_gpu(int device) {
  const int count = device_count();
  if (count == 0) throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
  if (device >= count) {
    throw UsageError("there is no GPU " + std::to_string(device) +
                     "; they are numbered from 0 to " + std::to_string(count - 1));
  }
  const std::string why = why_gpu_unfit(device_info(device));
  if (!why.empty()) throw CudaError(why, CudaError::kNoCudaInBuild);
}

Gpu usable_gpu(const std::optional<Gpu>& wanted) {
  check_gpu(wanted ? wanted->device() : 0);
  return wanted ? *wanted : Gpu();
}

std::vector<Gpu> usable_gpus(const std::vector<Gpu>& wanted) {
  if (wanted.empty()) return {usable_gpu(std::nullopt)};
  for (const Gpu& gpu : wanted) check_gpu(gpu.device());
  return wanted;
}

bool is_of_gpu(const Error& error) {
  return typeid(error) == typeid(Error) || dynamic_cast<const CudaError*>(&error) != nullptr ||
         dynamic_cast<const UsageError*>(&error) != nullptr;
}

}  // namespace warpdex
