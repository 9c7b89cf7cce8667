// What searchers see of a snapshot's positions on a GPU. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/query/gpu/gpu_positions.hpp"

namespace warpdex {

struct GpuPositions::State {
  /// `before` is of an earlier snapshot, or null.
  State(const GpuSnapshot& uploaded, const State* before);

  /// A segment's sections of positions. Pointers are the GPU's.
  struct Uploaded {
    /// Without memory if there is too little.
    Uploaded(std::shared_ptr<const Index> from, Resources& resources);

    std::shared_ptr<const Index> index;
    AccountedBuffer bytes;
    const std::uint8_t* short_positions = nullptr;
    const std::uint32_t* starts = nullptr;
    const std::uint32_t* bases = nullptr;
    const std::uint16_t* offsets = nullptr;
    const std::uint8_t* codes = nullptr;
    const std::uint8_t* positions = nullptr;
  };

  static std::shared_ptr<const Uploaded> find(const Index& index, const State* before);

  GpuSnapshot snapshot;
  /// Of those segments of the snapshot that have documents.
  std::vector<std::size_t> numbers;
  std::vector<std::shared_ptr<const Uploaded>> segments;  ///< none where they are not resident
  bool is_resident = false;
  std::size_t memory = 0;
  std::size_t new_memory = 0;
};

}  // namespace warpdex
