// Lists of values for the tests of the codecs, and encoded lists in buffers of exactly their size.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "warpdex/codecs/codec.hpp"

namespace warpdex::test {

using Values = std::vector<std::uint32_t>;

/// Ways to fill a list.
enum class Shape {
  kZeros,
  kConstant,
  kAllOnes,     ///< 2^32 - 1 each
  kGeometric,   ///< gaps of random documents
  kClustered,   ///< small gaps, with a huge one now and then
  kZipf,        ///< frequencies
  kBlockEdges,  ///< large values where blocks, and groups of eight, begin and end
  kUniform32,   ///< any bits
  kWideBlocks,  ///< each block of another width
  kLast = kWideBlocks
};
inline constexpr int kShapes = static_cast<int>(Shape::kLast) + 1;

Values make_values(Shape shape, std::size_t count, std::mt19937_64& random);

/// Ascending docIDs whose gaps are as like the shape as 2^32 documents allow.
Values make_docids(Shape shape, std::size_t count, std::mt19937_64& random);

/// So many full blocks of small values, and in each an exception now and then, 128 of them, none,
/// or about as many as a warp takes at once. Most take up to four bits more, some of them, in
/// places one after the other, up to `widest` bits. The last value is one.
Values make_unequal_exceptions(std::size_t blocks, std::uint32_t widest, std::mt19937_64& random);

/// Sizes around those of groups and blocks.
const std::vector<std::size_t>& ugly_sizes();

/// Each codec, `pfor` with each number of levels.
std::vector<CodecSettings> all_settings();

/// How the test of a codec is called: "pfor2".
std::string test_name(const testing::TestParamInfo<CodecSettings>& info);

/// "pfor/2, 129 values of shape 3".
std::string describe(const CodecSettings& settings, Shape shape, std::size_t count);

/// An encoded list whose bytes lie in a buffer of their size and the slack, not a byte more.
class StoredList {
 public:
  StoredList(const CodecSettings& settings, const EncodedValues& encoded, std::size_t count);

  const EncodedList& list() const { return list_; }
  ListDecoder decoder() const { return {list_, tail_offset_}; }
  std::uint32_t tail_offset() const { return tail_offset_; }
  std::uint32_t blocks() const { return decoder().blocks(); }
  BlockRef block(std::uint32_t index) const {
    return {index, encoded_.offsets[index], encoded_.codes[index]};
  }

  /// All values, block by block in random order.
  Values decode_values(std::mt19937_64& random) const;
  /// The same for docIDs; `expected` gives the last docIDs of the blocks, which an index stores.
  Values decode_docids(const Values& expected, std::mt19937_64& random) const;

 private:
  EncodedValues encoded_;
  std::unique_ptr<std::uint8_t[]> buffer_;
  EncodedList list_;
  std::uint32_t tail_offset_;
};

}  // namespace warpdex::test
