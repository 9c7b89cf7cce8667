// A GPU engine that several threads share. Internal.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <semaphore>
#include <span>

#include "warpdex/query/engine/engine.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"

namespace warpdex {

/// Any thread. Four batches are under way at a time; further ones wait.
class SharedGpuEngine {
 public:
  /// `blocks`: as GpuEngineSettings::blocks.
  explicit SharedGpuEngine(const GpuGroup& gpus, std::shared_ptr<const GpuBlocks> blocks = nullptr);

  /// Answers a batch, whose answers take() reads; later they are gone. `on_wait` is called now and
  /// then; a batch cannot be stopped. Throws as Engine does.
  void run(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings,
           const std::function<void(const BatchAnswers&)>& take,
           const std::function<void()>& on_wait = {});

 private:
  static constexpr std::ptrdiff_t kBatches = 4;

  BatchAnswers wait(Ticket ticket, const std::function<void()>& on_wait);

  std::mutex mutex_;  ///< of the engine
  GpuGroupEngine engine_;
  std::counting_semaphore<kBatches> rooms_{kBatches};
};

}  // namespace warpdex
