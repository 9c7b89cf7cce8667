// Asks CUDA about GPUs.
#include "warpdex/core/cuda/device.hpp"

#include <algorithm>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"

namespace warpdex {
namespace {

cudaError_t count_devices(int& count) {
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    count = 0;
  }
  return status;
}

}  // namespace

bool built_with_cuda() { return true; }

int device_count() {
  int count = 0;
  count_devices(count);
  return count;
}

std::string why_no_device() {
  int count = 0;
  const cudaError_t status = count_devices(count);
  if (count > 0) return {};
  if (status == cudaErrorInsufficientDriver) {
    return "there is no NVIDIA driver here, or one older than this build's CUDA " +
           std::to_string(CUDART_VERSION / 1000) + "." +
           std::to_string(CUDART_VERSION % 1000 / 10) + ": install a newer driver to use a GPU";
  }
  if (status == cudaSuccess || status == cudaErrorNoDevice) {
    return "the NVIDIA driver finds no GPU here (CUDA_VISIBLE_DEVICES may hide it)";
  }
  return std::string("CUDA cannot list the GPUs: ") + cudaGetErrorString(status);
}

DeviceInfo device_info(int device) {
  const CurrentDevice current(device);
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, device),
             "cudaGetDeviceProperties of device " + std::to_string(device));
  const Chip& chip = chip_of(device);
  DeviceInfo info;
  info.device = device;
  info.name = properties.name;
  info.is_imitated = *chip.imitated != 0;
  if (info.is_imitated) info.name += std::string(" as ") + chip.imitated;
  info.compute_major = chip.capability / 10;
  info.compute_minor = chip.capability % 10;
  info.multiprocessors = static_cast<int>(chip.multiprocessors);
  info.shared_memory_per_block = chip.shared_memory_of_block;
  check_cuda(cudaMemGetInfo(&info.free_memory, &info.memory), "cudaMemGetInfo");
  info.memory = chip.memory;
  info.free_memory = std::min(info.free_memory, chip.memory);
  check_cuda(cudaDriverGetVersion(&info.driver_version), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&info.runtime_version), "cudaRuntimeGetVersion");
  const DeviceCode code = device_code();
  info.code_capability = code.capability;
  info.code_by_driver = code.by_driver;
  return info;
}

}  // namespace warpdex
