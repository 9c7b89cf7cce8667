// The kernels that train and encode: residuals, rotated; nearest codewords; codewords moved; terms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Rows less others. Groups of 32 rows share the one that is taken from them.
struct SubtractTask {
  const float* rows;  ///< `dimension` floats each, without gaps
  std::uint32_t count;
  std::uint32_t dimension;
  /// Rows of `dimension` floats; null: nothing is taken away.
  const float* taken;
  const std::uint32_t* which;  ///< row of `taken` for each group; null: the first for all
  const std::uint32_t* sizes;  ///< rows of each group that are there; null: all
  float* out = nullptr;        ///< `count` rows, zeros where there is none
  std::uint32_t stride = 0;    ///< of `out`: `dimension` or more, with zeros behind
};

/// Queues the subtraction.
void subtract_rows(const SubtractTask& task, const Stream& stream);

/// A rotation in GPU memory: `rows` of `dimension` floats.
struct DeviceRotation {
  const float* values = nullptr;
  std::uint32_t dimension = 0;
  std::uint32_t rows = 0;  ///< `dimension` or fewer
};

/// Queues the rotation of `count` rows, `stride` floats apart with zeros behind their dimension, a
/// multiple of 32: out[row][i] is the canonical product of row i of the rotation and the row, as
/// rotate() has it. `out` has the same stride and must not be `rows`; floats behind those of the
/// rotation's rows are not written. `rows` has memory for `count` rounded up to a multiple of 4.
void rotate_rows(const float* rows, std::uint32_t count, std::uint32_t stride,
                 const DeviceRotation& rotation, float* out, const Stream& stream);

/// Vectors in GPU memory, rotated already.
struct CodedVectors {
  const float* values = nullptr;
  std::uint32_t count = 0;
  std::uint32_t stride = 0;  ///< floats from one to the next
};

/// A ProductQuantizer of vectors that are rotated already, whose codebooks are in GPU memory.
struct DeviceQuantizer {
  const float* codebooks = nullptr;
  std::uint32_t dimension = 0;  ///< coded_dimension()
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
  std::uint32_t dimension;     ///< of vectors
  const std::uint8_t* codes;   ///< groups
  const std::uint32_t* sizes;  ///< of each group
  const std::uint32_t* lists;  ///< of each group
  const float* whole;          ///< the centroids, not rotated: `dimension` floats each
  const float* centroids;      ///< less the centre, rotated: rows of `stride` floats
  std::uint32_t stride;
  std::uint32_t groups;
  DeviceQuantizer quantizer;
  bool is_l2;
  float* terms;  ///< 32 a group; those of places without a vector are not written
};

/// Queues the computation of ResidualEncoder's terms or, for products, length ratios, to the bit.
void find_terms(const TermTask& task, const Stream& stream);

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

struct ResidualTermsTask {
  const float* residuals;  ///< not rotated
  std::uint32_t stride;    ///< floats from one to the next
  std::uint32_t count;
  std::uint32_t dimension;
  const std::uint32_t* lists;  ///< of each 32 residuals
  const float* centroids;      ///< `dimension` floats each, without gaps
  const float* centre;         ///< null: the origin
  bool is_l2;
  float* terms;  ///< `count` of them
};

/// Queues the computation, to the bits of ResidualBitEncoder. O(count * dimension).
void find_residual_terms(const ResidualTermsTask& task, const Stream& stream);

}  // namespace warpdex::vector
