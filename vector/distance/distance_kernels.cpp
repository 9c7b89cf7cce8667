// The form of the distances for any processor, and the choice among the forms.
#include "distance/distance_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "warpdex/core/cpu_features.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

using Lanes = std::array<float, kLanes>;

float add_lanes(Lanes& lanes) {
  for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
    for (std::size_t lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
  }
  return lanes[0];
}

/// The next kLanes components of a row, of which `count` exist.
void load(const float* row, std::size_t count, Lanes& values) {
  std::copy_n(row, count, values.begin());
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), 0.0F);
}

void load(const std::uint16_t* row, std::size_t count, Lanes& values) {
  to_float({row, count}, values.data());
  std::fill(values.begin() + static_cast<std::ptrdiff_t>(count), values.end(), 0.0F);
}

struct SquaredDifference {
  static float add(float x, float y, float sum) { return std::fma(x - y, x - y, sum); }
};

struct Product {
  static float add(float x, float y, float sum) { return std::fma(x, y, sum); }
};

template <class Term, class Component>
void distances(const float* query, std::size_t dimension, const Component* rows, std::size_t stride,
               std::size_t count, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const Component* const row = rows + i * stride;
    Lanes sums{};
    Lanes values;
    for (std::size_t begin = 0; begin < dimension; begin += kLanes) {
      load(row + begin, std::min(kLanes, dimension - begin), values);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] = Term::add(query[begin + lane], values[lane], sums[lane]);
      }
    }
    out[i] = add_lanes(sums);
  }
}

}  // namespace

const DistanceKernels kBaselineDistances{
    distances<SquaredDifference, float>, distances<Product, float>,
    distances<SquaredDifference, std::uint16_t>, distances<Product, std::uint16_t>};

const DistanceKernels& distance_kernels() {
#if defined(__x86_64__)
  switch (isa()) {
    case Isa::kAvx512: return kAvx512Distances;
    case Isa::kAvx2: return kAvx2Distances;
    case Isa::kBaseline: break;
  }
#endif
  return kBaselineDistances;
}

}  // namespace warpdex::vector
