// Allows kernels more shared memory than they have unasked, once for a kernel and a GPU.
#include "warpdex/core/cuda/kernel_internal.hpp"

#include <mutex>
#include <set>
#include <utility>

#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex {

void allow_all_shared_memory(const void* kernel) {
  static std::mutex mutex;
  static std::set<std::pair<const void*, int>> allowed;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  if (allowed.count({kernel, device}) != 0) return;
  int most = 0;
  check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
             "cudaDeviceGetAttribute");
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  most -= static_cast<int>(attributes.sharedSizeBytes);
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
             "cudaFuncSetAttribute");
  allowed.emplace(kernel, device);
}

}  // namespace warpdex
