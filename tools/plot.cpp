// Draws charts as SVG.
#include "plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "text.hpp"

namespace warpdex::tools {
namespace {

// Pixels. A panel is a box of axes with room around it for labels and, below, its legend.
constexpr double kPanelWidth = 560;
constexpr double kPanelHeight = 440;
constexpr double kLeft = 70;
constexpr double kRight = 20;
constexpr double kTop = 44;
constexpr double kBottom = 120;
constexpr double kAxisWidth = kPanelWidth - kLeft - kRight;
constexpr double kAxisHeight = kPanelHeight - kTop - kBottom;
constexpr int kLegendColumns = 4;

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

/// A step of 1, 2 or 5 times a power of ten that gives about five grid lines up to `highest`.
double grid_step(double highest) {
  const double rough = highest / 5;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (rough <= factor * power) return factor * power;
  }
  return 10 * power;
}

class PanelDrawing {
 public:
  PanelDrawing(const PlotPanel& panel, double x_offset) : panel_(panel), x0_(x_offset + kLeft) {
    double highest = 0;
    for (std::size_t i = 0; i < panel.categories.size(); ++i) {
      highest = std::max(highest, tallest(i));
    }
    step_ = grid_step(highest > 0 ? highest : 1);
    top_value_ = step_ * std::max(1.0, std::ceil(highest / step_));
  }

  std::string draw() {
    text(x0_, 24, panel_.title, "start", "font-weight='bold'");
    draw_grid();
    panel_.kind == PlotPanel::Kind::kStackedBars ? draw_bars() : draw_lines();
    draw_categories();
    draw_legend();
    return std::move(out_);
  }

 private:
  double tallest(std::size_t category) const {
    double sum = 0;
    double highest = 0;
    for (const PlotSeries& series : panel_.series) {
      const double value = series.values[category];
      if (std::isnan(value)) continue;
      sum += value;
      highest = std::max(highest, value);
    }
    return panel_.kind == PlotPanel::Kind::kStackedBars ? sum : highest;
  }

  double slot() const {
    return kAxisWidth / static_cast<double>(std::max<std::size_t>(1, panel_.categories.size()));
  }
  double centre(std::size_t category) const {
    return x0_ + slot() * (static_cast<double>(category) + 0.5);
  }
  double height(double value) const { return kTop + kAxisHeight * (1 - value / top_value_); }

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
    const int decimals = step_ >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step_)));
    for (int i = 0; step_ * i <= top_value_ * 1.001; ++i) {
      const double y = height(step_ * i);
      line(x0_, y, x0_ + kAxisWidth, y, i == 0 ? "stroke='#333'" : "stroke='#ddd'");
      text(x0_ - 8, y + 4, fixed(step_ * i, decimals), "end");
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
  }

  void draw_lines() {
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      const std::string colour = kColours[s % kColours.size()];
      std::string points;
      for (std::size_t i = 0; i < panel_.categories.size(); ++i) {
        const double value = panel_.series[s].values[i];
        if (std::isnan(value)) continue;
        points += number(centre(i)) + "," + number(height(value)) + " ";
        out_ += "<circle cx='" + number(centre(i)) + "' cy='" + number(height(value)) +
                "' r='3' fill='" + colour + "'/>\n";
      }
      out_ += "<polyline points='" + points + "' fill='none' stroke='" + colour +
              "' stroke-width='1.8'/>\n";
    }
  }

  void draw_categories() {
    const double y = kTop + kAxisHeight;
    for (std::size_t i = 0; i < panel_.categories.size(); ++i) {
      text(centre(i), y + 18, panel_.categories[i], "middle");
    }
    text(x0_ + kAxisWidth / 2, y + 40, panel_.x_label, "middle");
  }

  void draw_legend() {
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      const auto column = static_cast<double>(s % kLegendColumns);
      const auto row = static_cast<double>(s / kLegendColumns);
      const double x = x0_ + column * kAxisWidth / kLegendColumns;
      const double y = kTop + kAxisHeight + 62 + row * 20;
      box(x, y, 11, 11, kColours[s % kColours.size()]);
      text(x + 17, y + 10, panel_.series[s].name, "start");
    }
  }

  const PlotPanel& panel_;
  double x0_;
  double step_ = 1;
  double top_value_ = 1;
  std::string out_;
};

}  // namespace

std::string to_svg(const std::vector<PlotPanel>& panels) {
  const double width = kPanelWidth * static_cast<double>(panels.size());
  std::string svg = "<svg xmlns='http://www.w3.org/2000/svg' width='" + number(width) +
                    "' height='" + number(kPanelHeight) + "' viewBox='0 0 " + number(width) + " " +
                    number(kPanelHeight) +
                    "' font-family='sans-serif' font-size='12' fill='#222'>\n"
                    "<rect width='100%' height='100%' fill='white'/>\n";
  for (std::size_t i = 0; i < panels.size(); ++i) {
    svg += PanelDrawing(panels[i], kPanelWidth * static_cast<double>(i)).draw();
  }
  return svg + "</svg>\n";
}

}  // namespace warpdex::tools
