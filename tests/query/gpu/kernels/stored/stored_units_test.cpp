// The units of postings that are decoded once, modelled in plain C++ after their layout: never
// below the scores that they stand for, and above them by no more than rounding_slack allows.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "gpu/layout/layout.hpp"
#include "gpu/layout/length_codes.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex::gpu {
namespace {

using Random = std::mt19937_64;

/// What QueryMeasurer allows for each list, in units.
constexpr double kSlackOfList = 4;
constexpr std::uint32_t kShares = 1U << (32 - kStoredShift);
/// A share of 1 is stored as the largest that has room: the scores of all lists of a query, which
/// kMaxSum bounds, lose this much together. Thresholds are lower by a unit at least.
constexpr double kMissing = kMaxSum / kShares;
static_assert(kMissing < 0.5);

double between(Random& random, double low, double high) {
  return low + (high - low) * static_cast<double>(random() >> 11) * 0x1p-53;
}

/// Small numbers as often as large ones.
double of_any_size(Random& random, double low, double high) {
  return std::exp(between(random, std::log(low), std::log(high)));
}

/// As a GPU's fast division may round: off by 2 units of the last place.
float divide_fast(Random& random, float a, float b) {
  float quotient = a / b;
  for (auto steps = random() % 3; steps > 0; --steps) {
    const float to = random() % 2 == 0 ? 0 : std::numeric_limits<float>::infinity();
    quotient = std::nextafter(quotient, to);
  }
  return quotient;
}

StoredPosting in_a_tile(Random& random) { return random() % kTileDocuments * 2; }

/// BM25's parameters, an average length, and what scorers make of them.
struct Bm25 {
  float c0;
  float c1;

  explicit Bm25(Random& random) {
    const double k1 = random() % 8 == 0 ? 0 : between(random, 0.01, 3);
    const double b = random() % 4 == 0 ? static_cast<double>(random() % 2) : between(random, 0, 1);
    c0 = static_cast<float>(k1 * (1 - b));
    c1 = static_cast<float>(k1 * b / of_any_size(random, 1, 1e5));
  }

  double share(std::uint32_t tf, std::uint32_t length) const {
    return tf / (tf + (double{c0} + double{c1} * length));
  }
};

/// A posting as store_lists writes it.
StoredPosting store(Random& random, const Bm25& scorer, std::uint32_t tf, std::uint32_t length) {
  const auto rounded_length = static_cast<float>(decode_length(encode_length(length)));
  const float part = scorer.c0 + scorer.c1 * rounded_length;
  const float frequency = static_cast<float>(tf - 1) + 1.F;
  const float share = divide_fast(random, frequency, frequency + part);
  const auto digits = static_cast<std::uint32_t>(share * static_cast<float>(kShares) + 1.1F);
  return std::min(digits, kShares - 1) << kStoredShift | in_a_tile(random);
}

/// As add_stored reads it.
std::uint32_t units_of_bm25(StoredPosting posting, float weight) {
  const auto sixteenths = static_cast<std::uint32_t>(std::ceil(weight * 16.F));
  return static_cast<std::uint32_t>(std::uint64_t{posting} * sixteenths >> 36) + 1;
}

std::uint32_t units_of_impact(StoredPosting posting, float weight) {
  const auto fraction = static_cast<std::uint32_t>(std::ceil(weight * 256.F));
  return ((posting >> kStoredImpactShift) * fraction + 255) >> 8;
}

struct Posting {
  std::uint32_t tf;
  std::uint32_t length;

  explicit Posting(Random& random)
      : tf(static_cast<std::uint32_t>(of_any_size(random, 1, 4e9))),
        length(static_cast<std::uint32_t>(of_any_size(random, 1, 4e9))) {
    if (random() % 4 != 0) tf = 1 + tf % 100;
    if (random() % 4 != 0) length = std::max(tf, length % 5000);
  }
};

TEST(StoredUnits, OfBm25AreWhatRoundingAllows) {
  Random random = test::generator(871);
  int clamped = 0;
  for (int i = 0; i < 2'000'000; ++i) {
    const Bm25 scorer(random);
    const Posting posting(random);
    // Heavier lists are capped: their postings count no more than kMaxSum and little beside.
    const bool is_capped = random() % 2 == 0;
    const double most = is_capped ? kMaxStoredWeight : kMaxSum;
    auto weight = static_cast<float>(of_any_size(random, 1e-3, most));
    if (random() % 16 == 0) weight = static_cast<float>(most);
    const auto cap = is_capped ? static_cast<std::uint32_t>(kMaxSum) + 2 : kNone;
    const StoredPosting stored = store(random, scorer, posting.tf, posting.length);
    const std::uint32_t units = std::min(units_of_bm25(stored, weight), cap);
    const double score = weight * scorer.share(posting.tf, posting.length);
    const std::uint32_t rounded_length = decode_length(encode_length(posting.length));
    const double most_score = weight * scorer.share(posting.tf, rounded_length);
    const bool is_clamped = scorer.share(posting.tf, rounded_length) * kShares > kShares - 1.2;
    clamped += is_clamped ? 1 : 0;
    ASSERT_GE(units, 1U);
    ASSERT_GE(units, std::min<double>(score, cap) - (is_clamped ? kMissing : 0))
        << posting.tf << " times in " << posting.length << ", weight " << weight;
    ASSERT_LE(units, most_score + kSlackOfList)
        << posting.tf << " times in " << posting.length << ", weight " << weight;
  }
  EXPECT_GT(clamped, 1000);
}

TEST(StoredUnits, OfManyListsFitSixteenBits) {
  Random random = test::generator(872);
  for (int i = 0; i < 100'000; ++i) {
    const Bm25 scorer(random);
    const Posting posting(random);
    const StoredPosting stored = store(random, scorer, posting.tf, posting.length);
    // 64 lists that share kMaxSum.
    const std::uint32_t units = units_of_bm25(stored, kMaxSum / kMaxLists);
    ASSERT_LE(units * kMaxLists, 0xFFFFU);
  }
}

TEST(StoredUnits, OfImpactsAreExactForWholeWeights) {
  for (std::uint32_t impact = 1; impact <= kMaxImpact; ++impact) {
    const StoredPosting stored = impact << kStoredImpactShift | (kTileDocuments - 1) * 2;
    for (std::uint32_t weight = 1; weight * impact <= 0xFFFF; ++weight) {
      ASSERT_EQ(units_of_impact(stored, static_cast<float>(weight)), weight * impact);
    }
  }
}

TEST(StoredUnits, OfImpactsAreWhatRoundingAllows) {
  Random random = test::generator(873);
  for (int i = 0; i < 1'000'000; ++i) {
    const auto impact = static_cast<std::uint32_t>(1 + random() % kMaxImpact);
    const StoredPosting stored = impact << kStoredImpactShift | in_a_tile(random);
    // A list's bound is its weight times kMaxImpact, whatever impacts it has.
    const auto weight = static_cast<float>(of_any_size(random, 1e-4, kMaxSum / kMaxImpact));
    const std::uint32_t units = units_of_impact(stored, weight);
    const double score = static_cast<double>(weight) * impact;
    ASSERT_GE(units, score) << impact << " times " << weight;
    ASSERT_LE(units, score + kSlackOfList) << impact << " times " << weight;
  }
}

}  // namespace
}  // namespace warpdex::gpu
