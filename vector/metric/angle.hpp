// The angle between unit vectors out of the distance of their ends, by operations that every
// processor rounds alike, so that the CPU and the GPU give the same bits.
#pragma once

#include <cmath>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex::metric {

/// The arc sine of x from 0 to 1/2, by its series. What is left out is below 1e-11 of it.
WARPDEX_HOST_DEVICE inline double small_arc_sine(double x) {
  constexpr int kTerms = 16;
  // Term n is (2n - 1)^2 / (2n (2n + 1)) * x^2 times the one before; the first is x.
  double sum = 1;
  for (int n = kTerms; n >= 1; --n) {
    const double odd = 2 * n - 1;
    sum = std::fma(odd * odd / (2.0 * n * (2 * n + 1)) * (x * x), sum, 1.0);
  }
  return x * sum;
}

/// 2 asin(chord / 2): from 0 to pi. A chord past 2, or NaN, counts as 2.
WARPDEX_HOST_DEVICE inline float angle_of_chord(float chord) {
  constexpr double kPi = 3.14159265358979323846;
  const double x = double{chord} / 2;
  if (!(x < 1)) return static_cast<float>(kPi);
  if (x <= 0.5) return static_cast<float>(2 * small_arc_sine(x));
  // asin x = pi / 2 - 2 asin sqrt((1 - x) / 2).
  return static_cast<float>(kPi - 4 * small_arc_sine(std::sqrt((1 - x) / 2)));
}

}  // namespace warpdex::metric
