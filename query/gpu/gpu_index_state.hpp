// What searchers see of an uploaded index. Internal.
#pragma once

#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"
#include "warpdex/query/gpu/layout.hpp"

namespace warpdex {

struct GpuIndex::State {
  State(const Index& uploaded, const GpuSettings& settings);

  /// Fills in where a long list's blocks are; pointers are the GPU's.
  void place(const PostingsEntry& entry, gpu::List& list) const;

  const Index& index;
  int device;
  std::size_t memory_limit = 0;
  DeviceBuffer bytes;  ///< all sections, each with its slack
  const std::uint32_t* last_docids = nullptr;
  const std::uint32_t* docid_bases = nullptr;
  const std::uint16_t* docid_offsets = nullptr;
  const std::uint8_t* docid_codes = nullptr;
  const std::uint8_t* docids = nullptr;
  const std::uint32_t* frequency_bases = nullptr;
  const std::uint16_t* frequency_offsets = nullptr;
  const std::uint8_t* frequency_codes = nullptr;
  const std::uint8_t* frequencies = nullptr;
  const ScoreBound* bounds = nullptr;
  const ScoreBound* range_bounds = nullptr;
  const std::uint32_t* lengths = nullptr;
  const std::uint8_t* length_codes = nullptr;
  const float* static_scores = nullptr;
  const float* static_bounds = nullptr;
  float largest_static = 0;
};

}  // namespace warpdex
