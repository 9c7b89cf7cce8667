// Alternates between codes, rotation and codewords.
#include "pq/rotation.hpp"

#include <Eigen/Dense>
#include <algorithm>

#include "distance/distance_kernels.hpp"
#include "kmeans/parallel_parts.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {
namespace {

/// Reads kMinPoints points, more if kPointsPerComponent for each component come to more, and all if
/// there are fewer.
constexpr std::size_t kMinPoints = 16'384;
constexpr std::size_t kPointsPerComponent = 8;
constexpr std::size_t kPartPoints = 256;
/// Of the codebooks that the iterations begin with.
constexpr std::size_t kFirstIterations = 4;
/// Rows whose product is added up in float.
constexpr std::size_t kProductRows = 1024;

using RowMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Points spread evenly over all.
Matrix<float> take_points(const Matrix<float>& points) {
  const std::size_t wanted = std::max(kMinPoints, kPointsPerComponent * points.columns);
  const std::size_t count = std::min<std::size_t>(wanted, points.rows);
  Matrix<float> taken{count, points.columns, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<const float> row = points.row(i * points.rows / count);
    taken.values.insert(taken.values.end(), row.begin(), row.end());
  }
  return taken;
}

Eigen::Map<const RowMatrix> rows_of(const Matrix<float>& matrix, std::size_t first,
                                    std::size_t count) {
  return {matrix.values.data() + first * matrix.columns, static_cast<Eigen::Index>(count),
          static_cast<Eigen::Index>(matrix.columns)};
}

/// The state of the iterations.
class RotationTraining {
 public:
  RotationTraining(const Matrix<float>& points, const PqTraining& training)
      : points_(take_points(points)),
        threads_(training.threads == 0 ? default_threads() : training.threads),
        rotated_(points_),
        decoded_(points_),
        codes_(points_.rows * training.bytes),
        rotation_(points.columns * points.columns) {
    PqTraining first = training;
    first.iterations = kFirstIterations;
    first.on_parts = {};
    codebooks_ = train_codebooks(points_, first);
    quantizer_ = {points.columns, training.bytes, training.bits, codebooks_, {}};
  }

  void iterate() {
    encode_points();
    set_rotation();
    quantizer_.rotation = rotation_;
    rotate_points(quantizer_, points_, threads_, rotated_);
    move_codewords();
  }

  std::vector<float> take() { return std::move(rotation_); }

 private:
  void encode_points() {
    for_each_part(points_.rows, kPartPoints, threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        std::uint8_t* const code = codes_.data() + i * quantizer_.bytes;
        encode(quantizer_, rotated_.row(i).data(), code);
        decode(quantizer_, code, decoded_.row(i).data());
      }
    });
  }

  /// Y'X, with X the points and Y their codewords as rows. Threads multiply parts of the rows;
  /// these products are added in order, so that the number of threads changes nothing.
  Eigen::MatrixXd multiply_points() const {
    const auto dimension = static_cast<Eigen::Index>(points_.columns);
    Eigen::MatrixXd product = Eigen::MatrixXd::Zero(dimension, dimension);
    const std::size_t all = (points_.rows + kProductRows - 1) / kProductRows;
    std::vector<RowMatrix> parts(std::min(threads_, all));
    for (std::size_t begin = 0; begin < all; begin += parts.size()) {
      const std::size_t together = std::min(parts.size(), all - begin);
      parallel_for(threads_, together, [&](std::size_t /*thread*/, std::size_t i) {
        const std::size_t first = (begin + i) * kProductRows;
        const std::size_t count = std::min<std::size_t>(kProductRows, points_.rows - first);
        parts[i] = rows_of(decoded_, first, count).transpose() * rows_of(points_, first, count);
      });
      for (std::size_t i = 0; i < together; ++i) product += parts[i].cast<double>();
    }
    return product;
  }

  /// With Y'X = USV', the rotation that brings X nearest to Y is UV'.
  void set_rotation() {
    const auto dimension = static_cast<Eigen::Index>(points_.columns);
    const Eigen::MatrixXd product = multiply_points();
    const Eigen::BDCSVD<Eigen::MatrixXd> parts(product, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Eigen::Map<RowMatrix>(rotation_.data(), dimension, dimension) =
        (parts.matrixU() * parts.matrixV().transpose()).cast<float>();
  }

  /// A codeword that stands for no point stays.
  void move_codewords() {
    const std::size_t words = quantizer_.codewords();
    parallel_for(threads_, quantizer_.parts(), [&](std::size_t /*thread*/, std::size_t part) {
      const std::size_t begin = quantizer_.part_begin(part);
      const std::size_t end = quantizer_.part_begin(part + 1);
      std::vector<double> sums((end - begin) * words);
      std::vector<std::size_t> counts(words);
      for (std::size_t i = 0; i < points_.rows; ++i) {
        const std::size_t word = codeword(quantizer_, codes_.data() + i * quantizer_.bytes, part);
        ++counts[word];
        for (std::size_t c = begin; c < end; ++c) {
          sums[(c - begin) * words + word] += double{rotated_.row(i)[c]};
        }
      }
      for (std::size_t c = begin; c < end; ++c) {
        for (std::size_t word = 0; word < words; ++word) {
          if (counts[word] == 0) continue;
          codebooks_[c * words + word] = static_cast<float>(sums[(c - begin) * words + word] /
                                                            static_cast<double>(counts[word]));
        }
      }
    });
  }

  Matrix<float> points_;
  std::size_t threads_;
  Matrix<float> rotated_;
  Matrix<float> decoded_;  ///< the codewords of the rotated points
  std::vector<std::uint8_t> codes_;
  std::vector<float> codebooks_;
  std::vector<float> rotation_;
  ProductQuantizer quantizer_;
};

}  // namespace

void rotate_points(const ProductQuantizer& quantizer, const Matrix<float>& points,
                   std::size_t threads, Matrix<float>& rotated) {
  for_each_part(points.rows, kPartPoints, threads, [&](std::size_t first, std::size_t last) {
    std::vector<float> point(padded(points.columns));
    for (std::size_t i = first; i < last; ++i) {
      std::copy_n(points.row(i).data(), points.columns, point.data());
      rotate(quantizer, point.data(), rotated.row(i).data());
    }
  });
}

std::vector<float> train_rotation(const Matrix<float>& points, const PqTraining& training) {
  RotationTraining state(points, training);
  for (std::size_t number = 1; number <= kRotationIterations; ++number) {
    state.iterate();
    if (training.on_parts) training.on_parts(number, kRotationIterations);
  }
  return state.take();
}

void rotate_back(std::span<const float> rotation, const std::vector<float>& rotated, float* out) {
  const std::size_t dimension = rotated.size();
  if (rotation.empty()) {
    std::copy(rotated.begin(), rotated.end(), out);
    return;
  }
  std::vector<double> sums(dimension);
  for (std::size_t row = 0; row < dimension; ++row) {
    for (std::size_t c = 0; c < dimension; ++c) {
      sums[c] += double{rotation[row * dimension + c]} * double{rotated[row]};
    }
  }
  std::transform(sums.begin(), sums.end(), out, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace warpdex::vector
