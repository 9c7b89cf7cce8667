// What the GPU is given of the documents' lengths, against the lengths themselves.
#include <cstdint>
#include <random>
#include <vector>

#include "gpu/index/length_tables.hpp"
#include "tests/support.hpp"

namespace warpdex::gpu {
namespace {

void expect_lengths(const std::vector<std::uint32_t>& lengths) {
  const LengthTables tables = make_length_tables(lengths);
  const Lengths of_gpu{tables.codes.data(), tables.remainders.data(), tables.long_bases.data(),
                       tables.long_lengths.data()};
  EXPECT_GE(tables.codes.size(), lengths.size());
  EXPECT_EQ(tables.codes.size() % 16384, 0U);
  for (std::uint32_t document = 0; document < lengths.size(); ++document) {
    ASSERT_EQ(of_gpu.of(document), lengths[document]) << "document " << document;
    ASSERT_LE(decode_length(tables.codes[document]), lengths[document]);
  }
}

TEST(LengthTables, KnowAllLengthsToTheEndOfShortOnes) {
  std::vector<std::uint32_t> lengths(10'000);
  for (std::uint32_t i = 0; i < lengths.size(); ++i) lengths[i] = i;
  expect_lengths(lengths);
}

TEST(LengthTables, AreOfAnySize) {
  for (const std::size_t documents : {0, 1, 255, 256, 257, 16383, 16384, 16385, 40000}) {
    expect_lengths(std::vector<std::uint32_t>(documents, 8191));
    expect_lengths(std::vector<std::uint32_t>(documents, 8192));
    expect_lengths(std::vector<std::uint32_t>(documents, 0xFFFFFFFFU));
  }
}

TEST(LengthTables, HaveFourBytesMoreOfLongDocumentsOnly) {
  const LengthTables tables = make_length_tables(std::vector<std::uint32_t>{8191, 8192, 0, 70'000});
  EXPECT_EQ(tables.long_lengths, (std::vector<std::uint32_t>{8192, 70'000}));
}

TEST(LengthTables, AreRightForLengthsOfAllMagnitudes) {
  auto random = test::generator(612);
  for (int round = 0; round < 8; ++round) {
    std::vector<std::uint32_t> lengths(random() % 60'000);
    for (std::uint32_t& length : lengths) {
      length = static_cast<std::uint32_t>(random()) >> (random() % 32);
    }
    expect_lengths(lengths);
  }
}

}  // namespace
}  // namespace warpdex::gpu
