// Inner products of a panel of queries with a panel of vectors, compared with limits while they are
// in registers, so that the matrix of products is never written.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex::vector {

/// A vector panel has no more vectors than there are bits in a mask.
inline constexpr std::size_t kMaxPanelVectors = 32;
inline constexpr std::size_t kMaxPanelQueries = 12;

/// One form for each of core's instruction sets. They add in different orders: what they give is
/// within depth * 2^-24 * (sum of |products|) of the exact sum, and no more is promised.
struct ProductKernels {
  std::size_t queries;  ///< in a query panel: component c of query i is at [c * queries + i]
  std::size_t vectors;  ///< in a vector panel: component c of vector j is at [c * vectors + j]

  /// sum(i, j) = the product of query i and vector j over `depth` components, plus offsets[j].
  /// Sets bit j of masks[i] unless sum(i, j) > limits[i], for all i and j of the panels (NaN is
  /// greater than nothing). Writes sums[i * vectors + j] for all j where masks[i] is not 0. Returns
  /// whether any mask is not 0.
  bool (*match)(const float* query_panel, const float* vector_panel, std::size_t depth,
                const float* offsets, const float* limits, float* sums, std::uint32_t* masks);
};

/// The form for this processor.
const ProductKernels& product_kernels();

/// One form each, for product_kernels() and for tests; those that this processor lacks must not be
/// called.
extern const ProductKernels kBaselineProducts;
#if defined(__x86_64__)
extern const ProductKernels kAvx2Products;
extern const ProductKernels kAvx512Products;
#endif

}  // namespace warpdex::vector
