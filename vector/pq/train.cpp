// k-means of each run; the threads share the runs. Arithmetic has one order, which the GPU keeps
// as well: points have the codewords that encode() gives them, means are sums in double precision
// in the order of points.
#include "pq/train.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "pq/codebook_kernels.hpp"
#include "pq/run_clusters.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {
namespace {

/// Some of the components of all points.
Matrix<float> copy_columns(const Matrix<float>& points, std::size_t first, std::size_t last) {
  Matrix<float> columns{points.rows, last - first, {}};
  columns.values.reserve(points.rows * columns.columns);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const std::span<const float> row = points.row(i).subspan(first, last - first);
    columns.values.insert(columns.values.end(), row.begin(), row.end());
  }
  return columns;
}

/// The codebook of one run while it is trained.
class RunTraining {
 public:
  /// `book` has `count` places for each component.
  RunTraining(Matrix<float> points, float* book, std::size_t count, std::size_t clusters,
              Random random)
      : points_(std::move(points)),
        book_(book),
        count_(count),
        clusters_(clusters),
        random_(random),
        words_(points_.rows) {}

  void run(std::size_t iterations) {
    for (std::size_t number = 1; number <= iterations; ++number) {
      assign();
      const ClusterMembers members = collect_members(words_, clusters_);
      move(members);
      if (number < iterations) repair(members);
    }
  }

 private:
  void assign() {
    const CodebookKernels& kernels = codebook_kernels();
    for (std::size_t i = 0; i < points_.rows; ++i) {
      words_[i] = static_cast<std::uint32_t>(
          kernels.nearest(points_.row(i).data(), points_.columns, book_, count_));
    }
  }

  /// A codeword that stands for no point stays.
  void move(const ClusterMembers& members) {
    std::vector<double> sums(points_.columns);
    for (std::size_t word = 0; word < clusters_; ++word) {
      const std::span<const std::uint32_t> own = members.of(word);
      if (own.empty()) continue;
      std::fill(sums.begin(), sums.end(), 0.0);
      for (const std::uint32_t point : own) {
        const std::span<const float> row = points_.row(point);
        for (std::size_t c = 0; c < row.size(); ++c) sums[c] += double{row[c]};
      }
      for (std::size_t c = 0; c < sums.size(); ++c) {
        book_[c * count_ + word] = static_cast<float>(sums[c] / static_cast<double>(own.size()));
      }
    }
  }

  void repair(const ClusterMembers& members) {
    std::vector<std::uint64_t> sizes;
    for (std::size_t word = 0; word < clusters_; ++word) sizes.push_back(members.size(word));
    for (const Repair& one : plan_repairs(sizes, random_)) {
      const std::span<const float> point = points_.row(members.of(one.parted)[one.member]);
      for (std::size_t c = 0; c < point.size(); ++c) {
        split_component(point[c], book_[c * count_ + one.parted], book_[c * count_ + one.cluster]);
      }
    }
  }

  Matrix<float> points_;
  float* book_;
  std::size_t count_;
  std::size_t clusters_;
  Random random_;
  std::vector<std::uint32_t> words_;
};

}  // namespace

std::vector<float> train_codebooks(const Matrix<float>& points, const PqTraining& training) {
  const ProductQuantizer shape{points.columns, training.bytes, training.bits};
  const std::size_t count = shape.codewords();
  const std::size_t clusters = run_clusters(shape, points.rows);
  std::vector<float> codebooks = draw_codebooks(points, shape, clusters, training.seed);
  const auto train_part = [&](std::size_t part) {
    const std::size_t begin = shape.part_begin(part);
    const std::size_t end = shape.part_begin(part + 1);
    if (begin == end) return;
    RunTraining(copy_columns(points, begin, end), codebooks.data() + begin * count, count, clusters,
                repair_random(training.seed, part))
        .run(training.iterations);
  };
  const std::size_t threads = training.threads == 0 ? default_threads() : training.threads;
  for (std::size_t first = 0; first < shape.parts(); first += threads) {
    const std::size_t together = std::min(threads, shape.parts() - first);
    parallel_for(threads, together,
                 [&](std::size_t /*thread*/, std::size_t i) { train_part(first + i); });
    if (training.on_parts) training.on_parts(first + together, shape.parts());
  }
  fill_codebooks(shape, clusters, codebooks);
  return codebooks;
}

}  // namespace warpdex::vector
