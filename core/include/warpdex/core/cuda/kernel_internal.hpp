// Raises the limits of kernels on a GPU, and asks whether kernels run there. For the library's own
// GPU code (builds with CUDA only).
#pragma once

namespace warpdex {

/// Allows the CTAs of a kernel all the dynamic shared memory that the current GPU has beside the
/// kernel's static one. Call it before a launch that needs more than 48 KiB of both. The setting
/// belongs to the process; all threads set the same value. After the first call for a kernel and a
/// GPU, a call is a look-up among all such pairs. Throws CudaError.
void allow_all_shared_memory(const void* kernel);

/// The compute capability that this build's device code for the current GPU was compiled for, 90
/// for 9.0; 0 if there is none. Where it is below the GPU's, the driver compiles the code for the
/// GPU when it is first used. Throws CudaError if the driver does not answer.
int device_code();

}  // namespace warpdex
