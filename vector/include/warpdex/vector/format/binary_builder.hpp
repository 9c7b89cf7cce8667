// Binary codes built in memory, from vectors in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "warpdex/vector/binary/binary_settings.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"

namespace warpdex::vector {

/// Binary codes that own all but the vectors and their norms. Members are as in BinaryVectors and
/// BinaryQuantizer.
struct OwnedBinaryVectors {
  std::size_t bits = 4;
  float scale = 1;
  bool is_corrected = false;
  std::vector<float> centre;
  std::vector<float> rotation;  ///< or none
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;    ///< of products; those of kL2 are the vectors' norms
  std::vector<float> factors;  ///< with corrections; else empty, as are residuals
  std::vector<float> residuals;
  FlatVectors vectors;  ///< those that it was built from

  /// For searchers. Valid while this and the vectors live and this is
  /// not moved.
  BinaryVectors view() const;
};

/// Builds in memory what VectorIndexWriter stores for the same rows and settings. `rows` are of
/// length 1 for kCosine, and have norms for kL2. Memory: the codes. Throws UsageError for settings
/// out of range; what `progress` and the functions of `device` throw; CudaError.
OwnedBinaryVectors build_binary(const FlatVectors& rows, const BinarySettings& settings,
                                const BuildProgress& progress = {}, const BuildDevice& device = {});

}  // namespace warpdex::vector
