// Small charts as SVG: panels of stacked bars or of lines over named categories.
#pragma once

#include <string>
#include <vector>

namespace warpdex::tools {

struct PlotSeries {
  std::string name;
  std::vector<double> values;  ///< one a category, 0 or more; NaN: no value there
};

struct PlotPanel {
  enum class Kind { kStackedBars, kLines };
  Kind kind = Kind::kLines;
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<std::string> categories;
  std::vector<PlotSeries> series;
};

/// The panels side by side, with axes from 0, grid lines and a legend each.
std::string to_svg(const std::vector<PlotPanel>& panels);

}  // namespace warpdex::tools
