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
  explicit RankSeed(std::uint32_t rank) : rank_(rank) { lengths_.reserve(rank); }

  void add(std::uint32_t length) {
    if (lengths_.size() < rank_) {
      lengths_.push_back(length);
      std::push_heap(lengths_.begin(), lengths_.end());
    } else if (length < lengths_.front()) {
      std::pop_heap(lengths_.begin(), lengths_.end());
      lengths_.back() = length;
      std::push_heap(lengths_.begin(), lengths_.end());
    }
  }

  /// All lengths of documents with this frequency or more were added.
  void close_frequency(std::uint32_t frequency, double average) {
    if (lengths_.size() < rank_) return;
    const ListSeed seed{static_cast<std::uint16_t>(std::min(
                            frequency, std::uint32_t{std::numeric_limits<std::uint16_t>::max()})),
                        encode_length_up(lengths_.front())};
    const double score = default_saturation(seed.frequency, decode_length(seed.length), average);
    if (score > best_score_) {
      best_score_ = score;
      best_ = seed;
    }
  }

  const ListSeed& best() const { return best_; }
  /// Whether no pair with this frequency can be better than the best.
  bool outdoes(std::uint32_t frequency, double average) const {
    return best_score_ >= default_saturation(frequency, 0, average);
  }

 private:
  std::size_t rank_;
  std::vector<std::uint32_t> lengths_;  ///< a heap, the largest first
  ListSeed best_;
  double best_score_ = 0;
};

/// The documents' lengths, grouped by frequency; frequencies from kLarge on are sorted singly.
class ByFrequency {
 public:
  static constexpr std::uint32_t kLarge = 255;

  ByFrequency(std::span<const std::uint32_t> frequencies, std::span<const std::uint32_t> lengths)
      : lengths_(lengths.size()) {
    std::array<std::size_t, kLarge + 1> next{};
    for (const std::uint32_t frequency : frequencies) ++ends_[std::min(frequency, kLarge)];
    std::partial_sum(ends_.begin(), ends_.end(), ends_.begin());
    std::copy(ends_.begin(), ends_.end() - 1, next.begin() + 1);
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      if (frequencies[i] >= kLarge) large_.emplace_back(frequencies[i], lengths[i]);
      lengths_[next[std::min(frequencies[i], kLarge)]++] = lengths[i];
    }
    std::sort(large_.begin(), large_.end(), std::greater<>());
  }

  /// (frequency, length) with a frequency of kLarge or more, the largest first.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& large() const { return large_; }

  /// The up to `most` shortest lengths at a frequency of 1 to kLarge - 1, in no order.
  std::span<const std::uint32_t> shortest(std::uint32_t frequency, std::size_t most) {
    const auto group =
        std::span(lengths_).subspan(ends_[frequency - 1], ends_[frequency] - ends_[frequency - 1]);
    if (group.size() <= most) return group;
    std::nth_element(group.begin(), group.begin() + static_cast<std::ptrdiff_t>(most), group.end());
    return group.first(most);
  }

 private:
  std::vector<std::uint32_t> lengths_;
  std::array<std::size_t, kLarge + 1> ends_{};
  std::vector<std::pair<std::uint32_t, std::uint32_t>> large_;
};

std::vector<ListSeed> best_of(std::span<const RankSeed> ranks) {
  std::vector<ListSeed> seeds;
  for (const RankSeed& rank : ranks) seeds.push_back(rank.best());
  return seeds;
}

}  // namespace

std::vector<ListSeed> find_seeds(std::span<const std::uint32_t> frequencies,
                                 std::span<const std::uint32_t> lengths) {
  const std::uint32_t count = seed_count(static_cast<std::uint32_t>(frequencies.size()));
  std::vector<RankSeed> ranks(kSeedRanks.begin(), kSeedRanks.begin() + count);
  const double total =
      static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}));
  const double average = std::max(1.0, total / static_cast<double>(lengths.size()));
  ByFrequency groups(frequencies, lengths);
  for (const auto& [frequency, length] : groups.large()) {
    for (RankSeed& rank : ranks) {
      rank.add(length);
      // Of equal frequencies the last closes with all of them added, the others harmlessly before.
      rank.close_frequency(frequency, average);
    }
  }
  for (std::uint32_t frequency = ByFrequency::kLarge - 1; frequency > 0; --frequency) {
    if (std::all_of(ranks.begin(), ranks.end(),
                    [&](const RankSeed& rank) { return rank.outdoes(frequency, average); })) {
      break;
    }
    for (const std::uint32_t length : groups.shortest(frequency, kSeedRanks[count - 1])) {
      for (RankSeed& rank : ranks) rank.add(length);
    }
    for (RankSeed& rank : ranks) rank.close_frequency(frequency, average);
  }
  return best_of(ranks);
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
