// Seeds of thresholds: that they hold, and that no better pair would have held.
#include "warpdex/indexer/format/seeds.hpp"

#include <algorithm>
#include <functional>

#include "tests/support.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/indexer/format/score_bound.hpp"

namespace warpdex {
namespace {

using Values = std::vector<std::uint32_t>;

/// Frequencies and lengths of several kinds: small, equal, of all magnitudes.
void draw_list(std::mt19937_64& random, std::size_t size, Values& frequencies, Values& lengths) {
  frequencies.clear();
  lengths.clear();
  const std::uint64_t kind = random() % 4;
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_any = kind == 2 || (kind == 3 && random() % 50 == 0);
    frequencies.push_back(kind == 0 ? 3
                          : is_any
                              ? 1 + static_cast<std::uint32_t>(random() >> (33 + random() % 31))
                              : 1 + static_cast<std::uint32_t>(random() % 6));
    lengths.push_back(is_any ? static_cast<std::uint32_t>(random() >> (33 + random() % 31))
                             : 5 + static_cast<std::uint32_t>(random() % 3000));
  }
}

/// The best score of any pair that `rank` postings reach, each pair rounded as it is stored.
double best_by_force(const Values& frequencies, const Values& lengths, std::size_t rank) {
  double total = 0;
  for (const std::uint32_t length : lengths) total += length;
  const double average = std::max(1.0, total / static_cast<double>(lengths.size()));
  Values sorted = frequencies;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  double best = 0;
  for (const std::uint32_t frequency : sorted) {
    Values reached;
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
      if (frequencies[i] >= frequency) reached.push_back(lengths[i]);
    }
    if (reached.size() < rank) continue;
    std::sort(reached.begin(), reached.end());
    const double length = decode_length(encode_length_up(reached[rank - 1]));
    best = std::max(best, default_saturation(std::min(frequency, 65535U), length, average));
  }
  return best;
}

class Seeds : public testing::TestWithParam<std::size_t> {};

TEST_P(Seeds, HoldAndAreTheBest) {
  auto random = test::generator(40 + GetParam());
  Values frequencies;
  Values lengths;
  for (int round = 0; round < 12; ++round) {
    draw_list(random, GetParam(), frequencies, lengths);
    const std::vector<ListSeed> seeds = find_seeds(frequencies, lengths);
    ASSERT_EQ(seeds.size(), GetParam() >= 1000 ? 3U : 2U);
    double total = 0;
    for (const std::uint32_t length : lengths) total += length;
    const double average = std::max(1.0, total / static_cast<double>(lengths.size()));
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const std::uint32_t longest = decode_length(seeds[i].length);
      std::size_t reached = 0;
      for (std::size_t j = 0; j < lengths.size(); ++j) {
        reached += frequencies[j] >= seeds[i].frequency && lengths[j] <= longest ? 1 : 0;
      }
      ASSERT_GE(reached, kSeedRanks[i]) << "round " << round;
      ASSERT_GE(seeds[i].frequency, 1U);
      ASSERT_DOUBLE_EQ(default_saturation(seeds[i].frequency, longest, average),
                       best_by_force(frequencies, lengths, kSeedRanks[i]))
          << "round " << round << " rank " << kSeedRanks[i];
    }
  }
}

TEST_P(Seeds, OfImpactsAreThoseOfTheirRanks) {
  auto random = test::generator(60 + GetParam());
  for (const std::uint32_t max : {1U, 3U, 255U}) {
    Values impacts;
    for (std::size_t i = 0; i < GetParam(); ++i) {
      impacts.push_back(1 + static_cast<std::uint32_t>(random() % max));
    }
    const std::vector<ListSeed> seeds = find_impact_seeds(impacts);
    std::sort(impacts.begin(), impacts.end(), std::greater<>());
    ASSERT_EQ(seeds.size(), GetParam() >= 1000 ? 3U : 2U);
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const auto right = static_cast<std::uint16_t>(impacts[kSeedRanks[i] - 1]);
      EXPECT_EQ(seeds[i], (ListSeed{right, 0}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Seeds, testing::Values(128, 129, 999, 1000, 1001, 2500));

TEST(Seeds, LengthCodesKeepOrderAndRoundUp) {
  for (std::uint32_t value = 0; value < 5000; ++value) {
    const std::uint32_t decoded = decode_length(encode_length_up(value));
    ASSERT_GE(decoded, value);
    ASSERT_LE(decoded, value + value / 1024);
    if (value < 2048) {
      ASSERT_EQ(decoded, value);
    }
  }
  for (std::uint32_t code = 1; code < 65536; ++code) {  // also those of no number
    ASSERT_GE(decode_length(static_cast<std::uint16_t>(code)),
              decode_length(static_cast<std::uint16_t>(code - 1)));
  }
  for (const std::uint32_t value : {0x7FFFFFFFU, 0x80000000U, 0xFFE00000U, 0xFFFFFFFFU}) {
    EXPECT_GE(decode_length(encode_length_up(value)), value);
  }
}

}  // namespace
}  // namespace warpdex
