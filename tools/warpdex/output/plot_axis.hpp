// A chart's axis: where values lie on it, and which of them are marked.
#pragma once

#include <string>
#include <vector>

namespace warpdex::tools {

class PlotAxis {
 public:
  struct Mark {
    double value;
    std::string label;  ///< may be empty
  };

  /// From 0 to a mark at or past `highest`, which is 0 or more.
  static PlotAxis from_zero(double highest);
  /// Between marks at or around `lowest` and `highest`.
  static PlotAxis linear(double lowest, double highest);
  /// Likewise, logarithmic: marks are 1, 2 and 5 times powers of ten. Both are above 0.
  static PlotAxis logarithmic(double lowest, double highest);

  /// 0 for the low end to 1 for the high one.
  double place(double value) const;
  /// Ascending; the first and the last are the ends.
  const std::vector<Mark>& marks() const { return marks_; }

 private:
  bool is_logarithmic_ = false;
  std::vector<Mark> marks_;
};

}  // namespace warpdex::tools
