// The nearest codeword of each run of many vectors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Vectors in GPU memory, rotated already.
struct CodedVectors {
  const float* values = nullptr;
  std::uint32_t count = 0;
  std::uint32_t stride = 0;  ///< floats from one to the next
};

/// A ProductQuantizer whose codebooks are in GPU memory.
struct DeviceQuantizer {
  const float* codebooks = nullptr;
  std::uint32_t dimension = 0;
  std::uint32_t bytes = 0;
  std::uint32_t bits = 8;
};

/// Queues the search for the codewords: words[part * count + vector], as encode() has them.
void find_words(const CodedVectors& vectors, const DeviceQuantizer& quantizer, std::uint8_t* words,
                const Stream& stream);

/// Queues the encoding of groups of 32 vectors, as CodeGroups has them. Of group g the first
/// sizes[g] vectors are there; the places of the others get zeros. `vectors.count` is a multiple of
/// 32, `codes` is aligned to 4 bytes.
void encode_groups(const CodedVectors& vectors, const std::uint32_t* sizes,
                   const DeviceQuantizer& quantizer, std::uint8_t* codes, const Stream& stream);

/// What terms are made of.
struct TermTask {
  const float* rows;           ///< the vectors, for products: `dimension` floats each, without gaps
  const std::uint8_t* codes;   ///< groups
  const std::uint32_t* sizes;  ///< of each group
  const std::uint32_t* lists;  ///< of each group
  const float* centroids;      ///< less the centre, rotated: rows of `stride` floats
  std::uint32_t stride;
  std::uint32_t groups;
  DeviceQuantizer quantizer;
  bool is_l2;
  float* terms;  ///< 32 a group; those of places without a vector are not written
};

/// Queues the computation of ResidualEncoder's terms or, for products, length ratios, to the bit.
void find_terms(const TermTask& task, const Stream& stream);

}  // namespace warpdex::vector
