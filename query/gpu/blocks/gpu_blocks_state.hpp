// Blocks of documents in GPU memory, as engines use them. Internal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/query/gpu/gpu_blocks.hpp"

namespace warpdex {

namespace gpu {

/// Those of a segment, and what they were uploaded from.
struct UploadedBlocks {
  UploadedBlocks(std::shared_ptr<const DocumentBlocks> from, Resources& resources);

  const std::shared_ptr<const DocumentBlocks> blocks;
  AccountedBuffer memory;
  const std::uint8_t* lists = nullptr;    ///< PlacedBlocks::lists
  const std::uint32_t* begins = nullptr;  ///< PlacedBlocks::begins
};

}  // namespace gpu

struct GpuBlocks::State {
  /// By segment.
  using OfGpu = std::vector<std::shared_ptr<const gpu::UploadedBlocks>>;

  /// Those on a GPU; null if there are none.
  const OfGpu* on(int device) const {
    const auto found = gpus.find(device);
    return found == gpus.end() ? nullptr : &found->second;
  }

  std::map<int, OfGpu> gpus;
};

}  // namespace warpdex
