// A GPU as a program shares it out: its memory under one budget.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace warpdex {

class DeviceBuffer;
class Resources;
class Stream;

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

/// What a GPU is, and whether it can search.
struct GpuFacts {
  int device = 0;      ///< from 0
  std::string name{};  ///< as the driver calls it
  int capability = 0;  ///< compute capability, 90 for 9.0
  int multiprocessors = 0;
  std::size_t memory = 0;         ///< bytes in all
  std::size_t free_memory = 0;    ///< bytes at present
  std::size_t shared_memory = 0;  ///< bytes that a block of threads may have
  /// The compute capability that this build's code for it was compiled for; 0: there is none.
  int code = 0;
  /// The driver compiles the code when it is first used, which takes up to minutes, and keeps it.
  bool code_by_driver = false;
  std::string why_unfit{};  ///< a sentence; empty: it can search
};

/// Of the GPU with this number, from 0. One that does not answer has a name of no letters.
GpuFacts gpu_facts(int device);
/// All GPUs that this process can see.
std::vector<GpuFacts> list_gpus();
/// Why there are none, as a sentence; empty where there are some.
std::string why_no_gpu();

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

/// Memory of one GPU, uninitialised, for queries and answers at device pointers. Move-only. Freeing
/// waits for the GPU, so no work can still use it.
class GpuMemory {
 public:
  /// Of no budget. Throws CudaError where there is no such GPU or too little memory.
  explicit GpuMemory(std::size_t bytes, int device = 0);
  ~GpuMemory();
  GpuMemory(GpuMemory&&) noexcept;
  GpuMemory& operator=(GpuMemory&&) noexcept;

  void* data() const;  ///< aligned to 256 bytes; null if the size is 0
  int device() const;

 private:
  std::unique_ptr<DeviceBuffer> buffer_;
};

/// A stream of a GPU, which a caller's own work can be ordered before. Move-only.
class GpuStream {
 public:
  /// Throws CudaError where there is no such GPU.
  explicit GpuStream(int device = 0);
  ~GpuStream();
  GpuStream(GpuStream&&) noexcept;
  GpuStream& operator=(GpuStream&&) noexcept;

  void* handle() const;  ///< the cudaStream_t
  /// Waits until all work that is queued in it has ended. Any thread. Throws CudaError if any of it
  /// failed.
  void wait() const;

 private:
  std::unique_ptr<Stream> stream_;
};

/// The same for a stream of the caller's, a cudaStream_t.
void wait_for_gpu(void* stream, int device);
/// The GPU whose memory a pointer points into; -1 where it is none's. Throws CudaError.
int gpu_of(const void* pointer);

}  // namespace warpdex
