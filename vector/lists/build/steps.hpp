// The steps of a build: each by the GPU where that is possible, else by the CPU.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <typeinfo>
#include <utility>

#include "lists/build/gpu_steps.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"

namespace warpdex::vector {

/// What all steps of one build share.
class BuildSteps {
 public:
  BuildSteps(BuildProgress progress, BuildDevice device)
      : progress_(std::move(progress)), device_(std::move(device)) {}

  /// Throws what the listener throws.
  void tell(const char* stage, std::size_t done, std::size_t total) const {
    if (progress_) progress_(stage, done, total);
  }

  /// Calls on_gpu(GpuSteps&) or, where the GPU has too little memory or there is none, on_cpu().
  /// What on_gpu has changed before it throws Error, on_cpu must not rely on.
  template <class OnGpu, class OnCpu>
  void run(const char* name, const OnGpu& on_gpu, const OnCpu& on_cpu) {
    const auto start = std::chrono::steady_clock::now();
    const bool is_on_gpu = try_gpu(on_gpu);
    if (!is_on_gpu) on_cpu();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (device_.on_step) device_.on_step({name, passed.count(), is_on_gpu});
  }

  /// A step that only the CPU does.
  template <class OnCpu>
  void run_on_cpu(const char* name, const OnCpu& on_cpu) {
    const auto start = std::chrono::steady_clock::now();
    on_cpu();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (device_.on_step) device_.on_step({name, passed.count(), false});
  }

 private:
  template <class OnGpu>
  bool try_gpu(const OnGpu& on_gpu) {
    if (device_.gpu == nullptr) return false;
    try {
      if (!gpu_) gpu_ = std::make_unique<GpuSteps>(*device_.gpu);
      on_gpu(*gpu_);
      return true;
    } catch (const Error& error) {
      if (typeid(error) != typeid(Error)) throw;  // no lack of memory
      if (device_.on_cpu) device_.on_cpu(error);
      return false;
    }
  }

  BuildProgress progress_;
  BuildDevice device_;
  std::unique_ptr<GpuSteps> gpu_;  ///< made when first needed
};

}  // namespace warpdex::vector
