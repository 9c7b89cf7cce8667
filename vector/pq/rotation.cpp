// Alternates between codes, rotation and codewords.
#include "pq/rotation.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

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

/// Y'X of points and others as rows. Threads multiply parts of the rows; these products are added
/// in order, so that the number of threads changes nothing.
Eigen::MatrixXd multiply_rows(const Matrix<float>& left, const Matrix<float>& right,
                              std::size_t threads) {
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(left.columns),
                                                  static_cast<Eigen::Index>(right.columns));
  const std::size_t all = (left.rows + kProductRows - 1) / kProductRows;
  std::vector<RowMatrix> parts(std::min(threads, all));
  for (std::size_t begin = 0; begin < all; begin += parts.size()) {
    const std::size_t together = std::min(parts.size(), all - begin);
    parallel_for(threads, together, [&](std::size_t /*thread*/, std::size_t i) {
      const std::size_t first = (begin + i) * kProductRows;
      const std::size_t count = std::min<std::size_t>(kProductRows, left.rows - first);
      parts[i] = rows_of(left, first, count).transpose() * rows_of(right, first, count);
    });
    for (std::size_t i = 0; i < together; ++i) product += parts[i].cast<double>();
  }
  return product;
}

std::size_t settled_threads(const PqTraining& training) {
  return training.threads == 0 ? default_threads() : training.threads;
}

/// The row of the rotation that each eigenvalue's direction becomes; they descend.
std::vector<std::size_t> deal_out(const std::vector<double>& values, const PqTraining& training) {
  const ProductQuantizer shape{values.size(), training.bytes, training.bits};
  std::vector<double> products(shape.parts());  // logarithms, of multiples of the smallest value
  std::vector<std::size_t> filled(shape.parts());
  std::vector<std::size_t> rows;
  for (const double value : values) {
    std::size_t best = shape.parts();
    for (std::size_t part = 0; part < shape.parts(); ++part) {
      const bool has_room = filled[part] < shape.part_begin(part + 1) - shape.part_begin(part);
      if (has_room && (best == shape.parts() || products[part] < products[best])) best = part;
    }
    products[best] += std::log(value / values.back());
    rows.push_back(shape.part_begin(best) + filled[best]++);
  }
  return rows;
}

/// The state of the iterations.
class RotationTraining {
 public:
  RotationTraining(const Matrix<float>& points, const PqTraining& training, std::size_t rows)
      : points_(take_points(points)),
        threads_(settled_threads(training)),
        codes_(points_.rows * training.bytes),
        rotation_(rows * points.columns) {
    quantizer_ = {points.columns, training.bytes, training.bits};
    if (rows < points.columns) {
      rotation_ = principal_rows(points_, training, rows);
      quantizer_.rotation = rotation_;
    }
    rotate_points(quantizer_, points_, threads_, rotated_);
    decoded_ = rotated_;
    PqTraining first = training;
    first.iterations = kFirstIterations;
    first.on_parts = {};
    codebooks_ = train_codebooks(rotated_, first);
    quantizer_.codebooks = codebooks_;
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

  /// With X the points, Y their codewords as rows and Y'X = USV', the rotation that brings X
  /// nearest to Y is UV'. So it is with fewer rows than columns: of |X - YR|^2, R having orthogonal
  /// rows, R changes nothing but the product.
  void set_rotation() {
    const Eigen::MatrixXd product = multiply_rows(decoded_, points_, threads_);
    const Eigen::BDCSVD<Eigen::MatrixXd> parts(product, Eigen::ComputeThinU | Eigen::ComputeThinV);
    Eigen::Map<RowMatrix>(rotation_.data(), product.rows(), product.cols()) =
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
  rotated.rows = points.rows;
  rotated.columns = quantizer.coded_dimension();
  rotated.values.resize(rotated.rows * rotated.columns);
  for_each_part(points.rows, kPartPoints, threads, [&](std::size_t first, std::size_t last) {
    std::vector<float> point(padded(points.columns));
    for (std::size_t i = first; i < last; ++i) {
      std::copy_n(points.row(i).data(), points.columns, point.data());
      rotate(quantizer, point.data(), rotated.row(i).data());
    }
  });
}

std::vector<float> principal_rows(const Matrix<float>& points, const PqTraining& training,
                                  std::size_t rows) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(
      multiply_rows(points, points, settled_threads(training)));
  const auto last = static_cast<Eigen::Index>(points.columns) - 1;
  // What is next to nothing counts alike.
  const double least = std::max(parts.eigenvalues()[last] * 1e-9, 1e-300);
  std::vector<double> values;
  for (std::size_t i = 0; i < rows; ++i) {
    values.push_back(std::max(parts.eigenvalues()[last - static_cast<Eigen::Index>(i)], least));
  }
  const std::vector<std::size_t> row_of = deal_out(values, training);
  std::vector<float> rotation(rows * points.columns);
  for (std::size_t i = 0; i < rows; ++i) {
    Eigen::Map<Eigen::VectorXf>(rotation.data() + row_of[i] * points.columns, last + 1) =
        parts.eigenvectors().col(last - static_cast<Eigen::Index>(i)).cast<float>();
  }
  return rotation;
}

std::vector<float> train_rotation(const Matrix<float>& points, const PqTraining& training,
                                  std::size_t rows) {
  RotationTraining state(points, training, rows);
  for (std::size_t number = 1; number <= kRotationIterations; ++number) {
    state.iterate();
    if (training.on_parts) training.on_parts(number, kRotationIterations);
  }
  return state.take();
}

void rotate_back(std::span<const float> rotation, const std::vector<float>& rotated, float* out) {
  if (rotation.empty()) {
    std::copy(rotated.begin(), rotated.end(), out);
    return;
  }
  const std::size_t dimension = rotation.size() / rotated.size();
  std::vector<double> sums(dimension);
  for (std::size_t row = 0; row < rotated.size(); ++row) {
    for (std::size_t c = 0; c < dimension; ++c) {
      sums[c] += double{rotation[row * dimension + c]} * double{rotated[row]};
    }
  }
  std::transform(sums.begin(), sums.end(), out, [](double sum) { return static_cast<float>(sum); });
}

}  // namespace warpdex::vector
