// Asks CUDA about GPUs.
#include "warpdex/core/cuda/device.hpp"

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"

namespace warpdex {
namespace {

int attribute(int device, cudaDeviceAttr which) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

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
  DeviceInfo info;
  info.device = device;
  info.name = properties.name;
  info.compute_major = attribute(device, cudaDevAttrComputeCapabilityMajor);
  info.compute_minor = attribute(device, cudaDevAttrComputeCapabilityMinor);
  info.multiprocessors = attribute(device, cudaDevAttrMultiProcessorCount);
  info.shared_memory_per_block =
      static_cast<std::size_t>(attribute(device, cudaDevAttrMaxSharedMemoryPerBlockOptin));
  check_cuda(cudaMemGetInfo(&info.free_memory, &info.memory), "cudaMemGetInfo");
  check_cuda(cudaDriverGetVersion(&info.driver_version), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&info.runtime_version), "cudaRuntimeGetVersion");
  info.has_code = has_device_code();
  return info;
}

}  // namespace warpdex
