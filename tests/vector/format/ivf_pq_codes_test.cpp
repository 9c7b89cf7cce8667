// Tests of what a build writes: codes are the nearest codewords of residuals, and distances by
// codes are those of what the codes stand for, both in double precision from the stored sections.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

/// The vectors of an index as its sections have them.
class StoredCodes {
 public:
  explicit StoredCodes(const VectorIndex& index)
      : view_(std::get<Lists<PqCoding>>(index.searched())), dimension_(index.settings().dimension) {
    for (std::size_t list = 0; list < view_.lists(); ++list) {
      for (std::size_t p = view_.begins[list]; p < view_.begins[list + 1]; ++p)
        lists_.push_back(list);
    }
  }

  /// The number of a run's codeword.
  std::size_t word(std::size_t position, std::size_t part) const {
    const std::size_t place = position - view_.begins[lists_[position]];
    const std::size_t stored = (view_.quantizer.bytes + 3) / 4 * 4;
    const std::size_t byte = part * view_.quantizer.bits / 8;
    const std::size_t width = byte / 16 * 16 + 16 <= stored ? 16 : stored % 16;
    const std::size_t group = view_.group_begins[lists_[position]] + place / 32;
    const std::uint8_t value =
        view_.codes[group * 32 * stored + byte / 16 * 512 + place % 32 * width + byte % 16];
    return view_.quantizer.bits == 8 ? value : value >> (part % 2 * 4) & 15;
  }

  double codeword(std::size_t word, std::size_t component) const {
    return view_.quantizer.codebooks[(component << view_.quantizer.bits) + word];
  }

  /// A vector less its centroid, rotated.
  std::vector<double> residual(std::span<const float> vector, std::size_t position) const {
    std::vector<double> rotated(coded());
    for (std::size_t row = 0; row < coded(); ++row) {
      for (std::size_t c = 0; c < dimension_; ++c) {
        rotated[row] += rotation(row, c) * (double{vector[c]} - centroid(position, c));
      }
    }
    return rotated;
  }

  /// The distance, or the product, of a query and what a code stands for.
  double distance(std::span<const float> query, std::size_t position) const {
    const std::vector<double> decoded = decode(position);
    double squared = 0;
    double product = 0;
    for (std::size_t c = 0; c < dimension_; ++c) {
      squared += (query[c] - decoded[c]) * (query[c] - decoded[c]);
      product += query[c] * decoded[c];
    }
    return view_.metric == Metric::kL2 ? squared : product;
  }

  /// The length of what a code stands for.
  double length(std::size_t position) const {
    double squared = 0;
    for (const double component : decode(position)) squared += component * component;
    return std::sqrt(squared);
  }

 private:
  /// The number of components that codes are made of.
  std::size_t coded() const {
    const std::size_t floats = view_.quantizer.rotation.size();
    return floats == 0 ? dimension_ : floats / dimension_;
  }
  double rotation(std::size_t row, std::size_t column) const {
    if (view_.quantizer.rotation.empty()) return row == column ? 1 : 0;
    return view_.quantizer.rotation[row * dimension_ + column];
  }
  /// The centroid, and the codewords rotated back.
  std::vector<double> decode(std::size_t position) const {
    std::vector<double> decoded(dimension_);
    for (std::size_t c = 0; c < dimension_; ++c) decoded[c] = centroid(position, c);
    const std::size_t parts = view_.quantizer.bytes * 8 / view_.quantizer.bits;
    for (std::size_t part = 0; part < parts; ++part) {
      for (std::size_t row = part * coded() / parts; row < (part + 1) * coded() / parts; ++row) {
        const double component = codeword(word(position, part), row);
        for (std::size_t c = 0; c < dimension_; ++c) decoded[c] += component * rotation(row, c);
      }
    }
    return decoded;
  }
  double centroid(std::size_t position, std::size_t component) const {
    return static_cast<const float*>(view_.centroids.vectors.row(lists_[position]))[component];
  }

  const Lists<PqCoding>& view_;
  std::size_t dimension_;
  std::vector<std::size_t> lists_;
};

double length_of(const float* row, std::size_t dimension) {
  double squared = 0;
  for (std::size_t c = 0; c < dimension; ++c) squared += double{row[c]} * double{row[c]};
  return std::sqrt(squared);
}

TEST(IvfPqCodes, AreOfTheNearestCodewordsAndGiveTheirDistances) {
  auto random = test::generator(40);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct}) {
    for (const PqSettings& pq :
         {PqSettings{.bytes = 5, .is_rotated = true}, PqSettings{.bytes = 18},
          PqSettings{.bytes = 9, .bits = 4, .is_rotated = true},
          PqSettings{.bytes = 5, .rotated_dimension = 7},
          PqSettings{.bytes = 4, .bits = 4, .rotated_dimension = 11}}) {
      constexpr std::size_t kRows = 1200;
      constexpr std::size_t kDimension = 18;
      const std::vector<float> rows = test::draw(random, kRows * kDimension, 5, 2);
      VectorIndexWriter writer(folder / "index", {.metric = metric,
                                                  .dimension = kDimension,
                                                  .index = vector_kind("ivf-pq"),
                                                  .ivf = {.lists = 11},
                                                  .pq = pq});
      writer.add(rows);
      writer.commit();
      const VectorIndex index = VectorIndex::open(folder / "index");
      const StoredCodes codes(index);
      const ProductQuantizer& quantizer = std::get<Lists<PqCoding>>(index.searched()).quantizer;
      const std::vector<float> query = test::draw(random, kDimension, 5, 2);
      std::vector<double> distances(kRows);
      for (std::size_t p = 0; p < kRows; ++p) {
        const std::size_t row = std::get<Lists<PqCoding>>(index.searched()).row_numbers[p];
        distances[row] = codes.distance(query, p);
        if (metric != Metric::kL2) {
          distances[row] *= length_of(rows.data() + row * kDimension, kDimension) / codes.length(p);
        }
        const std::vector<double> residual =
            codes.residual(std::span(rows).subspan(row * kDimension, kDimension), p);
        for (std::size_t part = 0; part < quantizer.parts(); ++part) {
          double smallest = std::numeric_limits<double>::infinity();
          double taken = 0;
          for (std::size_t word = 0; word < quantizer.codewords(); ++word) {
            double sum = 0;
            for (std::size_t c = quantizer.part_begin(part); c < quantizer.part_begin(part + 1);
                 ++c) {
              sum += std::pow(residual[c] - codes.codeword(word, c), 2);
            }
            smallest = std::min(smallest, sum);
            if (word == codes.word(p, part)) taken = sum;
          }
          ASSERT_NEAR(taken, smallest, 1e-4) << "row " << row << ", run " << part;
        }
      }
      const Neighbors found = search_on_cpu(std::get<Lists<PqCoding>>(index.searched()), 1)
                                  ->nearest(query, kRows, {.probes = 11});
      for (std::size_t i = 0; i < kRows; ++i) {
        ASSERT_NEAR(found.distances[i], distances[static_cast<std::size_t>(found.rows[i])], 1e-3);
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
