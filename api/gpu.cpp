#include "warpdex/gpu.hpp"

#include <typeinfo>

#include "usable_gpu.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {

Device device_from_name(const std::string& name) {
  if (name == "cpu") return Device::kCpu;
  if (name == "gpu") return Device::kGpu;
  if (name == "auto") return Device::kAuto;
  throw UsageError("there is no device '" + name + "'; take cpu, gpu or auto");
}

Gpu::Gpu(int device, std::size_t memory)
    : resources_(
          std::make_shared<Resources>(ResourceSettings{.device = device, .memory = memory})) {}

int Gpu::device() const { return resources_->device(); }
std::size_t Gpu::memory_limit() const { return resources_->memory().limit(); }
std::size_t Gpu::memory_used() const { return resources_->memory().used(); }

Gpu usable_gpu(const std::optional<Gpu>& wanted) {
  if (device_count() == 0) throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
  Gpu gpu = wanted ? *wanted : Gpu();
  const std::string why = why_gpu_unfit(device_info(gpu.device()));
  if (!why.empty()) throw CudaError(why, CudaError::kNoCudaInBuild);
  return gpu;
}

bool is_of_gpu(const Error& error) {
  return typeid(error) == typeid(Error) || dynamic_cast<const CudaError*>(&error) != nullptr ||
         dynamic_cast<const UsageError*>(&error) != nullptr;
}

}  // namespace warpdex
