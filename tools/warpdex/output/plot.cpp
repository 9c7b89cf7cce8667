// Draws charts as SVG.
#include "output/plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "output/plot_axis.hpp"
#include "output/text.hpp"

namespace warpdex::tools {
namespace {

// Pixels. A panel is a box of axes with room around it for labels and, below, its legend.
constexpr double kPanelWidth = 560;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 44;
constexpr double kAxisWidth = kPanelWidth - kLeft - kRight;
constexpr double kAxisHeight = 276;
constexpr double kLegendTop = kTop + kAxisHeight + 62;
constexpr double kLegendRow = 20;
constexpr std::size_t kMaxLegendColumns = 4;
constexpr double kLetter = 6.5;  // of a legend, on average

// Okabe and Ito's colours, which people with any kind of colour vision tell apart.
constexpr std::array<const char*, 8> kColours{"#0072B2", "#E69F00", "#009E73", "#D55E00",
                                              "#CC79A7", "#56B4E9", "#8A7A00", "#555555"};

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string number(double value) { return fixed(value, 1); }

/// As many columns as the longest name leaves room for.
std::size_t legend_columns(const PlotPanel& panel) {
  std::size_t longest = 1;
  for (const PlotSeries& series : panel.series) longest = std::max(longest, series.name.size());
  const double width = 30 + kLetter * static_cast<double>(longest);
  return std::clamp<std::size_t>(static_cast<std::size_t>(kAxisWidth / width), 1,
                                 kMaxLegendColumns);
}

std::size_t legend_rows(const PlotPanel& panel) {
  const std::size_t columns = legend_columns(panel);
  return (panel.series.size() + columns - 1) / columns;
}

/// The highest value that is drawn, a stack's sum among them; 0 if there is none.
double highest_of(const PlotPanel& panel) {
  double highest = 0;
  for (std::size_t i = 0; i < panel.categories.size(); ++i) {
    double sum = 0;
    for (const PlotSeries& series : panel.series) {
      const double value = series.values[i];
      if (std::isnan(value)) continue;
      sum = panel.kind == PlotPanel::Kind::kStackedBars ? sum + value : value;
      highest = std::max(highest, sum);
    }
  }
  return highest;
}

bool is_point(const PlotSeries& series, std::size_t i) {
  return series.values[i] > 0 && std::isfinite(series.values[i]) && std::isfinite(series.places[i]);
}

/// The lowest and the highest number of all points of curves; 1 and 1 if there is none.
std::pair<double, double> range_of(const PlotPanel& panel,
                                   std::vector<double> PlotSeries::*numbers) {
  std::vector<double> all;
  for (const PlotSeries& series : panel.series) {
    for (std::size_t i = 0; i < series.values.size(); ++i) {
      if (is_point(series, i)) all.push_back((series.*numbers)[i]);
    }
  }
  if (all.empty()) return {1, 1};
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return {*low, *high};
}

PlotAxis value_axis(const PlotPanel& panel) {
  if (panel.kind != PlotPanel::Kind::kCurves) return PlotAxis::from_zero(highest_of(panel));
  const auto [low, high] = range_of(panel, &PlotSeries::values);
  return PlotAxis::logarithmic(low, high);
}

class PanelDrawing {
 public:
  PanelDrawing(const PlotPanel& panel, double x_offset)
      : panel_(panel), x0_(x_offset + kLeft), axis_(value_axis(panel)) {}

  std::string draw() {
    text(x0_, 24, panel_.title, "start", "font-weight='bold'");
    draw_grid();
    switch (panel_.kind) {
      case PlotPanel::Kind::kStackedBars: draw_bars(); break;
      case PlotPanel::Kind::kLines: draw_lines(); break;
      case PlotPanel::Kind::kCurves: draw_curves(); break;
    }
    text(x0_ + kAxisWidth / 2, kTop + kAxisHeight + 40, panel_.x_label, "middle");
    draw_legend();
    return std::move(out_);
  }

 private:
  double slot() const {
    return kAxisWidth / static_cast<double>(std::max<std::size_t>(1, panel_.categories.size()));
  }
  double centre(std::size_t category) const {
    return x0_ + slot() * (static_cast<double>(category) + 0.5);
  }
  double height(double value) const { return kTop + kAxisHeight * (1 - axis_.place(value)); }

  void text(double x, double y, const std::string& words, const std::string& anchor,
            const std::string& more = "") {
    out_ += "<text x='" + number(x) + "' y='" + number(y) + "' text-anchor='" + anchor + "' " +
            more + ">" + escaped(words) + "</text>\n";
  }
  void line(double x1, double y1, double x2, double y2, const std::string& style) {
    out_ += "<line x1='" + number(x1) + "' y1='" + number(y1) + "' x2='" + number(x2) + "' y2='" +
            number(y2) + "' " + style + "/>\n";
  }
  void box(double x, double y, double width, double tall, const std::string& colour) {
    out_ += "<rect x='" + number(x) + "' y='" + number(y) + "' width='" + number(width) +
            "' height='" + number(tall) + "' fill='" + colour + "'/>\n";
  }

