// The error bound of products of halves, against sums that are rounded as they are.
#include "pq/gpu/search/code_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/lists/made_codes.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

using test::CodesShape;
using test::draw_values;
using test::MadeCodes;

std::vector<float> rounded_to_halves(const std::vector<float>& values) {
  std::vector<std::uint16_t> halves(values.size());
  std::vector<float> result(values.size());
  to_half(values, halves.data());
  to_float(halves, result.data());
  return result;
}

/// A canonical distance as docs/vector.md has it, before it is put up to 0.
float canonical(const MadeCodes& index, const std::vector<float>& vector, float base,
                std::size_t position) {
  const ProductQuantizer& quantizer = index.view().quantizer;
  float sum = base;
  if (index.view().metric == Metric::kL2) sum += index.view().terms[position];
  for (std::size_t byte = 0; byte < quantizer.bytes; ++byte) {
    float entry = 0;
    for (std::size_t c = quantizer.part_begin(byte); c < quantizer.part_begin(byte + 1); ++c) {
      entry = std::fma(vector[c], quantizer.codebooks[c * 256 + index.code(position)[byte]], entry);
    }
    sum += entry;
  }
  return index.view().metric == Metric::kL2 ? sum : sum * index.view().terms[position];
}

TEST(CodeBound, HoldsForSumsOfHalves) {
  auto random = test::generator(170);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    for (const std::size_t dimension : {1, 24, 200}) {
      const CodesShape shape{metric, dimension, std::min<std::size_t>(dimension, 8), 8};
      const MadeCodes index(random, shape, {100, 50});
      const CodeBound bound = CodeBound::of(index.view());
      ASSERT_TRUE(bound.is_bounded);
      for (const float magnitude : {1e-6F, 1.0F, 1e5F}) {
        std::vector<float> query = draw_values(random, dimension, 3);
        std::vector<float> vector(dimension);
        double squared = 0;
        double length = 0;
        for (std::size_t c = 0; c < dimension; ++c) {
          query[c] *= magnitude;
          const float centre = metric == Metric::kL2 ? index.view().centre[c] : 0.0F;
          vector[c] = (metric == Metric::kL2 ? -2.0F : -1.0F) * (query[c] - centre);
          squared += double{vector[c]} * vector[c];
          length += double{query[c] - centre} * (query[c] - centre);
        }
        const float factor =
            std::exp2(9.0F - std::ceil(static_cast<float>(std::log2(squared)) / 2));
        std::vector<float> scaled = vector;
        for (float& component : scaled) component *= factor;
        scaled = rounded_to_halves(scaled);
        const float weight = factor * bound.scale;
        for (std::size_t p = 0; p < index.rows(); ++p) {
          double base = 0;
          for (std::size_t c = 0; c < dimension; ++c) {
            const double x = index.centroid(index.list(p))[c];
            base += metric == Metric::kL2 ? (query[c] - x) * (query[c] - x) : -query[c] * x;
          }
          EXPECT_LE(std::abs(base), bound.base(static_cast<float>(std::sqrt(length))));
          double product = 0;
          double own = 0;
          for (std::size_t part = 0; part < shape.bytes; ++part) {
            const ProductQuantizer& quantizer = index.view().quantizer;
            for (std::size_t c = quantizer.part_begin(part); c < quantizer.part_begin(part + 1);
                 ++c) {
              const float word = quantizer.codebooks[c * 256 + index.code(p)[part]];
              const std::vector<float> half = rounded_to_halves({word * bound.scale});
              product += double{scaled[c]} * half[0];
              own += double{word} * word;
            }
          }
          EXPECT_LE(std::sqrt(own), bound.longest);
          EXPECT_LT(bound.longest * bound.scale, 4096.0F);
          const auto rounded = static_cast<float>(base);
          const double term = metric == Metric::kL2 ? index.view().terms[p] : 0;
          const double ratio = metric == Metric::kL2 ? 1 : index.view().terms[p];
          const double sum = ratio * (product + weight * (rounded + term));
          const double distance = canonical(index, vector, rounded, p);
          const float error = bound.error(static_cast<float>(std::sqrt(squared)) * factor, weight,
                                          bound.base(static_cast<float>(std::sqrt(length))));
          EXPECT_LE(std::abs(sum - weight * distance), error)
              << dimension << " components, queries times " << magnitude;
          EXPECT_LE(std::abs(term), bound.term);
          EXPECT_LE(ratio, bound.ratio);
        }
      }
    }
  }
}

