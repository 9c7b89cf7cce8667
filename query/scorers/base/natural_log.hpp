// The natural logarithm of query likelihood, for the CPU and the GPU. Both compile this function,
// and neither may contract its operations, so their results are the same to the bit. Internal.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex {

/// The logarithm of a finite float of 0 or more, rounded to float; minus infinity of 0. The error
/// is below 0.503 units in the last place. The result never falls as the argument rises: before it
/// is rounded, the error is below 2^-36, and the logarithms of neighbouring floats differ by 2^-25
/// or more.
///
/// The argument is 2^e * m with m in [0.75, 1.5). For each of 64 intervals of m there is a factor c
/// near 1/m of so few bits that r = m * c - 1 is exact. Then log(m) = log(1 + r) - log(c). The two
/// intervals beside 1 have c = 1, so that nothing cancels there. |r| is at most 1/64; the series of
/// log(1 + r) ends with r^5.
WARPDEX_HOST_DEVICE inline float natural_log(float argument) {
  struct Interval {
    double factor;     ///< c
    double minus_log;  ///< -log(c)
  };
  constexpr std::uint32_t kIntervalBits = 6;
  static constexpr Interval kIntervals[1U << kIntervalBits] = {
      {5433 / 4096.0, -0.28248057983217933},
      {5377 / 4096.0, -0.27211971009033437},
      {5323 / 4096.0, -0.2620261664534137},
      {5269 / 4096.0, -0.25182970348994205},
      {5217 / 4096.0, -0.24191163630304902},
      {5165 / 4096.0, -0.2318942148343952},
      {5115 / 4096.0, -0.22216651166638315},
      {5066 / 4096.0, -0.21254066384227682},
      {5017 / 4096.0, -0.20282125776490925},
      {4970 / 4096.0, -0.1934089523713307},
      {4923 / 4096.0, -0.18390721303885688},
      {4877 / 4096.0, -0.17451938899070887},
      {4832 / 4096.0, -0.16524957289530717},
      {4788 / 4096.0, -0.15610189995852006},
      {4745 / 4096.0, -0.14708054432468454},
      {4702 / 4096.0, -0.13797706238067112},
      {4660 / 4096.0, -0.12900456040034786},
      {4619 / 4096.0, -0.12016734371126167},
      {4579 / 4096.0, -0.11146974593775175},
      {4539 / 4096.0, -0.10269583573712189},
      {4500 / 4096.0, -0.09406650903906741},
      {4462 / 4096.0, -0.08558620827313411},
      {4424 / 4096.0, -0.07703337648282702},
      {4387 / 4096.0, -0.06863473444687027},
      {4351 / 4096.0, -0.06039481600133639},
      {4315 / 4096.0, -0.05208643679818461},
      {4280 / 4096.0, -0.04394212185649876},
      {4245 / 4096.0, -0.03573093202610398},
      {4211 / 4096.0, -0.02768926144258406},
      {4178 / 4096.0, -0.019821775397167382},
      {4145 / 4096.0, -0.011891900850051635},
      {4096 / 4096.0, 0.0},
      {4096 / 4096.0, 0.0},
      {4002 / 4096.0, 0.023216651575664993},
      {3942 / 4096.0, 0.0383226790066782},
      {3884 / 4096.0, 0.053145337308128184},
      {3827 / 4096.0, 0.06792968129364145},
      {3772 / 4096.0, 0.0824055229659956},
      {3718 / 4096.0, 0.09682499843795439},
      {3666 / 4096.0, 0.11090973831969339},
      {3616 / 4096.0, 0.1246424452072766},
      {3567 / 4096.0, 0.1382859813604522},
      {3519 / 4096.0, 0.15183402939775856},
      {3472 / 4096.0, 0.16528009093910292},
      {3427 / 4096.0, 0.17832564484473487},
      {3383 / 4096.0, 0.19124799793863523},
      {3339 / 4096.0, 0.2043395267756892},
      {3297 / 4096.0, 0.21699792364761267},
      {3256 / 4096.0, 0.2295114395969128},
      {3216 / 4096.0, 0.24187253642048673},
      {3178 / 4096.0, 0.25375881962268243},
      {3139 / 4096.0, 0.26610660987739015},
      {3102 / 4096.0, 0.2779638229828596},
      {3066 / 4096.0, 0.2896371072875843},
      {3031 / 4096.0, 0.3011182896615406},
      {2996 / 4096.0, 0.31273282208223363},
      {2962 / 4096.0, 0.3241461718915996},
      {2929 / 4096.0, 0.3353498198916102},
      {2897 / 4096.0, 0.34633516894999333},
      {2865 / 4096.0, 0.35744253757050376},
      {2834 / 4096.0, 0.36832174646871796},
      {2804 / 4096.0, 0.378963918564863},
      {2774 / 4096.0, 0.3897205658445668},
      {2745 / 4096.0, 0.40022981277571273},
  };
  constexpr double kLogOfTwo = 0.6931471805599453;
  constexpr std::uint32_t kMantissaBits = 23;
  constexpr std::uint32_t kSmallestNormal = 1U << kMantissaBits;
  constexpr std::uint32_t kThreeQuarters = 0x3F400000;

  auto bits = __builtin_bit_cast(std::uint32_t, argument);
  std::int32_t exponent = 0;
  if (bits < kSmallestNormal) {
    if (bits == 0) return -__builtin_huge_valf();
    bits = __builtin_bit_cast(std::uint32_t, argument * static_cast<float>(1U << kMantissaBits));
    exponent = -static_cast<std::int32_t>(kMantissaBits);
  }
  const std::uint32_t above = bits - kThreeQuarters;  // negative numbers wrap around
  const std::int32_t steps = static_cast<std::int32_t>(above) >> kMantissaBits;
  exponent += steps;
  const Interval& interval =
      kIntervals[above >> (kMantissaBits - kIntervalBits) & ((1U << kIntervalBits) - 1)];
  const std::uint32_t reduced = bits - (static_cast<std::uint32_t>(steps) << kMantissaBits);
  const double r = static_cast<double>(__builtin_bit_cast(float, reduced)) * interval.factor - 1.0;
  const double square = r * r;
  const double series =
      r + square * (((1.0 / 3.0) * r - 1.0 / 2.0) + square * ((1.0 / 5.0) * r - 1.0 / 4.0));
  return static_cast<float>((exponent * kLogOfTwo + interval.minus_log) + series);
}

}  // namespace warpdex