  void draw_grid() {
    bool is_first = true;
    for (const PlotAxis::Mark& mark : axis_.marks()) {
      const double y = height(mark.value);
      line(x0_, y, x0_ + kAxisWidth, y, is_first ? "stroke='#333'" : "stroke='#ddd'");
      text(x0_ - 8, y + 4, mark.label, "end");
      is_first = false;
    }
    const std::string turned =
        "transform='rotate(-90 " + number(x0_ - 52) + " " + number(kTop + kAxisHeight / 2) + ")'";
    text(x0_ - 52, kTop + kAxisHeight / 2, panel_.y_label, "middle", turned);
  }

  void draw_bars() {
    const double width = slot() * 0.6;
    for (std::size_t i = 0; i < panel_.categories.size(); ++i) {
      double sum = 0;
      for (std::size_t s = 0; s < panel_.series.size(); ++s) {
        const double value = panel_.series[s].values[i];
        if (std::isnan(value)) continue;
        const double top = height(sum + value);
        box(centre(i) - width / 2, top, width, height(sum) - top, kColours[s % kColours.size()]);
        sum += value;
      }
      text(centre(i), height(sum) - 5, fixed(sum, 2), "middle");
    }
    draw_categories();
  }

  void draw_lines() {
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      const std::vector<double>& values = panel_.series[s].values;
      std::vector<std::pair<double, double>> points;
      for (std::size_t i = 0; i < panel_.categories.size(); ++i) {
        if (!std::isnan(values[i])) points.emplace_back(centre(i), height(values[i]));
      }
      join(points, s);
    }
    draw_categories();
  }

  void draw_curves() {
    const auto [low, high] = range_of(panel_, &PlotSeries::places);
    const PlotAxis across = PlotAxis::linear(low, high);
    for (const PlotAxis::Mark& mark : across.marks()) {
      const double x = x0_ + kAxisWidth * across.place(mark.value);
      line(x, kTop, x, kTop + kAxisHeight, "stroke='#ddd'");
      text(x, kTop + kAxisHeight + 18, mark.label, "middle");
    }
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      const PlotSeries& series = panel_.series[s];
      std::vector<std::pair<double, double>> points;
      for (std::size_t i = 0; i < series.values.size(); ++i) {
        if (!is_point(series, i)) continue;
        points.emplace_back(x0_ + kAxisWidth * across.place(series.places[i]),
                            height(series.values[i]));
      }
      join(points, s);
    }
  }

  /// A line of the look that series `s` has, with a dot at each point.
  void join(const std::vector<std::pair<double, double>>& points, std::size_t s) {
    std::string places;
    for (const auto& [x, y] : points) {
      places += number(x) + "," + number(y) + " ";
      out_ += "<circle cx='" + number(x) + "' cy='" + number(y) + "' r='3' fill='" +
              kColours[s % kColours.size()] + "'/>\n";
    }
    out_ += "<polyline points='" + places + "' fill='none' " + stroke(s) + "/>\n";
  }

  /// Where colours come again, lines are dashed.
  static std::string stroke(std::size_t s) {
    std::string style =
        std::string("stroke='") + kColours[s % kColours.size()] + "' stroke-width='1.8'";
    const std::size_t round = s / kColours.size();
    if (round > 0)
      style += " stroke-dasharray='" + std::to_string(std::max<std::size_t>(1, 8 / round)) + " 3'";
    return style;
  }

  void draw_categories() {
    const double y = kTop + kAxisHeight;
    for (std::size_t i = 0; i < panel_.categories.size(); ++i) {
      text(centre(i), y + 18, panel_.categories[i], "middle");
    }
  }

  void draw_legend() {
    const std::size_t columns = legend_columns(panel_);
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      const auto column = static_cast<double>(s % columns);
      const double x = x0_ + column * kAxisWidth / static_cast<double>(columns);
      const double y = kLegendTop + static_cast<double>(s / columns) * kLegendRow;
      if (panel_.kind == PlotPanel::Kind::kStackedBars) {
        box(x, y, 11, 11, kColours[s % kColours.size()]);
      } else {
        line(x, y + 6, x + 20, y + 6, stroke(s));
      }
      text(x + 25, y + 10, panel_.series[s].name, "start");
    }
  }

  const PlotPanel& panel_;
  double x0_;
  PlotAxis axis_;
  std::string out_;
};

}  // namespace

std::string to_svg(const std::vector<PlotPanel>& panels) {
  std::size_t rows = 2;
  for (const PlotPanel& panel : panels) rows = std::max(rows, legend_rows(panel));
  const double height = kLegendTop + kLegendRow * static_cast<double>(rows) + 18;
  const double width = kPanelWidth * static_cast<double>(panels.size());
  std::string svg = "<svg xmlns='http://www.w3.org/2000/svg' width='" + number(width) +
                    "' height='" + number(height) + "' viewBox='0 0 " + number(width) + " " +
                    number(height) +
                    "' font-family='sans-serif' font-size='12' fill='#222'>\n"
                    "<rect width='100%' height='100%' fill='white'/>\n";
  for (std::size_t i = 0; i < panels.size(); ++i) {
    svg += PanelDrawing(panels[i], kPanelWidth * static_cast<double>(i)).draw();
  }
  return svg + "</svg>\n";
}

}  // namespace warpdex::tools
