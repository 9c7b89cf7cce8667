// Tests of sets of rows, against a plain list of bits.
#include "warpdex/vector/rows/row_filter.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

TEST(RowFilter, FindsWhatAPlainListFinds) {
  auto random = test::generator(1);
  for (const std::size_t rows : {0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 1000}) {
    for (const double share : {0.0, 0.02, 0.5, 0.98, 1.0}) {
      std::bernoulli_distribution allowed(share);
      std::vector<bool> bits(rows);
      RowFilter filter(rows);
      std::size_t count = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        if (!(bits[row] = allowed(random))) continue;
        filter.add(row);
        ++count;
      }
      EXPECT_EQ(filter.count(), count);
      std::size_t set = rows;
      std::size_t clear = rows;
      for (std::size_t row = rows; row-- > 0;) {
        (bits[row] ? set : clear) = row;
        EXPECT_EQ(filter.contains(row), bits[row]);
        EXPECT_EQ(filter.next_allowed(row), set);
        EXPECT_EQ(filter.next_refused(row), clear);
      }
      EXPECT_EQ(filter.next_allowed(rows), rows);
    }
  }
}

TEST(RowFilter, SlicesAreCountedFromTheirFirstRow) {
  auto random = test::generator(2);
  for (const std::size_t rows : {1, 64, 65, 200, 1000}) {
    RowFilter filter(rows);
    for (std::size_t row = random() % 3; row < rows; row += 1 + random() % 4) filter.add(row);
    for (int i = 0; i < 50; ++i) {
      const std::size_t first = random() % (rows + 1);
      const std::size_t count = random() % (rows - first + 1);
      const RowFilter slice = filter.slice(first, count);
      ASSERT_EQ(slice.rows(), count);
      std::size_t allowed = 0;
      for (std::size_t row = 0; row < count; ++row) {
        ASSERT_EQ(slice.contains(row), filter.contains(first + row)) << first << " + " << row;
        allowed += slice.contains(row) ? 1 : 0;
      }
      EXPECT_EQ(slice.count(), allowed) << "bits past the rows do not count";
    }
    EXPECT_THROW(filter.slice(1, rows), UsageError);
    EXPECT_THROW(filter.slice(rows + 1, 0), UsageError);
  }
}

TEST(RowFilter, IsMadeOfListedRowsOrBits) {
  const std::vector<std::uint32_t> listed{64, 3, 3, 0};
  const RowFilter filter = RowFilter::of_rows(listed, 66);
  EXPECT_EQ(filter.count(), 3U);
  EXPECT_TRUE(filter.contains(0) && filter.contains(3) && filter.contains(64));
  const std::vector<std::uint64_t> words{9, ~std::uint64_t{0}};
  EXPECT_EQ(RowFilter::of_bits(words, 66).count(), 4U) << "bits past the rows do not count";
  EXPECT_THROW(RowFilter::of_bits(words, 64), UsageError);
  try {
    RowFilter::of_rows(std::vector<std::uint32_t>{66}, 66);
    FAIL() << "taken";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("row 66"));
  }
}

}  // namespace
}  // namespace warpdex::vector
