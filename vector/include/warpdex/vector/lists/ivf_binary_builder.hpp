// An inverted file of binary codes built in memory, from vectors in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/vector/binary/binary_settings.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/lists/ivf_builder.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"

namespace warpdex::vector {

/// An inverted file of binary codes that owns all but the vectors. Members are as in
/// Lists<BinaryCoding> and BinaryQuantizer.
struct OwnedIvfBinaryVectors {
  OwnedLists lists;
  std::vector<std::uint64_t> group_begins;
  std::size_t bits = 4;
  float scale = 1;
  bool is_corrected = false;
  std::vector<float> rotation;  ///< or none
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
  std::vector<float> factors;  ///< with corrections; else empty
  FlatVectors vectors;         ///< those that it was built from

  /// For searchers. Valid while this and the vectors live and this
  /// is not moved.
  Lists<BinaryCoding> view() const;
};

/// Builds in memory what VectorIndexWriter stores for the same rows and settings. `rows` are as
/// build_ivf() takes them. Memory: the codes, the sample that centroids are trained on, 8 bytes a
/// row. Throws as build_ivf() does, and UsageError for bits or a share out of range.
OwnedIvfBinaryVectors build_ivf_binary(const FlatVectors& rows, const IvfSettings& settings,
                                       const BinarySettings& binary,
                                       const BuildProgress& progress = {},
                                       const BuildDevice& device = {});

}  // namespace warpdex::vector
