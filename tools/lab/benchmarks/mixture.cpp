// Draws vectors from a mixture of clusters.
#include "benchmarks/mixture.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "benchmarks/splitmix.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::tools {

Mixture::Mixture(std::size_t dimension, std::uint64_t seed) : dimension_(dimension), seed_(seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  for (std::size_t i = 0; i < kGroups * kClusters * dimension; ++i) {
    centres_.push_back(0.3F * normal(random));
  }
  const float spread = 0.7F / std::sqrt(static_cast<float>(kDirections));
  for (std::size_t i = 0; i < kGroups * kDirections * dimension; ++i) {
    directions_.push_back(spread * normal(random));
  }
}

namespace {

/// Numbers that are about normal: sums of four even ones, which the 64 bits of a random number
/// give. A hundred million vectors have ten billion of them.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}

  float next() {
    const std::uint64_t bits = splitmix(state_);
    state_ += kSplitmixStep;
    const std::uint64_t pairs = (bits & 0x0000FFFF0000FFFFU) + (bits >> 16 & 0x0000FFFF0000FFFFU);
    const auto sum = static_cast<std::int32_t>((pairs & 0xFFFFFFFFU) + (pairs >> 32));
    constexpr float kDeviation = 37837.2F;  // of a sum: 2^16 / sqrt(3)
    return static_cast<float>(sum - 131'070) / kDeviation;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

void Mixture::draw_part(std::size_t first, std::size_t count, float* rows) const {
  std::mt19937_64 random(seed_ * 1'000'003 + first + 1);
  Noise noise(random());
  std::normal_distribution<float> normal;
  std::uniform_real_distribution<float> uniform;
  for (std::size_t i = 0; i < count; ++i, rows += dimension_) {
    const std::size_t group = random() % kGroups;
    const auto cluster = std::min(
        kClusters - 1, static_cast<std::size_t>(kClusters * std::pow(uniform(random), 1.5F)));
    const float* const centre = centres_.data() + (group * kClusters + cluster) * dimension_;
    for (std::size_t c = 0; c < dimension_; ++c) rows[c] = centre[c] + 0.1F * noise.next();
    for (std::size_t d = 0; d < kDirections; ++d) {
      const float share = normal(random);
      const float* const direction = directions_.data() + (group * kDirections + d) * dimension_;
      for (std::size_t c = 0; c < dimension_; ++c) rows[c] += share * direction[c];
    }
  }
}

vector::Matrix<float> Mixture::draw(std::size_t rows, std::size_t first) const {
  vector::Matrix<float> made{rows, dimension_, std::vector<float>(rows * dimension_)};
  constexpr std::size_t kPart = 4096;
  parallel_for(0, (rows + kPart - 1) / kPart, [&](std::size_t /*thread*/, std::size_t part) {
    const std::size_t row = part * kPart;
    draw_part(first + row, std::min(kPart, rows - row), made.row(row).data());
  });
  return made;
}

vector::Matrix<float> draw_vectors(const std::string& text, std::uint64_t seed) {
  const std::size_t comma = text.find(',');
  std::size_t rows = 0;
  std::size_t dimension = 0;
  try {
    rows = std::stoull(text);
    dimension = std::stoull(text.substr(comma + 1));
  } catch (const std::exception&) {
    rows = 0;
  }
  if (rows == 0 || dimension == 0 || comma == std::string::npos) {
    throw UsageError("--generate takes rows and components, such as 1000000,96, not '" + text +
                     "'");
  }
  return Mixture(dimension, seed).draw(rows);
}

std::vector<float> mean_of_first(const vector::Matrix<float>& vectors) {
  const std::size_t count = std::min<std::size_t>(vectors.rows, 65'536);
  std::vector<double> sums(vectors.columns);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += double{vectors.row(i)[c]};
  }
  std::vector<float> centre;
  for (const double sum : sums) {
    centre.push_back(static_cast<float>(sum / static_cast<double>(count)));
  }
  return centre;
}

}  // namespace warpdex::tools
