// GPUs: how many there are and what they are. No CUDA syntax here, and the functions exist in
// builds without CUDA too, where there is never a GPU.
#pragma once

#include <cstddef>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

/// Whether this build has the GPU parts (WARPDEX_CUDA).
bool built_with_cuda();

/// GPUs that this process can use. No GPU, no driver, and a build without CUDA are no errors: 0.
int device_count();

/// Why device_count() is 0, as a sentence; empty where it is not.
std::string why_no_device();

/// What a GPU is, and what of its memory is free.
struct DeviceInfo {
  int device = 0;                           ///< from 0
  std::string name;                         ///< as the driver calls it
  int compute_major = 0;                    ///< compute capability: the 9 of Hopper's 9.0
  int compute_minor = 0;                    ///< the digit behind the point
  int multiprocessors = 0;                  ///< SMs
  std::size_t memory = 0;                   ///< bytes in all
  std::size_t free_memory = 0;              ///< bytes free at the time of the call
  std::size_t shared_memory_per_block = 0;  ///< bytes, with the opt-in that kernels may ask for
  int driver_version = 0;                   ///< newest CUDA the driver knows: 13000 for 13.0
  int runtime_version = 0;                  ///< the CUDA this build was made with, likewise
  /// The compute capability that this build's kernels for it were compiled for, 90 for 9.0; 0: it
  /// has none.
  int code_capability = 0;
  bool code_by_driver = false;  ///< the driver compiles the kernels when they are first used

  bool is_imitated = false;  ///< a larger GPU stands for it, in tests (chip.hpp)

  /// One line for people: "0: NVIDIA H100 80GB HBM3, 132 SMs, 79.2 GiB (78.6 free), sm_90".
  std::string to_string() const;
};

/// Asks the driver about device `device`, from 0. Throws CudaError if there is no such device.
DeviceInfo device_info(int device);

}  // namespace warpdex
