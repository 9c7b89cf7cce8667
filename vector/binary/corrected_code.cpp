// Scales are tried, then components are moved.
#include "binary/corrected_code.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "binary/rotated.hpp"
#include "distance/distance_kernels.hpp"

namespace warpdex::vector {
namespace {

double add_up(const std::array<float, kLanes>& lanes) {
  double sum = 0;
  for (const float lane : lanes) sum += double{lane};
  return sum;
}

/// The square of the cosine of the angle between a vector and its code by a scale, times the
/// vector's squared length. Sums in 32 lanes, which any processor adds up alike.
double score_scale(const float* rotated, std::size_t dimension, float scale, std::size_t bits) {
  const float factor = cell_factor(scale, bits);
  const auto half = static_cast<float>(1U << (bits - 1));
  const auto last = static_cast<float>((1U << bits) - 1);
  std::array<float, kLanes> products{};
  std::array<float, kLanes> squares{};
  for (std::size_t begin = 0; begin < dimension; begin += kLanes) {
    const std::size_t count = std::min(kLanes, dimension - begin);
    for (std::size_t lane = 0; lane < count; ++lane) {
      const float y = rotated[begin + lane];
      float t = y * factor + half;
      t = t > 0 ? t : 0.0F;
      t = t < last ? t : last;
      const float c = static_cast<float>(2 * static_cast<std::int32_t>(t)) - last;
      products[lane] += c * y;
      squares[lane] += c * c;
    }
  }
  const double product = add_up(products);
  return product > 0 ? product * product / add_up(squares) : 0;
}

/// The scale, around the usual one, whose code points best in the vector's direction.
float find_scale(const float* rotated, std::size_t dimension, float usual, std::size_t bits) {
  float best = std::isnormal(usual) ? usual : 1.0F;
  double best_score = -1;
  for (const float factor : kScaleFactors) {
    const float scale = usual * factor;
    if (!std::isnormal(scale)) break;
    const double score = score_scale(rotated, dimension, scale, bits);
    if (score <= best_score) continue;
    best = scale;
    best_score = score;
  }
  return best;
}

/// The whole numbers of a code, and what tells how well it points in the vector's direction.
class MovingCode {
 public:
  MovingCode(const float* rotated, std::size_t dimension, float scale, std::size_t bits)
      : rotated_(rotated), last_(static_cast<int>((1U << bits) - 1)), numbers_(dimension) {
    const float factor = cell_factor(scale, bits);
    const auto half = static_cast<float>(1U << (bits - 1));
    for (std::size_t c = 0; c < dimension; ++c) {
      const float t = rotated[c] * factor + half;
      const int cell = t > 0 ? static_cast<int>(std::min(t, static_cast<float>(last_))) : 0;
      numbers_[c] = 2 * cell - last_;
      product_ += numbers_[c] * double{rotated[c]};
      squares_ += double{1} * numbers_[c] * numbers_[c];
    }
  }

  /// Moves each component to a neighbouring cell if that makes the angle smaller; returns whether
  /// any moved.
  bool move_all() {
    bool has_moved = false;
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      has_moved |= move(c, 2) || move(c, -2);
    }
    return has_moved;
  }

  double product() const { return product_; }
  const std::vector<int>& numbers() const { return numbers_; }

  void write(std::size_t bits, std::uint32_t* code) const {
    std::fill_n(code, (numbers_.size() + 31) / 32 * bits, 0U);
    for (std::size_t c = 0; c < numbers_.size(); ++c) {
      const auto cell = static_cast<std::uint32_t>((numbers_[c] + last_) / 2);
      for (std::size_t bit = 0; bit < bits; ++bit) {
        code[c / 32 * bits + bit] |= (cell >> (bits - 1 - bit) & 1U) << (c % 32);
      }
    }
  }

 private:
  bool move(std::size_t c, int step) {
    const int number = numbers_[c] + step;
    if (number > last_ || number < -last_) return false;
    const double product = product_ + step * double{rotated_[c]};
    const double squares = squares_ + step * (2.0 * numbers_[c] + step);
    if (!(product > 0 && product * product * squares_ > product_ * product_ * squares)) {
      return false;
    }
    numbers_[c] = number;
    product_ = product;
    squares_ = squares;
    return true;
  }

  const float* rotated_;
  int last_;
  std::vector<int> numbers_;
  double product_ = 0;  ///< with the vector
  double squares_ = 0;
};

}  // namespace

CodeCorrection encode_corrected(const float* rotated, std::size_t dimension, float usual_scale,
                                std::size_t bits, std::uint32_t* code) {
  double squared = 0;
  for (std::size_t c = 0; c < dimension; ++c) squared += double{rotated[c]} * double{rotated[c]};
  MovingCode moving(rotated, dimension, find_scale(rotated, dimension, usual_scale, bits), bits);
  for (int pass = 0; pass < kMovePasses && moving.move_all(); ++pass) {
  }
  moving.write(bits, code);
  CodeCorrection correction;
  if (moving.product() > 0) correction.factor = static_cast<float>(squared / moving.product());
  double left = 0;
  for (std::size_t c = 0; c < dimension; ++c) {
    const double difference = double{rotated[c]} - double{correction.factor} * moving.numbers()[c];
    left += difference * difference;
  }
  correction.residual = static_cast<float>(std::sqrt(left) * (1 + 0x1p-20));
  return correction;
}

}  // namespace warpdex::vector
