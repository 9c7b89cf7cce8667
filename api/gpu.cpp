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
std::string Gpu::name() const { return device_info(device()).name; }
std::size_t Gpu::memory_limit() const { return resources_->memory().limit(); }
std::size_t Gpu::memory_used() const { return resources_->memory().used(); }

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

bool is_of_gpu(const Error& error) {
  return typeid(error) == typeid(Error) || dynamic_cast<const CudaError*>(&error) != nullptr ||
         dynamic_cast<const UsageError*>(&error) != nullptr;
}

}  // namespace warpdex
