// Tests of the panel product: sums within the error that is promised, masks as the sums say.
#include "product/product_kernels.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex::vector {
namespace {

std::vector<const ProductKernels*> forms() {
  std::vector<const ProductKernels*> result{&kBaselineProducts};
#if defined(__x86_64__)
  if (isa() >= Isa::kAvx2) result.push_back(&kAvx2Products);
  if (isa() >= Isa::kAvx512) result.push_back(&kAvx512Products);
#endif
  return result;
}

struct Panels {
  Panels(const ProductKernels& form, std::size_t depth, std::uint64_t stream)
      : queries(form.queries * depth), vectors(form.vectors * depth), offsets(form.vectors) {
    auto random = test::generator(stream);
    std::normal_distribution<float> normal;
    for (auto* values : {&queries, &vectors, &offsets}) {
      for (float& value : *values) value = normal(random);
    }
  }
  std::vector<float> queries;
  std::vector<float> vectors;
  std::vector<float> offsets;
};

TEST(ProductKernels, SumsAreWithinTheirErrorAndMasksFollowThem) {
  for (const ProductKernels* form : forms()) {
    ASSERT_LE(form->queries, kMaxPanelQueries);
    ASSERT_LE(form->vectors, kMaxPanelVectors);
    for (const std::size_t depth : {1, 2, 31, 32, 33, 128, 960, 4096}) {
      const Panels panels(*form, depth, depth);
      std::vector<float> sums(form->queries * form->vectors);
      std::vector<std::uint32_t> masks(form->queries);
      const std::vector<float> all(form->queries, reference::kInfinity);
      ASSERT_TRUE(form->match(panels.queries.data(), panels.vectors.data(), depth,
                              panels.offsets.data(), all.data(), sums.data(), masks.data()));
      std::vector<float> limits;
      for (std::size_t i = 0; i < form->queries; ++i) {
        for (std::size_t j = 0; j < form->vectors; ++j) {
          double exact = 0;
          double magnitude = 0;
          for (std::size_t c = 0; c < depth; ++c) {
            const double term = double{panels.queries[c * form->queries + i]} *
                                double{panels.vectors[c * form->vectors + j]};
            exact += term;
            magnitude += std::abs(term);
          }
          const double error =
              (static_cast<double>(depth) * magnitude + std::abs(exact) + 4) * 0x1p-24;
          EXPECT_NEAR(sums[i * form->vectors + j], exact + double{panels.offsets[j]}, error);
        }
        limits.push_back(sums[i * form->vectors + i % form->vectors]);
      }
      std::vector<float> again(sums.size());
      form->match(panels.queries.data(), panels.vectors.data(), depth, panels.offsets.data(),
                  limits.data(), again.data(), masks.data());
      for (std::size_t i = 0; i < form->queries; ++i) {
        for (std::size_t j = 0; j < form->vectors; ++j) {
          const float sum = sums[i * form->vectors + j];
          EXPECT_EQ((masks[i] >> j & 1) != 0, sum <= limits[i]);
          EXPECT_EQ(again[i * form->vectors + j], sum);
        }
      }
    }
  }
}

TEST(ProductKernels, NothingMatchesBelowTheSmallestLimitAndNanAlwaysDoes) {
  for (const ProductKernels* form : forms()) {
    Panels panels(*form, 8, 99);
    std::vector<float> sums(form->queries * form->vectors);
    std::vector<std::uint32_t> masks(form->queries, 1);
    const std::vector<float> none(form->queries, -reference::kInfinity);
    EXPECT_FALSE(form->match(panels.queries.data(), panels.vectors.data(), 8, panels.offsets.data(),
                             none.data(), sums.data(), masks.data()));
    for (const std::uint32_t mask : masks) EXPECT_EQ(mask, 0U);
    panels.vectors[3] = std::numeric_limits<float>::quiet_NaN();  // component 0 of vector 3
    EXPECT_TRUE(form->match(panels.queries.data(), panels.vectors.data(), 8, panels.offsets.data(),
                            none.data(), sums.data(), masks.data()));
    for (const std::uint32_t mask : masks) EXPECT_EQ(mask, 8U);
  }
}

}  // namespace
}  // namespace warpdex::vector
