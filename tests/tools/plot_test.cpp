// Charts as SVG: axes, bars, lines and curves.
#include <gmock/gmock.h>

#include <cmath>
#include <string>
#include <vector>

#include "output/plot.hpp"
#include "output/plot_axis.hpp"

namespace warpdex::tools {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> labels_of(const PlotAxis& axis) {
  std::vector<std::string> labels;
  for (const PlotAxis::Mark& mark : axis.marks()) labels.push_back(mark.label);
  return labels;
}

/// What an attribute has wherever it is, in order.
std::vector<double> values_of(const std::string& svg, const std::string& attribute) {
  std::vector<double> values;
  const std::string mark = attribute + "='";
  for (std::size_t at = svg.find(mark); at != svg.npos; at = svg.find(mark, at + 1)) {
    values.push_back(std::stod(svg.substr(at + mark.size())));
  }
  return values;
}

TEST(PlotAxis, HasRoundMarksAroundItsValues) {
  EXPECT_THAT(labels_of(PlotAxis::from_zero(9.5)), ElementsAre("0", "2", "4", "6", "8", "10"));
  EXPECT_THAT(labels_of(PlotAxis::from_zero(0)),
              ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8", "1.0"));
  EXPECT_THAT(labels_of(PlotAxis::linear(0.31, 0.6)), ElementsAre("0.3", "0.4", "0.5", "0.6"));
  EXPECT_THAT(labels_of(PlotAxis::linear(0.97, 0.97)), ElementsAre("0.8", "1.0"));
  EXPECT_THAT(labels_of(PlotAxis::linear(1, 1)), ElementsAre("1.0", "1.2"));
  EXPECT_THAT(labels_of(PlotAxis::logarithmic(70, 2100)),
              ElementsAre("50", "100", "200", "500", "1k", "2k", "5k"));
  EXPECT_THAT(labels_of(PlotAxis::logarithmic(0.02, 0.02)), ElementsAre("0.02", "0.05"));
  EXPECT_THAT(labels_of(PlotAxis::logarithmic(1, 1e6)),
              ElementsAre("1", "", "", "10", "", "", "100", "", "", "1k", "", "", "10k", "", "",
                          "100k", "", "", "1M"));
}

TEST(PlotAxis, PlacesValuesBetweenItsEnds) {
  const PlotAxis linear = PlotAxis::linear(0.2, 1);
  EXPECT_NEAR(linear.place(0.2), 0, 1e-12);
  EXPECT_NEAR(linear.place(0.4), 0.25, 1e-12);
  EXPECT_NEAR(linear.place(1), 1, 1e-12);
  const PlotAxis logarithmic = PlotAxis::logarithmic(10, 1000);
  EXPECT_NEAR(logarithmic.place(10), 0, 1e-12);
  EXPECT_NEAR(logarithmic.place(100), 0.5, 1e-12);
  EXPECT_NEAR(logarithmic.place(1000), 1, 1e-12);
}

TEST(Plot, DrawsBarsInProportionAndEscapesText) {
  PlotPanel panel;
  panel.kind = PlotPanel::Kind::kStackedBars;
  panel.title = "a < b & c";
  panel.categories = {"one", "two"};
  panel.series = {{"s", {2, 4}}};
  const std::string svg = to_svg({panel});
  EXPECT_THAT(svg, HasSubstr("a &lt; b &amp; c"));
  std::vector<double> heights;
  const std::string mark = "height='";
  for (std::size_t at = svg.find("fill='#0072B2'"); at != svg.npos;
       at = svg.find("fill='#0072B2'", at + 1)) {
    heights.push_back(std::stod(svg.substr(svg.rfind(mark, at) + mark.size())));
  }
  ASSERT_EQ(heights.size(), 3U);  // two bars and the legend
  EXPECT_NEAR(heights[1], 2 * heights[0], 0.2);
}

TEST(Plot, LeavesOutWhatIsMissing) {
  PlotPanel panel;
  panel.categories = {"one", "two", "three"};
  panel.series = {{"s", {1, std::nan(""), 3}}, {"t", {0, 0, 0}}};
  const std::string svg = to_svg({panel, {}});
  EXPECT_THAT(svg, ::testing::Not(HasSubstr("nan")));
  std::size_t circles = 0;
  for (std::size_t at = svg.find("<circle"); at != svg.npos; at = svg.find("<circle", at + 1)) {
    ++circles;
  }
  EXPECT_EQ(circles, 5U);
}

TEST(Plot, CurvesLieWhereTheirNumbersSay) {
  PlotPanel panel;
  panel.kind = PlotPanel::Kind::kCurves;
  panel.series = {{"s", {1000, 100, 10}, {0, 0.5, 1}}};
  const std::string svg = to_svg({panel});
  const std::vector<double> x = values_of(svg, "cx");
  const std::vector<double> y = values_of(svg, "cy");
  ASSERT_EQ(x.size(), 3U);
  ASSERT_EQ(y.size(), 3U);
  EXPECT_NEAR(x[1] - x[0], x[2] - x[1], 0.15);
  EXPECT_GT(x[1], x[0] + 100);
  EXPECT_NEAR(y[1] - y[0], y[2] - y[1], 0.15);
  EXPECT_GT(y[1], y[0] + 100);
}

TEST(Plot, CurvesLeaveOutWhatALogarithmCannotShow) {
  PlotPanel panel;
  panel.kind = PlotPanel::Kind::kCurves;
  panel.series = {{"s", {0, std::nan(""), 3, 5}, {0.1, 0.2, std::nan(""), 0.4}}, {"empty", {}, {}}};
  const std::string svg = to_svg({panel});
  EXPECT_EQ(values_of(svg, "cx").size(), 1U);
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(svg, Not(HasSubstr("inf")));
  panel.series.resize(1);
  panel.series[0] = {"none", {}, {}};
  EXPECT_THAT(to_svg({panel}), HasSubstr("none"));
}

TEST(Plot, ManySeriesHaveLooksOfTheirOwnAndRoomInTheLegend) {
  PlotPanel panel;
  panel.categories = {"one", "two"};
  for (int i = 0; i < 20; ++i) panel.series.push_back({"a series of a long name", {1, 2}});
  const std::string svg = to_svg({panel});
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray='8 3'"));
  EXPECT_THAT(svg, HasSubstr("stroke-dasharray='4 3'"));
  const double height = values_of(svg, "height").front();
  for (const double y : values_of(svg, " y")) EXPECT_LT(y, height);
}

}  // namespace
}  // namespace warpdex::tools
