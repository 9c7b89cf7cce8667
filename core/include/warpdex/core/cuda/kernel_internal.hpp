// What kernels are allowed of a GPU, and whether they run there, for the library's own GPU code
// (builds with CUDA only).
#pragma once

namespace warpdex {

/// Lets the blocks of a kernel have all the dynamic shared memory that the current GPU has for one
/// beside the kernel's own. To be called before a launch that takes more than 48 KiB of both. What
/// is allowed is the process's: as all threads ask for the same, none takes it from another.
/// O(log n) after the first call for a kernel and a GPU, of n. Throws CudaError.
void allow_all_shared_memory(const void* kernel);

/// Whether this build has device code that runs on the current GPU. Throws CudaError if that cannot
/// be told.
bool has_device_code();

}  // namespace warpdex
