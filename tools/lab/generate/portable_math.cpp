// Series that converge fast on small intervals; every operation here is exact or rounded by IEEE
// 754, and their order is fixed.
#include "generate/portable_math.hpp"

#include <bit>
#include <cmath>

namespace warpdex::generate {
namespace {

constexpr double kLn2 = 0.693147180559945309417;
constexpr double kHalfOfRoot = 0.398942280401432677940;  // 1 / sqrt(2 pi)

/// The share of the normal distribution below z, for |z| up to 6.
double normal_share(double z) {
  double term = z;
  double sum = z;
  for (int odd = 3; odd < 200; odd += 2) {
    term = term * z * z / odd;
    sum += term;
  }
  const double density = kHalfOfRoot * power_of_two(-z * z / (2 * kLn2));
  return 0.5 + sum * density;
}

NormalTable make_normal_table() {
  NormalTable table{};
  constexpr std::size_t kHalf = table.size() / 2;
  for (std::size_t i = 0; i < kHalf; ++i) {
    const double share = 0.5 + (static_cast<double>(i) + 0.5) / table.size();
    double low = 0;
    double high = 5;
    for (int step = 0; step < 40; ++step) {
      const double middle = (low + high) / 2;
      (normal_share(middle) < share ? low : high) = middle;
    }
    const auto value = static_cast<std::int16_t>(low * kNormalUnit + 0.5);
    table[kHalf + i] = value;
    table[kHalf - 1 - i] = static_cast<std::int16_t>(-value);
  }
  return table;
}

}  // namespace

double power_of_two(double x) {
  const double whole = std::floor(x + 0.5);
  const double rest = (x - whole) * kLn2;  // within 0.35
  double term = 1;
  double sum = 1;
  for (int i = 1; i < 18; ++i) {
    term = term * rest / i;
    sum += term;
  }
  return std::ldexp(sum, static_cast<int>(whole));
}

double logarithm(double x) {
  int exponent = 0;
  const double mantissa = std::frexp(x, &exponent);  // [0.5, 1)
  const double ratio = (mantissa - 0.75) / (mantissa + 0.75);
  const double square = ratio * ratio;  // up to 0.04
  double power_of_ratio = ratio;
  double sum = 0;
  for (int odd = 1; odd < 30; odd += 2) {
    sum += power_of_ratio / odd;
    power_of_ratio *= square;
  }
  constexpr double kLog2Of3Quarters = -0.415037499278843818546;
  return exponent + kLog2Of3Quarters + 2 * sum / kLn2;
}

const NormalTable& normal_table() {
  static const NormalTable table = make_normal_table();
  return table;
}

}  // namespace warpdex::generate