/// Tables of a vector, rounded as ByteTables has them.
struct RoundedTables {
  RoundedTables(const ProductQuantizer& quantizer, const std::vector<float>& vector) {
    for (std::size_t byte = 0; byte < quantizer.bytes; ++byte) {
      for (std::size_t value = 0; value < 256; ++value) {
        float entry = 0;
        for (std::size_t c = quantizer.part_begin(byte); c < quantizer.part_begin(byte + 1); ++c) {
          entry = std::fma(vector[c], quantizer.codebooks[c * 256 + value], entry);
        }
        entries.push_back(entry);
      }
      const auto own = entries.end() - 256;
      const auto [low, high] = std::minmax_element(own, entries.end());
      lows.push_back(*low);
      step = std::max(step, *high - *low);
    }
    step /= 127;
  }
  /// The sum that stands for a code's, but for its base and term.
  double sum(const std::vector<std::uint8_t>& code) const {
    double result = 0;
    for (std::size_t byte = 0; byte < lows.size(); ++byte) {
      const float entry = entries[byte * 256 + code[byte]];
      result += double{lows[byte]} + double{step} * std::rint((entry - lows[byte]) / step);
    }
    return result;
  }

  std::vector<float> entries;
  std::vector<float> lows;
  float step = 0;
};

TEST(CodeBound, HoldsForTablesOfBytes) {
  auto random = test::generator(172);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    for (const std::size_t dimension : {1, 24, 200}) {
      const CodesShape shape{metric, dimension, std::min<std::size_t>(dimension, 20), 8};
      const MadeCodes index(random, shape, {100, 50});
      const CodeBound bound = CodeBound::of(index.view());
      for (const float magnitude : {1e-6F, 1.0F, 1e5F}) {
        std::vector<float> vector = draw_values(random, dimension, 3);
        double squared = 0;
        for (float& component : vector) {
          component *= magnitude;
          squared += double{component} * component;
        }
        const RoundedTables tables(index.view().quantizer, vector);
        const float base = static_cast<float>(random() % 100) * magnitude;
        const float error =
            bound.table_error(static_cast<std::uint32_t>(shape.bytes), tables.step,
                              static_cast<float>(std::sqrt(squared)) * 1.0001F, base);
        double largest = 0;
        for (std::size_t p = 0; p < index.rows(); ++p) {
          const double term = metric == Metric::kL2 ? index.view().terms[p] : 0;
          const double ratio = metric == Metric::kL2 ? 1 : index.view().terms[p];
          const double sum = ratio * (base + term + tables.sum(index.code(p)));
          largest = std::max(largest, std::abs(sum - double{canonical(index, vector, base, p)}));
        }
        EXPECT_LE(largest, error) << dimension << " components, times " << magnitude;
      }
    }
  }
}

TEST(CodeBound, NothingIsKnownOfDamage) {
  auto random = test::generator(171);
  for (const float wrong : {std::nanf(""), 1e38F, std::numeric_limits<float>::infinity()}) {
    MadeCodes index(random, {Metric::kL2, 4, 2, 8}, {20});
    std::vector<float> books(index.view().quantizer.codebooks.begin(),
                             index.view().quantizer.codebooks.end());
    books[700] = wrong;
    index.view().quantizer.codebooks = books;
    EXPECT_FALSE(CodeBound::of(index.view()).is_bounded) << wrong;
    MadeCodes other(random, {Metric::kL2, 4, 2, 8}, {20});
    std::vector<float> terms(other.view().terms.begin(), other.view().terms.end());
    terms[3] = wrong;
    other.view().terms = terms;
    EXPECT_FALSE(CodeBound::of(other.view()).is_bounded) << wrong;
    other.view().metric = Metric::kInnerProduct;
    EXPECT_FALSE(CodeBound::of(other.view()).is_bounded) << wrong;
  }
}

}  // namespace
}  // namespace warpdex::vector
