// Upper bounds of a block's scores in a form that stays valid for any k1, b and mu: the pairs of
// (frequency, length) that can be maximal. A score grows with the frequency and falls with the
// length, so every posting of a block scores at most as much as one of the pairs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>

namespace warpdex {

/// Pairs in a block's bound.
inline constexpr std::size_t kBoundPairs = 4;

/// A byte that stands for a 32-bit number with 4 significant bits; order is kept. Numbers below
/// 16 are exact; others are rounded down.
inline constexpr std::uint8_t encode_rounded_down(std::uint32_t value) {
  if (value < 16) return static_cast<std::uint8_t>(value);
  const int shift = 28 - std::countl_zero(value);
  return static_cast<std::uint8_t>(8 + shift * 8 + static_cast<int>((value >> shift) & 7));
}

/// The number that a code stands for.
inline constexpr std::uint64_t rounded_value(std::uint8_t code) {
  if (code < 16) return code;
  return std::uint64_t{8U + (code & 7U)} << (code - 8) / 8;
}

/// The same as a float, which holds it exactly.
inline constexpr float decode_rounded(std::uint8_t code) {
  return static_cast<float>(rounded_value(code));
}

/// Likewise rounded up. The largest numbers become 2^32.
inline constexpr std::uint8_t encode_rounded_up(std::uint32_t value) {
  const std::uint8_t down = encode_rounded_down(value);
  return rounded_value(down) < value ? static_cast<std::uint8_t>(down + 1) : down;
}

/// Frequencies rounded up, lengths rounded down. Pairs past those needed repeat the last.
struct ScoreBound {
  std::array<std::uint8_t, kBoundPairs> frequencies{};  ///< codes of each pair's frequency
  std::array<std::uint8_t, kBoundPairs> lengths{};      ///< codes of its length, in tokens
};
static_assert(sizeof(ScoreBound) == 2 * kBoundPairs);

/// BM25's score over its weight, at k1 0.9 and b 0.4. Pairs are chosen by it.
inline double default_saturation(double frequency, double length, double average_length) {
  return frequency / (frequency + 0.9 * (0.6 + 0.4 * length / average_length));
}

/// The bound of one posting or more, whose documents' lengths are given. Where more than
/// kBoundPairs pairs can be maximal, neighbours are joined so that BM25's bound (k1 0.9, b 0.4,
/// the given average length) grows least. O(n).
ScoreBound make_score_bound(std::span<const std::uint32_t> frequencies,
                            std::span<const std::uint32_t> lengths, double average_length);

/// The bound of one posting or more in an index of impacts: the largest of them, not as a code, in
/// place of each frequency, and no length.
ScoreBound make_impact_bound(std::span<const std::uint32_t> impacts);

/// DocIDs that share a bound of each frequent list; a range starts at a multiple of it.
inline constexpr std::uint32_t kRangeDocuments = 16'384;

/// Whether a list has a bound for each range of docIDs: in 1 of 16 documents, and a block or more.
inline constexpr bool is_frequent(std::uint64_t document_frequency, std::uint64_t documents) {
  return document_frequency >= 128 && document_frequency >= (documents + 15) / 16;
}

/// Bounds of a frequent list: one a range, also of ranges where it has no posting.
inline constexpr std::uint64_t range_count(std::uint64_t documents) {
  return (documents + kRangeDocuments - 1) / kRangeDocuments;
}

}  // namespace warpdex
