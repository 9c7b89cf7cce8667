// Chooses round numbers for an axis.
#include "output/plot_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "output/text.hpp"
#include "warpdex/core/number_text.hpp"

namespace warpdex::tools {
namespace {

/// 1, 2 or 5 times a power of ten that gives about five steps in `range`, which is above 0.
double round_step(double range) {
  const double rough = range / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

/// Ascending: the step is the sequence number of 1, 2, 5, 10, 20, ...
double round_number(int number) {
  constexpr std::array<double, 3> kFactors{1, 2, 5};
  const int power = static_cast<int>(std::floor(number / 3.0));
  return kFactors[static_cast<std::size_t>(number - 3 * power)] * std::pow(10, power);
}

/// 20000 as "20k".
std::string short_number(double value) {
  if (value >= 1e9) return fixed(value / 1e9, 0) + "G";
  if (value >= 1e6) return fixed(value / 1e6, 0) + "M";
  if (value >= 1e3) return fixed(value / 1e3, 0) + "k";
  return shortest(static_cast<float>(value));
}

}  // namespace

PlotAxis PlotAxis::from_zero(double highest) { return linear(0, highest > 0 ? highest : 1); }

PlotAxis PlotAxis::linear(double lowest, double highest) {
  const double range = highest - lowest;
  const double step = round_step(range > 0 ? range : std::max(1.0, std::abs(highest)));
  // A value that is a mark but for its rounding is that mark.
  const double first = std::floor(lowest / step + 1e-6);
  const double last = std::max(first + 1, std::ceil(highest / step - 1e-6));
  const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 1e-6));
  PlotAxis axis;
  for (double i = first; i <= last; ++i) {
    axis.marks_.push_back({i * step, fixed(i * step, decimals)});
  }
  return axis;
}

PlotAxis PlotAxis::logarithmic(double lowest, double highest) {
  int first = 3 * static_cast<int>(std::floor(std::log10(lowest)));
  while (round_number(first + 1) <= lowest) ++first;
  int last = first + 1;
  while (round_number(last) < highest) ++last;
  constexpr int kMaxLabels = 10;
  PlotAxis axis;
  axis.is_logarithmic_ = true;
  for (int i = first; i <= last; ++i) {
    const bool has_label = last - first < kMaxLabels || i % 3 == 0;
    axis.marks_.push_back({round_number(i), has_label ? short_number(round_number(i)) : ""});
  }
  return axis;
}

double PlotAxis::place(double value) const {
  const double low = marks_.front().value;
  const double high = marks_.back().value;
  if (!is_logarithmic_) return (value - low) / (high - low);
  return std::log(value / low) / std::log(high / low);
}

}  // namespace warpdex::tools
