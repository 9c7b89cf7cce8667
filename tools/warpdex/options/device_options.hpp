// Where the work is done, CPU or GPU: the options of all commands that can do it on either.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "options/options.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/gpu.hpp"

namespace warpdex::tools {

/// Whether several GPUs can share a command's work, and whether they can do it as shards and
/// replicas of an index, where a GPU may be named several times.
enum class GpuCount { kOne, kSeveral, kShards };

/// A GPU that is to work.
struct GpuChoice {
  int device = 0;          ///< its number
  std::size_t memory = 0;  ///< bytes of it to take at most; 0: 90 % of what is free
};

/// What --device auto does, for --help: behind "auto: ".
inline constexpr const char* kAutoTakesOne =
    "the GPU if there is one that is fit and has memory enough, else the CPU, with a line that "
    "says why";
inline constexpr const char* kAutoTakesBoth =
    "both, if there is a GPU that is fit and has memory enough: the scheduler sends each query's "
    "words to the one that answers sooner, and vectors go to the GPU; else the CPU, with a line "
    "that says why";

/// Each GPU of a choice, with one account, however often it is there.
std::vector<Gpu> open_gpus(std::span<const GpuChoice> choice);

/// The options --device, --gpu-memory and, for several GPUs, --devices, --shards and --replicas.
/// Declared once, read after CommandLine::parse().
class DeviceOptions {
 public:
  explicit DeviceOptions(const char* what_auto_does = kAutoTakesOne)
      : what_auto_does_(what_auto_does) {}

  /// Adds the group "Device". `memory` is a sentence on what --gpu-memory means for the command.
  void add_to(CommandLine& command,
              const std::string& memory =
                  "What it does not hold of the index is read in the "
                  "host's memory",
              GpuCount count = GpuCount::kOne);

  /// Call it after parsing: --devices without --device means the GPU. Throws UsageError if the CPU
  /// is to work and an option for the GPU was given: one of this group, or of `gpu_options`.
  /// `command` is the one that they were added to.
  void check(const CommandLine& command, std::initializer_list<const char*> gpu_options = {});

  /// Into how many shards the GPUs of --devices cut the index: by default 1. Throws UsageError for
  /// what is no list, and where there are not as many GPUs as --shards and --replicas say.
  std::size_t shards() const;

  /// Calls `start` for each GPU that is to work, in turn, and returns whether they work. Where one
  /// cannot, `gpu` throws what `start` does, or CudaError that says why there is no GPU; `auto`
  /// takes the CPU and says so, as take_cpu() does, for a UsageError too. Throws UsageError for
  /// what is no device, no list or no size.
  bool start_gpu(const std::function<void(const GpuChoice&)>& start) const;

  /// Likewise calls `start` once, with all GPUs that are to work.
  bool start_gpus(const std::function<void(std::span<const GpuChoice>)>& start) const;

  /// Whether the user left the choice between CPU and GPU.
  bool is_auto() const { return device_ == "auto"; }

  /// For use where the GPU's work has thrown `error`, in the block that caught it. With `auto`, if
  /// it is the GPU's (CudaError, or an Error of no other type: too little memory), a line on
  /// standard error says that the CPU takes over, and why. Else throws it again.
  void take_cpu(const Error& error) const;

 private:
  static void say_cpu(const Error& error);
  /// Tells people at a terminal if the driver compiles code for one of them, which takes a while.
  static void say_code(std::span<const GpuChoice> gpus);

  const char* what_auto_does_;
  std::string device_ = "cpu";
  std::string gpu_memory_;
  std::string devices_ = "0";
  static constexpr std::int64_t kNotGiven = -1;
  std::int64_t shards_ = kNotGiven;
  std::int64_t replicas_ = kNotGiven;
  GpuCount count_ = GpuCount::kOne;
};

}  // namespace warpdex::tools
