// Training of centroids and assignment of rows.
#include "lists/build/lists.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "kmeans/parallel_parts.hpp"
#include "lists/build/centroid_search.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kTrainingRowsPerList = 256;
constexpr std::size_t kTrainingIterations = 10;
/// Rows that the CPU assigns before it tells of them.
constexpr std::size_t kBlockRows = 16'384;
constexpr std::size_t kListedRows = 256;

/// The mean length of some rows, added up in their order.
double mean_length(const VectorView& rows, std::span<const std::uint64_t> sample) {
  std::vector<float> row(rows.dimension);
  double sum = 0;
  for (const std::uint64_t number : sample) {
    copy_row(rows, number, row.data());
    double squared = 0;
    for (const float component : row) squared += double{component} * component;
    sum += std::sqrt(squared);
  }
  return sum / static_cast<double>(sample.size());
}

Matrix<float> train(const FlatVectors& rows, const IvfSettings& ivf, bool is_spherical,
                    BuildSteps& steps) {
  const std::size_t wanted = ivf.train == 0 ? kTrainingRowsPerList * ivf.lists : ivf.train;
  const std::vector<std::uint64_t> sample = sample_rows(rows.vectors.rows, wanted, ivf.seed);
  KmeansSettings settings;
  settings.clusters = ivf.lists;
  settings.iterations = kTrainingIterations;
  settings.seed = ivf.seed;
  settings.threads = ivf.threads;
  settings.is_spherical = is_spherical;
  settings.on_iteration = [&](const KmeansIteration& told) {
    steps.tell("training", told.number, kTrainingIterations);
  };
  Matrix<float> centroids;
  steps.run(
      "training lists",
      [&](GpuSteps& gpu) { centroids = gpu.train_centroids(rows.vectors, sample, settings); },
      [&] {
        centroids = kmeans(copy_rows(rows.vectors, sample, ivf.threads), settings).centroids;
      });
  if (is_spherical) {
    const auto length = static_cast<float>(mean_length(rows.vectors, sample));
    for (float& component : centroids.values) component *= length;
  }
  return centroids;
}

/// The list of each row: that of the nearest centroid, by squared distance for all metrics.
std::vector<std::uint32_t> assign_rows(const FlatVectors& rows, const Matrix<float>& centroids,
                                       std::size_t threads, BuildSteps& steps) {
  const std::size_t count = rows.vectors.rows;
  const CentroidSearch search(centroids, rows.centre, threads);
  std::vector<std::uint32_t> lists(count);
  steps.run(
      "assigning",
      [&](GpuSteps& gpu) {
        gpu.assign(rows.vectors, centroids, search, lists.data(),
                   [&](std::size_t done) { steps.tell("assigning", done, count); });
      },
      [&] {
        for (std::size_t first = 0; first < count; first += kBlockRows) {
          const std::size_t size = std::min(kBlockRows, count - first);
          search.nearest(rows.vectors, first, size, lists.data() + first);
          steps.tell("assigning", first + size, count);
        }
      });
  return lists;
}

}  // namespace

Matrix<float> copy_rows(const VectorView& vectors, std::span<const std::uint64_t> rows,
                        std::size_t threads) {
  Matrix<float> copied{rows.size(), vectors.dimension,
                       std::vector<float>(rows.size() * vectors.dimension)};
  for_each_part(rows.size(), kListedRows, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) copy_row(vectors, rows[i], copied.row(i).data());
  });
  return copied;
}

std::size_t default_lists(std::size_t rows) {
  const auto by_root = static_cast<std::size_t>(4 * std::sqrt(static_cast<double>(rows)));
  return std::clamp<std::size_t>(by_root, 1, rows / 32 + 1);
}

IvfSettings settled(const IvfSettings& settings, std::size_t rows) {
  IvfSettings ivf = settings;
  if (rows == 0) throw UsageError("an inverted file takes one vector or more; build a flat index");
  if (ivf.lists == 0) ivf.lists = default_lists(rows);
  if (ivf.lists > rows) {
    throw UsageError("there are " + std::to_string(rows) + " vectors; ask for 1 to " +
                     std::to_string(rows) + " lists, not " + std::to_string(ivf.lists));
  }
  if (ivf.train != 0 && ivf.train < ivf.lists) {
    throw UsageError("lists are trained on one vector each or more; train " +
                     std::to_string(ivf.lists) + " lists on as many vectors or more, not on " +
                     std::to_string(ivf.train));
  }
  return ivf;
}

IvfLists make_lists(const FlatVectors& rows, const IvfSettings& settings, bool is_spherical,
                    BuildSteps& steps) {
  return assign_to_lists(rows, train(rows, settings, is_spherical, steps), settings.threads, steps);
}

IvfLists one_list(const FlatVectors& rows) {
  const VectorView& view = rows.vectors;
  IvfLists lists;
  lists.centroids = {1, view.dimension, {rows.centre.begin(), rows.centre.end()}};
  lists.of_row.resize(view.rows);
  lists.members = collect_members(lists.of_row, 1);
  if (!rows.centre.empty()) return lists;
  std::vector<float> row(view.dimension);
  std::vector<double> sums(view.dimension);
  for (std::size_t i = 0; i < view.rows; ++i) {
    copy_row(view, i, row.data());
    for (std::size_t c = 0; c < row.size(); ++c) sums[c] += double{row[c]};
  }
  for (const double sum : sums) {
    lists.centroids.values.push_back(static_cast<float>(sum / static_cast<double>(view.rows)));
  }
  return lists;
}

IvfLists assign_to_lists(const FlatVectors& rows, Matrix<float> centroids, std::size_t threads,
                         BuildSteps& steps) {
  IvfLists lists;
  lists.centroids = std::move(centroids);
  lists.of_row = assign_rows(rows, lists.centroids, threads, steps);
  steps.run_on_cpu("sorting",
                   [&] { lists.members = collect_members(lists.of_row, lists.centroids.rows); });
  return lists;
}

}  // namespace warpdex::vector
