// The form of the panel product for any processor, and the choice among the forms.
#include "product/product_kernels.hpp"

#include <array>

#include "warpdex/core/cpu_features.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kQueries = 4;
constexpr std::size_t kVectors = 8;

bool match(const float* query_panel, const float* vector_panel, std::size_t depth,
           const float* offsets, const float* limits, float* sums, std::uint32_t* masks) {
  std::array<std::array<float, kVectors>, kQueries> products{};
  for (std::size_t c = 0; c < depth; ++c) {
    for (std::size_t i = 0; i < kQueries; ++i) {
      const float component = query_panel[c * kQueries + i];
      for (std::size_t j = 0; j < kVectors; ++j) {
        products[i][j] += component * vector_panel[c * kVectors + j];
      }
    }
  }
  bool any = false;
  for (std::size_t i = 0; i < kQueries; ++i) {
    masks[i] = 0;
    for (std::size_t j = 0; j < kVectors; ++j) {
      const float sum = products[i][j] + offsets[j];
      sums[i * kVectors + j] = sum;
      if (!(sum > limits[i])) masks[i] |= 1U << j;
    }
    any = any || masks[i] != 0;
  }
  return any;
}

}  // namespace

const ProductKernels kBaselineProducts{kQueries, kVectors, match};

const ProductKernels& product_kernels() {
#if defined(__x86_64__)
  switch (isa()) {
    case Isa::kAvx512: return kAvx512Products;
    case Isa::kAvx2: return kAvx2Products;
    case Isa::kBaseline: break;
  }
#endif
  return kBaselineProducts;
}

}  // namespace warpdex::vector
