// Draws the values of made-up posting lists.
#include "benchmarks/synthetic_lists.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace warpdex::tools {
namespace {

/// Numbers of misses before a hit, where `mean` is their mean.
class Misses {
 public:
  explicit Misses(double mean) : scale_(1 / std::log(mean / (1 + mean))) {}

  std::uint32_t operator()(std::mt19937_64& random) const {
    const double uniform = (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53;
    return static_cast<std::uint32_t>(std::log(uniform) * scale_);
  }

 private:
  double scale_;
};

}  // namespace

std::string_view distribution_name(Distribution distribution) {
  switch (distribution) {
    case Distribution::kRandom: return "random";
    case Distribution::kClustered: return "clustered";
    case Distribution::kDense: return "dense";
    case Distribution::kFrequencies: return "frequencies";
  }
  return "";
}

std::vector<std::uint32_t> make_values(Distribution distribution, std::size_t count,
                                       std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const Misses far(distribution == Distribution::kClustered ? 250 : 31);
  const Misses near(distribution == Distribution::kDense ? 1.5 : 3);
  std::vector<std::uint32_t> values(count);
  for (std::uint32_t& value : values) {
    switch (distribution) {
      case Distribution::kRandom: value = far(random); break;
      case Distribution::kClustered: value = random() % 10 == 0 ? far(random) : near(random); break;
      case Distribution::kDense: value = near(random); break;
      case Distribution::kFrequencies:
        value = random() % 4 != 0 ? 0 : 1 + (random() % 6 == 0 ? near(random) * 3 : random() % 3);
        break;
    }
  }
  return values;
}

std::vector<std::uint32_t> docids_of(const std::vector<std::uint32_t>& gaps) {
  std::vector<std::uint32_t> docids(gaps.size());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    docids[i] = next + gaps[i];
    next = docids[i] + 1;
  }
  return docids;
}

}  // namespace warpdex::tools
