// Raises the limits of kernels on a GPU, and asks whether kernels run there. For the library's own
// GPU code (builds with CUDA only).
#pragma once

namespace warpdex {

/// Allows the CTAs of a kernel all the dynamic shared memory that the current GPU has beside the
/// kernel's static one. Call it before a launch that needs more than 48 KiB of both. The setting
/// belongs to the process; all threads set the same value. After the first call for a kernel and a
/// GPU, a call is a look-up among all such pairs. Throws CudaError.
void allow_all_shared_memory(const void* kernel);

/// This build's device code for a GPU.
struct DeviceCode {
  int capability = 0;      ///< the compute capability it was written for, 90 for 9.0; 0: none
  bool by_driver = false;  ///< the driver compiles it for the GPU when it is first used
};

/// Of the current GPU. Throws CudaError if the driver does not answer.
DeviceCode device_code();

}  // namespace warpdex
