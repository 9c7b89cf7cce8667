// Tables of log-normal factors, cut off above so that few documents are tried for a posting.
#include "generate/leanings.hpp"

#include <algorithm>
#include <vector>

#include "generate/counter_random.hpp"
#include "generate/portable_math.hpp"

namespace warpdex::generate {
namespace {

// Standard deviations of the logarithms at the greatest strength, in octaves.
constexpr double kMiddleSpread = 1.2;
constexpr double kFineSpread = 1.6;
constexpr double kMaxMiddle = 4;
constexpr double kMaxFine = 8;
constexpr double kFrequencyPower = 0.4;

void fill(std::array<float, Leanings::kCount>& odds, std::array<float, Leanings::kCount>& frequency,
          double spread, double max) {
  constexpr std::size_t kStep = std::tuple_size_v<NormalTable> / Leanings::kCount;
  std::array<double, Leanings::kCount> factors{};
  double sum = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double z = normal_table()[i * kStep + kStep / 2] / double{kNormalUnit};
    factors[i] = std::min(max, power_of_two(z * spread));
    sum += factors[i];
  }
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const double factor = factors[i] * Leanings::kCount / sum;
    odds[i] = static_cast<float>(factor);
    frequency[i] = static_cast<float>(power(factor, kFrequencyPower));
  }
}

/// Odds of documents drawn at random, over the means of their sections.
std::vector<double> sample_odds(const Leanings& leanings, std::uint64_t seed, const Layout& layout,
                                std::size_t count) {
  CounterRandom random(stream_key(seed, Purpose::kSample));
  const std::span<const Section> sections = layout.sections();
  std::vector<double> samples(count);
  for (double& sample : samples) {
    const std::uint32_t document = random.next_below(layout.documents());
    const auto section =
        std::upper_bound(sections.begin(), sections.end(), document,
                         [](std::uint32_t place, const Section& one) { return place < one.begin; });
    const double mean = power_of_two(std::prev(section)->affinity / double{kOctave});
    const std::uint64_t number = random.next();
    sample = layout.affinity(document) / mean * leanings.middle[number >> 56] *
             leanings.fine[number >> 48 & 255];
  }
  std::sort(samples.begin(), samples.end());
  return samples;
}

}  // namespace

Leanings make_leanings(std::uint64_t seed, const Layout& layout, int strength) {
  Leanings leanings;
  const double share = static_cast<double>(strength) / kStrengths;
  fill(leanings.middle, leanings.middle_frequency, kMiddleSpread * share, kMaxMiddle);
  fill(leanings.fine, leanings.fine_frequency, kFineSpread * share, kMaxFine);
  leanings.max_fine = leanings.fine.back();
  leanings.max_leaning = leanings.middle.back() * leanings.max_fine;
  leanings.max = leanings.max_leaning * kMaxAffinity;

  constexpr std::size_t kShare = 1024;
  const std::vector<double> samples =
      sample_odds(leanings, seed, layout, kShare * Leanings::kSampled);
  for (std::size_t i = 0; i < samples.size(); ++i) leanings.odds[i / kShare] += samples[i] / kShare;
  return leanings;
}

}  // namespace warpdex::generate
