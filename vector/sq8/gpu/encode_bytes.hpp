// Vectors of lists to bytes.
#pragma once

#include <cstdint>

#include "sq8/gpu/byte_codes.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Groups of 32 places.
struct EncodeBytesTask {
  const float* rows;           ///< `dimension` floats a place, without gaps
  const std::uint32_t* lists;  ///< of each group
  const std::uint32_t* sizes;  ///< the first so many places of each group have a vector
  std::uint32_t groups;
  const float* centroids;   ///< `dimension` floats each, without gaps
  const float* centre;      ///< null: the origin
  const ByteScale* scales;  ///< of each list
  std::uint32_t dimension;
  std::uint8_t* codes;  ///< as CodeGroups has them
  float* terms;         ///< one a place; null: none are wanted
};

/// Queues the encoding, to the bits of ResidualByteEncoder. O(groups * dimension).
void encode_bytes(const EncodeBytesTask& task, const Stream& stream);

}  // namespace warpdex::vector
