// Small charts as SVG: panels of stacked bars or of lines over named categories, and of curves over
// numbers.
#pragma once

#include <string>
#include <vector>

namespace warpdex::tools {

struct PlotSeries {
  std::string name;
  /// NaN: no value there. Of kCurves above 0, one a place; else 0 or more, one a category.
  std::vector<double> values;
  /// Of kCurves: where the values lie on the x axis, in the order in which a line joins them.
  std::vector<double> places = {};
};

struct PlotPanel {
  /// kCurves has two axes of numbers, of which that of values is logarithmic.
  enum class Kind { kStackedBars, kLines, kCurves };
  Kind kind = Kind::kLines;
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> categories;  ///< not of kCurves
  std::vector<PlotSeries> series;
};

/// The panels side by side, with axes, grid lines and a legend each. Axes of kStackedBars and
/// kLines begin at 0.
std::string to_svg(const std::vector<PlotPanel>& panels);

}  // namespace warpdex::tools
