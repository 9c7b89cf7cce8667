// Raises the dynamic shared memory limit of kernels, once for each kernel and GPU.
#include "warpdex/core/cuda/kernel_internal.hpp"

#include <mutex>
#include <set>
#include <utility>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/chip.hpp"

namespace warpdex {

void allow_all_shared_memory(const void* kernel) {
  static std::mutex mutex;
  static std::set<std::pair<const void*, int>> allowed;
  int device = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  if (allowed.count({kernel, device}) != 0) return;
  auto max_bytes = static_cast<int>(chip_of(device).shared_memory_of_block);
  cudaFuncAttributes attributes{};
  check_cuda(cudaFuncGetAttributes(&attributes, kernel), "cudaFuncGetAttributes");
  max_bytes -= static_cast<int>(attributes.sharedSizeBytes);
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_bytes),
             "cudaFuncSetAttribute");
  allowed.emplace(kernel, device);
}

}  // namespace warpdex
