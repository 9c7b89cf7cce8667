// A GPU as a program shares it out: its memory under one budget.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

namespace warpdex {

class Resources;

/// Where searches are done.
enum class Device {
  kCpu,
  kGpu,   ///< what the GPU cannot answer, the CPU does
  kAuto,  ///< both, each query on the one that serves it best; without a usable GPU, the CPU
};

/// "cpu", "gpu" or "auto"; UsageError for any other.
Device device_from_name(const std::string& name);

/// Throws CudaError, which says why, unless the GPU of this number can search; UsageError for a
/// number past the last one.
void check_gpu(int device);

/// One GPU and an account of its memory, which all searchers and vector indexes that it is given to
/// share. Copies are the same GPU and account. It lives as long as what uses it.
class Gpu {
 public:
  /// `device` counts from 0. `memory` is the bytes of it that all users may take together; 0: 90 %
  /// of what is free. Takes nothing yet. Throws CudaError where there is no such GPU.
  explicit Gpu(int device = 0, std::size_t memory = 0);

  int device() const;
  std::string name() const;  ///< as the driver calls it
  /// Bytes that may be taken, and that are.
  std::size_t memory_limit() const;
  std::size_t memory_used() const;

  /// For the library's own use.
  Resources& resources() const { return *resources_; }

 private:
  std::shared_ptr<Resources> resources_;
};

}  // namespace warpdex
