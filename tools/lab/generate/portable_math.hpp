// Powers, logarithms and the normal distribution from additions, multiplications and divisions
// alone: those are rounded alike on every machine, the functions of a C library are not.
#pragma once

#include <array>
#include <cstdint>

namespace warpdex::generate {

/// 2^x for |x| below 1000, to about 1e-15 of it.
double power_of_two(double x);
/// The logarithm to base 2 of a finite x above 0, to about 1e-15.
double logarithm(double x);
/// x^y for x above 0.
inline double power(double x, double y) { return power_of_two(y * logarithm(x)); }

/// Equally likely values of the normal distribution, ascending: the middle of each of 4096 shares,
/// in units of kNormalUnit.
using NormalTable = std::array<std::int16_t, 4096>;
inline constexpr int kNormalBits = 12;
inline constexpr int kNormalUnit = 1024;  ///< one standard deviation
const NormalTable& normal_table();

}  // namespace warpdex::generate
