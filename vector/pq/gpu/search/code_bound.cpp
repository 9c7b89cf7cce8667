// Upper bounds of lengths, in double precision and rounded up.
#include "pq/gpu/search/code_bound.hpp"

#include <vector>

namespace warpdex::vector {
namespace {

/// NaN becomes infinite, so that nothing is known.
float round_up(double value) {
  if (std::isnan(value)) return std::numeric_limits<float>::infinity();
  return static_cast<float>(value * (1 + 0x1p-20));
}

double longest_residual(const ProductQuantizer& quantizer) {
  const std::size_t words = quantizer.codewords();
  double all = 0;
  for (std::size_t part = 0; part < quantizer.parts(); ++part) {
    std::vector<double> squares(words);
    for (std::size_t c = quantizer.part_begin(part); c < quantizer.part_begin(part + 1); ++c) {
      for (std::size_t word = 0; word < words; ++word) {
        const double component = quantizer.codebooks[c * words + word];
        squares[word] += component * component;
      }
    }
    double largest = 0;
    for (const double square : squares) largest = square > largest ? square : largest;
    for (const double square : squares) largest = std::isnan(square) ? square : largest;
    all += largest;
  }
  return std::sqrt(all);
}

double farthest_centroid(const Lists<PqCoding>& vectors) {
  std::vector<float> centroid(vectors.centroids.vectors.dimension);
  double farthest = 0;
  for (std::size_t list = 0; list < vectors.lists(); ++list) {
    copy_row(vectors.centroids.vectors, list, centroid.data());
    double square = 0;
    for (std::size_t c = 0; c < centroid.size(); ++c) {
      const double left = double{centroid[c]} - (vectors.centre.empty() ? 0 : vectors.centre[c]);
      square += left * left;
    }
    if (!(square <= farthest)) farthest = square;
    if (std::isnan(square)) break;
  }
  return std::sqrt(farthest);
}

}  // namespace

CodeBound CodeBound::of(const Lists<PqCoding>& vectors) {
  const std::size_t dimension = vectors.quantizer.coded_dimension();
  const HalfBound half(Metric::kInnerProduct, dimension);
  CodeBound bound;
  bound.is_l2 = vectors.metric == Metric::kL2;
  bound.longest = round_up(longest_residual(vectors.quantizer));
  bound.farthest = round_up(farthest_centroid(vectors));
  float& largest = bound.is_l2 ? bound.term : bound.ratio;
  for (const float term : vectors.terms) {
    if (!(std::abs(term) <= largest)) largest = round_up(std::abs(double{term}));
    if (std::isinf(largest)) break;
  }
  const std::size_t operations = dimension + vectors.quantizer.bytes;
  bound.additions = (static_cast<float>(vectors.quantizer.bytes) + 16) * 0x1p-24F;
  bound.tiny = static_cast<float>(operations) * 0x1p-147F;
  bound.relative = half.relative;
  bound.absolute = half.absolute;
  bound.is_bounded = bound.longest <= kLargest && bound.farthest <= kLargest && largest <= kLargest;
  if (bound.is_bounded) bound.scale = half_scale(Metric::kInnerProduct, bound.longest);
  return bound;
}

}  // namespace warpdex::vector
