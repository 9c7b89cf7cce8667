// Scales of lists, and residuals to bytes.
#include "sq8/lists/list_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kmeans/parallel_parts.hpp"

namespace warpdex::vector {
namespace {

/// Lists of fewer have too few vectors to say what others will be like.
constexpr std::size_t kMinScaleRows = 32;
constexpr float kLargest = std::numeric_limits<float>::max();

/// The smallest and the largest component.
struct ByteRange {
  float low = kLargest;
  float high = -kLargest;

  void add(float component) {
    low = std::max(std::min(low, component), -kLargest);
    high = std::min(std::max(high, component), kLargest);
  }
  void add(const ByteRange& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
  ByteScale scale() const {
    const double step = (double{high} - double{low}) / 255;
    const float scale = std::max(static_cast<float>(step), std::numeric_limits<float>::min());
    return {static_cast<float>(double{low} + 128 * step), scale};
  }
};

}  // namespace

std::int8_t ByteScale::encode(float component) const {
  const float steps = (component - offset) / scale;
  return static_cast<std::int8_t>(std::lrintf(std::clamp(steps, -128.0F, 127.0F)));
}

Sq8Training train_scales(const FlatVectors& rows, const IvfLists& lists, std::size_t threads,
                         BuildSteps& steps) {
  std::vector<ByteRange> ranges(lists.centroids.rows);
  const auto find_range = [&](std::size_t list, std::vector<float>& row) {
    const std::span<const float> centroid = lists.centroids.row(list);
    for (const std::uint32_t number : lists.members.of(list)) {
      copy_row(rows.vectors, number, row.data());
      for (std::size_t c = 0; c < row.size(); ++c) ranges[list].add(row[c] - centroid[c]);
    }
  };
  Sq8Training trained;
  steps.run_on_cpu("scales", [&] {
    for_each_part(ranges.size(), 1, threads, [&](std::size_t first, std::size_t last) {
      std::vector<float> row(rows.vectors.dimension);
      for (std::size_t list = first; list < last; ++list) find_range(list, row);
    });
    ByteRange all;
    for (const ByteRange& range : ranges) all.add(range);
    for (std::size_t list = 0; list < ranges.size(); ++list) {
      const bool is_known = lists.members.size(list) >= kMinScaleRows;
      trained.scales.push_back((is_known ? ranges[list] : all).scale());
    }
  });
  return trained;
}

ResidualByteEncoder::ResidualByteEncoder(const Sq8Quantizer& quantizer,
                                         std::span<const float> centre, bool has_terms)
    : quantizer_(quantizer), centre_(centre), has_terms_(has_terms) {}

void ResidualByteEncoder::set_list(std::size_t list, std::span<const float> centroid) {
  scale_ = quantizer_.scales[list];
  centroid_ = centroid;
}

RowFacts ResidualByteEncoder::encode(std::span<const float> row, std::uint8_t* code) const {
  for (std::size_t c = 0; c < row.size(); ++c) {
    code[c] = static_cast<std::uint8_t>(scale_.encode(row[c] - centroid_[c]));
  }
  return {has_terms_ ? term(code) : 0, 0};
}

float ResidualByteEncoder::term(const std::uint8_t* code) const {
  double term = 0;
  for (std::size_t c = 0; c < centroid_.size(); ++c) {
    const double y{scale_.decode(static_cast<std::int8_t>(code[c]))};
    const double middle = centre_.empty() ? 0 : double{centre_[c]};
    term += y * (y + 2 * (double{centroid_[c]} - middle));
  }
  return static_cast<float>(term);
}

void encode_list_codes(const FlatVectors& rows, const ByteRules& rules, const ListGroups& groups,
                       std::size_t threads, BuildSteps& steps, const BlockSink& sink) {
  encode_lists(
      rows, rules, {rules.quantizer.code_bytes(), rules.has_terms, false}, groups, threads, steps,
      [&] { return ResidualByteEncoder(rules.quantizer, rules.centre, rules.has_terms); }, sink);
}

}  // namespace warpdex::vector
