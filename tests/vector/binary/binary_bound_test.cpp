// Tests of how far distances by codes may be off.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "binary/binary_bound.hpp"
#include "tests/support.hpp"
#include "tests/vector/binary/made_binary_codes.hpp"
#include "tests/vector/binary/plain_binary.hpp"
#include "tests/vector/flat/plain_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"

namespace warpdex::vector {
namespace {

using test::BinaryCodesShape;
using test::MadeBinaryCodes;

/// Pairs (query, row) whose distance by codes is farther off than the bound says, in double
/// precision.
std::size_t count_beyond(const BinaryVectors& vectors, const std::vector<float>& queries) {
  const std::size_t dimension = vectors.quantizer.dimension;
  std::size_t beyond = 0;
  for (std::size_t first = 0; first < queries.size(); first += dimension) {
    std::vector<float> query(queries.begin() + static_cast<std::ptrdiff_t>(first),
                             queries.begin() + static_cast<std::ptrdiff_t>(first + dimension));
    if (vectors.metric == Metric::kCosine) normalize(query);
    const reference::PlainQuery plain = reference::plain_query(vectors, query, 8);
    std::vector<float> padded_query = query;
    padded_query.resize(padded(dimension));
    const QueryCode code = encode_query(vectors, 8, padded_query.data());
    std::vector<float> row(dimension);
    for (std::size_t r = 0; r < vectors.rows; ++r) {
      copy_row(vectors.vectors.vectors, r, row.data());
      double distance = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        const double left = double{query[c]} - double{row[c]};
        distance += vectors.metric == Metric::kL2 ? left * left : -double{query[c]} * row[c];
      }
      const float by_codes = reference::plain_distance(vectors, plain, r);
      const float value = vectors.metric == Metric::kL2 ? by_codes : 0.0F - by_codes;
      const float size =
          vectors.metric == Metric::kL2 ? vectors.terms[r] : vectors.vectors.norms[r];
      const double error =
          largest_code_error(vectors, code, padded_query.data(), size, vectors.residuals[r]);
      beyond += distance < double{value} - error ? 1 : 0;
    }
  }
  return beyond;
}

TEST(BinaryBounds, AlwaysHold) {
  auto random = test::generator(1);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const std::size_t bits : {1, 3, 6}) {
      const MadeBinaryCodes made(random, {metric, 64, bits, true, Store::kFloat, true}, 2000);
      const std::vector<float> queries = test::draw_queries(random, 20, 64);
      EXPECT_EQ(count_beyond(made.view(), queries), 0U);
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
