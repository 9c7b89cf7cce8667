// Seeds of thresholds: for a long list and a few ranks k, a pair (frequency, length) that bounds k
// of the list's documents from below. As scores grow with the frequency and fall with the length,
// the k-th best score of a query with the term is at least the pair's, whatever k1, b or mu.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace warpdex {

/// The ranks with seeds.
inline constexpr std::array<std::uint32_t, 3> kSeedRanks{10, 100, 1000};

/// Seeds of a list of kBlockSize postings or more: of all ranks that it reaches.
inline constexpr std::uint32_t seed_count(std::uint32_t document_frequency) {
  return document_frequency >= kSeedRanks[2] ? 3 : 2;
}

/// A 16-bit code for a 32-bit number with 11 significant bits; order is kept. Numbers below 2048
/// are exact; others are rounded up.
inline constexpr std::uint16_t encode_length_up(std::uint32_t value) {
  if (value < 2048) return static_cast<std::uint16_t>(value);
  const int shift = 21 - std::countl_zero(value);
  const std::uint32_t digits = value >> shift;  // 1024 to 2047
  const std::uint32_t down = static_cast<std::uint32_t>(shift) * 1024 + digits;
  return static_cast<std::uint16_t>(digits << shift < value ? down + 1 : down);
}

/// The number that a code stands for; at most 2^32 - 1, also for codes that no number has.
inline constexpr std::uint32_t decode_length(std::uint16_t code) {
  if (code < 2048) return code;
  const std::uint32_t shift = code / 1024 - 1;
  if (shift > 21) return 0xFFFFFFFFU;
  return (1024U + code % 1024U) << shift;
}

/// At least as many postings as its rank have a frequency of `frequency` or more in a document of
/// `length` tokens or fewer. In an index of impacts, `frequency` is the rank's impact, `length` 0.
struct ListSeed {
  std::uint16_t frequency = 0;  ///< rounded down
  std::uint16_t length = 0;     ///< encode_length_up()
  bool operator==(const ListSeed&) const = default;
};
static_assert(sizeof(ListSeed) == 4);

/// The seeds of a list of kBlockSize postings or more, whose documents' lengths are given: of all
/// such pairs those with the best BM25 (k1 0.9, b 0.4, the list's average length). O(n).
std::vector<ListSeed> find_seeds(std::span<const std::uint32_t> frequencies,
                                 std::span<const std::uint32_t> lengths);

/// The seeds of a list of impacts. O(n).
std::vector<ListSeed> find_impact_seeds(std::span<const std::uint32_t> impacts);

}  // namespace warpdex
