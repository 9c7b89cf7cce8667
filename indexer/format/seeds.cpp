// Finds the seeds of a list by walking its frequencies downwards.
#include "warpdex/indexer/format/seeds.hpp"

#include <limits>
#include <numeric>
#include <utility>

#include "warpdex/indexer/format/impacts.hpp"
#include "warpdex/indexer/format/score_bound.hpp"

namespace warpdex {
namespace {

/// The `rank` smallest of the lengths that it is given, and the best pair so far.
class RankSeed {
 public:
  RankSeed(std::uint32_t rank, double average) : rank_(rank), average_(average) {
    lengths_.reserve(std::size_t{2} * rank);
  }

  bool wants(std::uint32_t length) const { return length < limit_; }

  void add(std::uint32_t length) {
    if (!wants(length)) return;
    lengths_.push_back(length);
    if (lengths_.size() == 2 * rank_) cut();
  }

  /// All lengths of documents with this frequency or more were added.
  void close_frequency(std::uint32_t frequency) {
    if (lengths_.size() < rank_) return;
    cut();
    const ListSeed seed{static_cast<std::uint16_t>(std::min(
                            frequency, std::uint32_t{std::numeric_limits<std::uint16_t>::max()})),
                        encode_length_up(static_cast<std::uint32_t>(limit_))};
    const double score = default_saturation(seed.frequency, decode_length(seed.length), average_);
    if (score > best_score_) {
      best_score_ = score;
      best_ = seed;
    }
  }

  const ListSeed& best() const { return best_; }
  /// Whether no pair with this frequency or less can be better than the best.
  bool outdoes(std::uint32_t frequency, std::uint32_t shortest) const {
    return best_score_ >= default_saturation(frequency, shortest, average_);
  }

 private:
  /// Leaves the `rank` smallest.
  void cut() {
    const auto last = lengths_.begin() + static_cast<std::ptrdiff_t>(rank_ - 1);
    std::nth_element(lengths_.begin(), last, lengths_.end());
    limit_ = *last;
    lengths_.resize(rank_);
  }

  std::size_t rank_;
  double average_;
  std::vector<std::uint32_t> lengths_;  ///< those that may be of the smallest, in no order
  std::uint64_t limit_ = std::uint64_t{1} << 32;  ///< lengths from here on are not of them
  ListSeed best_;
  double best_score_ = 0;
};

/// The documents' lengths, grouped by frequency; frequencies from kLarge on are sorted.
class ByFrequency {
 public:
  static constexpr std::uint32_t kLarge = 255;

  /// Postings with a frequency of kLarge or more, the largest first.
  struct Large {
    std::vector<std::uint32_t> frequencies;
    std::vector<std::uint32_t> lengths;
  };

  ByFrequency(std::span<const std::uint32_t> frequencies, std::span<const std::uint32_t> lengths)
      : lengths_(lengths.size()) {
    std::array<std::size_t, kLarge + 1> next{};
    for (const std::uint32_t frequency : frequencies) ++ends_[std::min(frequency, kLarge)];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    std::copy(ends_.begin(), ends_.end() - 1, next.begin() + 1);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> large;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      if (frequencies[i] >= kLarge) large.emplace_back(frequencies[i], lengths[i]);
      lengths_[next[std::min(frequencies[i], kLarge)]++] = lengths[i];
    }
    std::sort(large.begin(), large.end(), std::greater<>());
    for (const auto& [frequency, length] : large) {
      large_.frequencies.push_back(frequency);
      large_.lengths.push_back(length);
    }
  }

  const Large& large() const { return large_; }

  /// The lengths at a frequency of 1 to kLarge - 1.
  std::span<const std::uint32_t> lengths(std::uint32_t frequency) const {
    return std::span(lengths_).subspan(ends_[frequency - 1],
                                       ends_[frequency] - ends_[frequency - 1]);
  }

 private:
  std::vector<std::uint32_t> lengths_;
  std::array<std::size_t, kLarge + 1> ends_{};
  Large large_;
};

/// Adds the lengths at one frequency, which falls from call to call.
void add_frequency(std::uint32_t frequency, std::span<const std::uint32_t> lengths,
                   std::vector<RankSeed>& ranks) {
  for (const std::uint32_t length : lengths) {
    // What is too long for the last rank is so for the others.
    if (!ranks.back().wants(length)) continue;
    for (RankSeed& rank : ranks) rank.add(length);
  }
  for (RankSeed& rank : ranks) rank.close_frequency(frequency);
}

}  // namespace

std::vector<ListSeed> find_seeds(std::span<const std::uint32_t> frequencies,
                                 std::span<const std::uint32_t> lengths) {
  const auto total =
      static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}));
  const double average = std::max(1.0, total / static_cast<double>(lengths.size()));
  const std::uint32_t shortest = *std::min_element(lengths.begin(), lengths.end());
  std::vector<RankSeed> ranks;
  for (std::uint32_t i = 0; i < seed_count(static_cast<std::uint32_t>(lengths.size())); ++i) {
    ranks.emplace_back(kSeedRanks[i], average);
  }
  const auto is_done = [&](std::uint32_t frequency) {
    return std::all_of(ranks.begin(), ranks.end(),
                       [&](const RankSeed& rank) { return rank.outdoes(frequency, shortest); });
  };
  const ByFrequency groups(frequencies, lengths);
  const auto& large = groups.large();
  for (std::size_t begin = 0; begin < large.frequencies.size();) {
    const std::uint32_t frequency = large.frequencies[begin];
    std::size_t end = begin + 1;
    while (end < large.frequencies.size() && large.frequencies[end] == frequency) ++end;
    add_frequency(frequency, std::span(large.lengths).subspan(begin, end - begin), ranks);
    begin = end;
  }
  for (std::uint32_t frequency = ByFrequency::kLarge - 1; frequency > 0; --frequency) {
    if (is_done(frequency)) break;
    add_frequency(frequency, groups.lengths(frequency), ranks);
  }
  std::vector<ListSeed> seeds;
  for (const RankSeed& rank : ranks) seeds.push_back(rank.best());
  return seeds;
}

std::vector<ListSeed> find_impact_seeds(std::span<const std::uint32_t> impacts) {
  std::array<std::uint32_t, kMaxImpact + 1> counts{};
  for (const std::uint32_t impact : impacts) ++counts[impact];
  const std::uint32_t count = seed_count(static_cast<std::uint32_t>(impacts.size()));
  std::vector<ListSeed> seeds;
  std::uint32_t impact = kMaxImpact;
  std::uint32_t above = 0;  // postings with a larger impact
  for (std::uint32_t i = 0; i < count; ++i) {
    while (above + counts[impact] < kSeedRanks[i]) above += counts[impact--];
    seeds.push_back({static_cast<std::uint16_t>(impact), 0});
  }
  return seeds;
}

}  // namespace warpdex
