// Tests of the canonical distances: all forms give the same bits, which are those of the order that
// distance_kernels.hpp describes, and are near the true distances.
#include "distance/distance_kernels.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/cpu_features.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

using reference::canonical;

std::vector<const DistanceKernels*> forms() {
  std::vector<const DistanceKernels*> result{&kBaselineDistances};
#if defined(__x86_64__)
  if (isa() >= Isa::kAvx2) result.push_back(&kAvx2Distances);
  if (isa() >= Isa::kAvx512) result.push_back(&kAvx512Distances);
#endif
  return result;
}

class Distances : public testing::TestWithParam<std::size_t> {};

TEST_P(Distances, AllFormsGiveTheBitsOfTheCanonicalOrder) {
  const std::size_t dimension = GetParam();
  auto random = test::generator(dimension);
  std::normal_distribution<float> normal(3, 10);
  for (const std::size_t count : {0, 1, 2, 3, 4, 5, 7, 8, 9}) {
    const std::size_t stride = dimension + count % 3;
    std::vector<float> query(padded(dimension));
    for (std::size_t c = 0; c < dimension; ++c) query[c] = normal(random);
    std::vector<float> rows(count * stride);
    for (float& value : rows) value = normal(random);
    std::vector<std::uint16_t> halves(rows.size());
    to_half(rows, halves.data());
    std::vector<float> rounded(rows.size());
    to_float(halves, rounded.data());
    const std::span<const float> x(query.data(), dimension);
    for (const DistanceKernels* form : forms()) {
      std::vector<float> out(4 * count);
      form->l2_float(query.data(), dimension, rows.data(), stride, count, out.data());
      form->product_float(query.data(), dimension, rows.data(), stride, count, out.data() + count);
      form->l2_half(query.data(), dimension, halves.data(), stride, count, out.data() + 2 * count);
      form->product_half(query.data(), dimension, halves.data(), stride, count,
                         out.data() + 3 * count);
      for (std::size_t i = 0; i < count; ++i) {
        const std::span<const float> y(rows.data() + i * stride, dimension);
        const std::span<const float> z(rounded.data() + i * stride, dimension);
        for (const auto& [place, expected] : {std::pair{i, canonical(x, y, true)},
                                              {count + i, canonical(x, y, false)},
                                              {2 * count + i, canonical(x, z, true)},
                                              {3 * count + i, canonical(x, z, false)}}) {
          EXPECT_EQ(std::bit_cast<std::uint32_t>(out[place]),
                    std::bit_cast<std::uint32_t>(expected))
              << "form " << form->l2_float << ", " << dimension << " components, place " << place;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, Distances,
                         testing::Values(1, 2, 3, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 100, 127,
                                         128, 129, 384, 784, 1000, 4095, 4096));

TEST(Distances, AreNearTheTruth) {
  auto random = test::generator(7);
  std::normal_distribution<float> normal;
  std::vector<float> x(960);
  std::vector<float> y(960);
  for (float& value : x) value = normal(random);
  for (float& value : y) value = normal(random);
  double truth = 0;
  for (std::size_t c = 0; c < x.size(); ++c) {
    truth += (double{x[c]} - double{y[c]}) * (double{x[c]} - double{y[c]});
  }
  float out = 0;
  distance_kernels().l2_float(x.data(), x.size(), y.data(), y.size(), 1, &out);
  EXPECT_NEAR(out, truth, truth * 1e-6);
}

}  // namespace
}  // namespace warpdex::vector
