// Checks of CUDA's calls and launches, for the library's own GPU code (builds with CUDA only).
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "warpdex/core/cuda/device.hpp"

namespace warpdex {

/// Throws CudaError, naming `call`, unless `status` is cudaSuccess. Clears the thread's last CUDA
/// error, so that the next check does not report this one again.
void check_cuda(cudaError_t status, const char* call);

/// The same, with what was asked for: "cudaMalloc of 4096 bytes".
void check_cuda(cudaError_t status, const std::string& call);

/// After every launch: throws CudaError, naming the kernel, if it could not start. What goes wrong
/// while it runs is reported by the next synchronisation.
void check_launch(const char* kernel);

/// Makes `device` the calling thread's device for its life. Throws CudaError where it does not
/// exist.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int previous_ = 0;
  bool changed_ = false;
};

}  // namespace warpdex
