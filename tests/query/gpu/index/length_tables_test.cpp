// What the GPU is given of the documents' lengths, against the lengths themselves.
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "gpu/index/length_tables.hpp"
#include "tests/support.hpp"

namespace warpdex::gpu {
namespace {

using Numbers = std::vector<std::uint32_t>;

/// `fields` has the lengths of each text field.
void expect_lengths_of(const std::vector<Numbers>& fields) {
  const std::vector<std::span<const std::uint32_t>> all(fields.begin(), fields.end());
  const LengthTables tables = make_length_tables(all);
  const Lengths of_gpu{tables.codes.data(), tables.remainders.data(), tables.long_bases.data(),
                       tables.long_lengths.data(), tables.field_stride};
  EXPECT_EQ(tables.codes.size(), fields.size() * tables.field_stride);
  EXPECT_EQ(tables.field_stride % 16384, 0U);
  for (std::uint32_t field = 0; field < fields.size(); ++field) {
    const Numbers& lengths = fields[field];
    EXPECT_GE(tables.field_stride, lengths.size());
    for (std::uint32_t document = 0; document < lengths.size(); ++document) {
      const std::size_t place = of_gpu.place(document, field);
      ASSERT_EQ(of_gpu.of(place), lengths[document]) << "document " << document;
      ASSERT_LE(decode_length(tables.codes[place]), lengths[document]);
    }
  }
}

void expect_lengths(const Numbers& lengths) {
  expect_lengths_of({lengths});
  expect_lengths_of({Numbers(lengths.size(), 7), lengths, Numbers(lengths.size(), 70'000)});
}

TEST(LengthTables, KnowAllLengthsToTheEndOfShortOnes) {
  Numbers lengths(10'000);
  for (std::uint32_t i = 0; i < lengths.size(); ++i) lengths[i] = i;
  expect_lengths(lengths);
}

TEST(LengthTables, AreOfAnySize) {
  for (const std::size_t documents : {0, 1, 255, 256, 257, 16383, 16384, 16385, 40000}) {
    expect_lengths(Numbers(documents, 8191));
    expect_lengths(Numbers(documents, 8192));
    expect_lengths(Numbers(documents, 0xFFFFFFFFU));
  }
}

TEST(LengthTables, HaveFourBytesMoreOfLongDocumentsOnly) {
  const Numbers first{8191, 8192, 0, 70'000};
  const Numbers second{0, 8190, 9000, 1};
  const std::vector<std::span<const std::uint32_t>> fields{first, second};
  EXPECT_EQ(make_length_tables(std::span(fields).first(1)).long_lengths, (Numbers{8192, 70'000}));
  EXPECT_EQ(make_length_tables(fields).long_lengths, (Numbers{8192, 70'000, 9000}));
}

TEST(LengthTables, AreRightForLengthsOfAllMagnitudes) {
  auto random = test::generator(612);
  for (int round = 0; round < 8; ++round) {
    Numbers lengths(random() % 60'000);
    for (std::uint32_t& length : lengths) {
      length = static_cast<std::uint32_t>(random()) >> (random() % 32);
    }
    expect_lengths(lengths);
  }
}

}  // namespace
}  // namespace warpdex::gpu
