// Whether there is device code for a GPU, which depends on the architectures that the build is for.
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch_overlap.hpp"

namespace warpdex {
namespace {

/// Compiled for the architectures that all kernels are compiled for.
__global__ void any_kernel() {}

}  // namespace

DeviceCode device_code() {
  cudaFuncAttributes attributes{};
  const cudaError_t status = cudaFuncGetAttributes(&attributes, any_kernel);
  switch (status) {
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorUnsupportedPtxVersion:  // code that the driver would have to compile, and cannot
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled: cudaGetLastError(); return {};
    default: check_cuda(status, "cudaFuncGetAttributes");
  }
  return {attributes.ptxVersion, attributes.binaryVersion != attributes.ptxVersion};
}

bool launches_may_overlap() {
  return device_code().capability >= 90 && current_chip().has_clusters();
}

}  // namespace warpdex
