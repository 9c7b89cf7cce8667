// Codewords of all runs moved to the means of their points.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pq/gpu/encode_runs.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// The state of a training in GPU memory.
struct CodebookTraining {
  CodedVectors points;
  DeviceQuantizer quantizer;  ///< its codebooks are those that move
  float* codebooks;           ///< the same
  const std::uint8_t* words;  ///< of each run, of each point: find_words()
  std::uint32_t* sizes;       ///< of each run, of each codeword: how many points
};

/// Queues the moving of each codeword to the mean of its points, whose sum is made in double
/// precision in their order; those without points stay. Sets `sizes`, but for runs without
/// components.
void move_codewords(const CodebookTraining& training, const Stream& stream);

/// A codeword that takes half of the points of another one.
struct CodewordRepair {
  std::uint32_t cluster;
  std::uint32_t parted;
  std::uint32_t member;  ///< of the points of `parted`, from 0
};

/// Queues the repairs of all runs: those of run p are [begins[p], begins[p + 1]), in order.
void repair_codewords(const CodebookTraining& training, const CodewordRepair* repairs,
                      const std::uint32_t* begins, const Stream& stream);

}  // namespace warpdex::vector
