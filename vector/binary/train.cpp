// Means and quantiles of a sample.
#include "binary/train.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "binary/rotated.hpp"
#include "distance/distance_kernels.hpp"
#include "kmeans/parallel_parts.hpp"
#include "kmeans/random.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// The sample has at most this many components, but at least kMinSampleRows rows.
constexpr std::size_t kSampleComponents = std::size_t{1} << 22;
constexpr std::size_t kMinSampleRows = 1024;
constexpr std::size_t kTrainPartRows = 64;

/// Numbers of the standard normal distribution, by Box and Muller: the same on every machine that
/// has the same logarithm and cosine.
class NormalNumbers {
 public:
  explicit NormalNumbers(std::uint64_t seed) : random_(seed) {}
  double next() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  /// Above 0, at most 1.
  double uniform() {
    constexpr std::uint64_t kEnd = std::uint64_t{1} << 53;
    return static_cast<double>(random_.below(kEnd) + 1) / static_cast<double>(kEnd);
  }
  Random random_;
};

/// Row numbers spread evenly over all.
std::vector<std::size_t> sample_rows(const VectorView& rows) {
  const std::size_t wanted = std::max(kMinSampleRows, kSampleComponents / rows.dimension);
  std::vector<std::size_t> sample(std::min(wanted, rows.rows));
  for (std::size_t i = 0; i < sample.size(); ++i) sample[i] = i * rows.rows / sample.size();
  return sample;
}

}  // namespace

std::vector<float> centre_of_sample(const VectorView& rows) {
  const std::vector<std::size_t> sample = sample_rows(rows);
  std::vector<double> sums(rows.dimension);
  std::vector<float> row(rows.dimension);
  for (const std::size_t number : sample) {
    copy_row(rows, number, row.data());
    for (std::size_t c = 0; c < row.size(); ++c) sums[c] += double{row[c]};
  }
  std::vector<float> mean(rows.dimension);
  for (std::size_t c = 0; c < mean.size() && !sample.empty(); ++c) {
    mean[c] = static_cast<float>(sums[c] / static_cast<double>(sample.size()));
  }
  return mean;
}

void check_binary(const BinarySettings& settings) {
  if (settings.bits < 1 || settings.bits > kMaxBinaryBits) {
    throw UsageError("a component's code has 1 to " + std::to_string(kMaxBinaryBits) +
                     " bits, not " + std::to_string(settings.bits));
  }
  if (!(settings.clip < 1)) {
    throw UsageError("the share of clipped components is from 0 to below 1, not " +
                     std::to_string(settings.clip));
  }
}

float clipped_scale(std::span<float> values, double clip) {
  if (values.empty()) return 1;
  const auto above = static_cast<std::size_t>(clip * static_cast<double>(values.size()));
  const auto place =
      values.begin() + static_cast<std::ptrdiff_t>(std::min(above, values.size() - 1));
  std::nth_element(values.begin(), place, values.end(), std::greater<>());
  // Of zeros nearly everywhere, the range is that of the others.
  float scale = *place;
  if (scale == 0) scale = *std::max_element(values.begin(), values.end());
  return std::isnormal(scale) ? scale : 1;
}

std::vector<float> random_rotation(std::size_t dimension, std::uint64_t seed) {
  const auto size = static_cast<Eigen::Index>(dimension);
  NormalNumbers numbers(seed);
  Eigen::MatrixXd drawn(size, size);
  for (Eigen::Index column = 0; column < size; ++column) {
    for (Eigen::Index row = 0; row < size; ++row) drawn(row, column) = numbers.next();
  }
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposition(drawn);
  Eigen::MatrixXd orthogonal = decomposition.householderQ();
  // The signs of R's diagonal make the draw even.
  for (Eigen::Index c = 0; c < size; ++c) {
    if (decomposition.matrixQR()(c, c) < 0) orthogonal.col(c) *= -1;
  }
  std::vector<float> rotation(dimension * dimension);
  for (std::size_t row = 0; row < dimension; ++row) {
    for (std::size_t column = 0; column < dimension; ++column) {
      rotation[row * dimension + column] = static_cast<float>(
          orthogonal(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)));
    }
  }
  return rotation;
}

BinaryTraining train_scale(const VectorView& rows, const BinarySettings& settings,
                           const SampledRow& row_of) {
  BinaryTraining training;
  training.bits = settings.bits;
  training.is_corrected = settings.is_corrected;
  if (settings.is_rotated) training.rotation = random_rotation(rows.dimension, settings.seed);
  const BinaryQuantizer quantizer = training.quantizer(rows.dimension);
  const std::vector<std::size_t> sample = sample_rows(rows);
  std::vector<float> components(sample.size() * rows.dimension);
  for_each_part(
      sample.size(), kTrainPartRows, settings.threads, [&](std::size_t first, std::size_t last) {
        std::vector<float> row(padded(rows.dimension));
        std::vector<float> rotated(row.size());
        for (std::size_t i = first; i < last; ++i) {
          row_of(sample[i], row.data());
          rotate_from_centre(quantizer, row.data(), rotated.data());
          if (settings.is_corrected) normalize(rotated);
          std::transform(rotated.begin(),
                         rotated.begin() + static_cast<std::ptrdiff_t>(rows.dimension),
                         components.begin() + static_cast<std::ptrdiff_t>(i * rows.dimension),
                         [](float value) { return std::abs(value); });
        }
      });
  const double clip = settings.clip < 0 ? default_clip(settings.bits) : settings.clip;
  training.scale = clipped_scale(components, clip);
  return training;
}

BinaryTraining train_binary(const FlatVectors& rows, const BinarySettings& settings) {
  std::vector<float> centre(rows.centre.begin(), rows.centre.end());
  if (centre.empty()) centre = centre_of_sample(rows.vectors);
  BinaryTraining training =
      train_scale(rows.vectors, settings, [&](std::size_t number, float* row) {
        copy_row(rows.vectors, number, row);
        for (std::size_t c = 0; c < centre.size(); ++c) row[c] -= centre[c];
      });
  training.centre = std::move(centre);
  return training;
}

}  // namespace warpdex::vector
