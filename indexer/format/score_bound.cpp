// Finds the pairs that can be maximal, and joins the cheapest where there are too many.
#include "warpdex/indexer/format/score_bound.hpp"

#include <limits>

namespace warpdex {
namespace {

struct Pair {
  std::uint8_t frequency;
  std::uint8_t length;
};

/// The pairs that no other pair dominates, in the order of falling frequencies and lengths. Returns
/// how many, at most one for each code.
std::size_t skyline(std::span<const std::uint32_t> frequencies,
                    std::span<const std::uint32_t> lengths, std::span<Pair> pairs) {
  constexpr std::uint16_t kNone = 256;
  std::array<std::uint16_t, 256> shortest;  // by frequency
  shortest.fill(kNone);
  std::uint8_t largest = 0;
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    const std::uint8_t frequency = encode_rounded_up(frequencies[i]);
    const std::uint16_t length = encode_rounded_down(lengths[i]);
    shortest[frequency] = std::min(shortest[frequency], length);
    largest = std::max(largest, frequency);
  }
  std::size_t kept = 0;
  std::uint16_t last = kNone;
  for (int frequency = largest; frequency >= 0; --frequency) {
    const std::uint16_t length = shortest[static_cast<std::size_t>(frequency)];
    if (length >= last) continue;
    pairs[kept++] = {static_cast<std::uint8_t>(frequency), static_cast<std::uint8_t>(length)};
    last = length;
  }
  return kept;
}

double default_bm25(std::uint8_t frequency, std::uint8_t length, double average_length) {
  return default_saturation(decode_rounded(frequency), decode_rounded(length), average_length);
}

/// Joins the two neighbours whose join (the larger frequency, the smaller length) raises the
/// block's bound least; if none raises it, those whose join grows least over its parts.
std::size_t join_cheapest(std::span<Pair> pairs, double best, double average_length) {
  std::size_t cheapest = 0;
  double min = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i + 1 < pairs.size(); ++i) {
    const double joined = default_bm25(pairs[i].frequency, pairs[i + 1].length, average_length);
    const double part =
        std::max(default_bm25(pairs[i].frequency, pairs[i].length, average_length),
                 default_bm25(pairs[i + 1].frequency, pairs[i + 1].length, average_length));
    const double cost = 10 * std::max(0.0, joined - best) + 0.1 * (joined - part);
    if (cost < min) {
      min = cost;
      cheapest = i;
    }
  }
  pairs[cheapest].length = pairs[cheapest + 1].length;
  std::copy(pairs.begin() + static_cast<std::ptrdiff_t>(cheapest) + 2, pairs.end(),
            pairs.begin() + static_cast<std::ptrdiff_t>(cheapest) + 1);
  return pairs.size() - 1;
}

}  // namespace

ScoreBound make_score_bound(std::span<const std::uint32_t> frequencies,
                            std::span<const std::uint32_t> lengths, double average_length) {
  std::array<Pair, 256> storage;
  const double average = std::max(average_length, 1.0);
  std::size_t count = skyline(frequencies, lengths, storage);
  double best = 0;
  for (std::size_t i = 0; i < count; ++i) {
    best = std::max(best, default_bm25(storage[i].frequency, storage[i].length, average));
  }
  while (count > kBoundPairs) {
    count = join_cheapest(std::span(storage).first(count), best, average);
  }
  ScoreBound bound;
  for (std::size_t i = 0; i < kBoundPairs; ++i) {
    const Pair& pair = storage[std::min(i, count - 1)];
    bound.frequencies[i] = pair.frequency;
    bound.lengths[i] = pair.length;
  }
  return bound;
}

ScoreBound make_impact_bound(std::span<const std::uint32_t> impacts) {
  ScoreBound bound;
  bound.frequencies.fill(
      static_cast<std::uint8_t>(*std::max_element(impacts.begin(), impacts.end())));
  return bound;
}

}  // namespace warpdex
