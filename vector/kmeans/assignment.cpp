// Points are the queries of the panel product, centroids its vectors; the limit of a point is the
// best sum so far, so that only improvements leave the registers.
#include "kmeans/assignment.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "kmeans/parallel_parts.hpp"
#include "kmeans/update.hpp"
#include "product/panel.hpp"
#include "product/product_kernels.hpp"

namespace warpdex::vector {
namespace {

/// Points of a task: their panels stay in a core's cache while all centroids pass by.
constexpr std::size_t kTaskPoints = 768;

/// All centroids as vector panels.
struct CentroidPanels {
  CentroidPanels(const KmeansPoints& points, const Matrix<float>& centroids,
                 const std::vector<bool>& is_open, const ProductKernels& kernels);

  std::size_t width;
  std::size_t dimension;
  std::size_t count;
  std::vector<float> components;
  std::vector<float> offsets;  ///< squared norm; infinite for those that are closed or none
};

CentroidPanels::CentroidPanels(const KmeansPoints& points, const Matrix<float>& centroids,
                               const std::vector<bool>& is_open, const ProductKernels& kernels)
    : width(kernels.vectors),
      dimension(centroids.columns),
      count((centroids.rows + width - 1) / width),
      components(count * width * dimension),
      offsets(count * width, std::numeric_limits<float>::infinity()) {
  for (std::size_t i = 0; i < centroids.rows; ++i) {
    if (!is_open[i]) continue;
    const std::span<const float> centroid = centroids.row(i);
    pack_row(centroid.data(), points.centre.data(), 1, dimension, width,
             components.data() + i / width * width * dimension + i % width);
    double norm = 0;
    for (std::size_t c = 0; c < dimension; ++c) {
      const double left = double{centroid[c] - points.centre[c]};
      norm += left * left;
    }
    offsets[i] = static_cast<float>(norm);
  }
}

/// Assigns some of the points.
class AssignmentTask {
 public:
  AssignmentTask(const KmeansPoints& points, const CentroidPanels& centroids,
                 const ProductKernels& kernels, std::span<const std::uint32_t> rows)
      : centroids_(centroids),
        kernels_(kernels),
        panels_((rows.size() + kernels.queries - 1) / kernels.queries),
        components_(panels_ * kernels.queries * centroids.dimension),
        best_(panels_ * kernels.queries, std::numeric_limits<float>::infinity()),
        clusters_(best_.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      pack_row(points.points.row(rows[i]).data(), points.centre.data(), -2, centroids.dimension,
               kernels.queries,
               components_.data() + i / kernels.queries * kernels.queries * centroids.dimension +
                   i % kernels.queries);
    }
  }

  void run() {
    for (std::size_t panel = 0; panel < centroids_.count; ++panel) {
      for (std::size_t group = 0; group < panels_; ++group) match(panel, group);
    }
  }

  float best(std::size_t i) const { return best_[i]; }
  std::uint32_t cluster(std::size_t i) const { return clusters_[i]; }

 private:
  void match(std::size_t panel, std::size_t group) {
    const std::size_t first = group * kernels_.queries;
    const std::size_t depth = centroids_.dimension;
    std::array<float, kMaxPanelQueries * kMaxPanelVectors> sums;
    std::array<std::uint32_t, kMaxPanelQueries> masks;
    if (!kernels_.match(components_.data() + first * depth,
                        centroids_.components.data() + panel * centroids_.width * depth, depth,
                        centroids_.offsets.data() + panel * centroids_.width, best_.data() + first,
                        sums.data(), masks.data())) {
      return;
    }
    for (std::size_t i = 0; i < kernels_.queries; ++i) {
      for (std::uint32_t mask = masks[i]; mask != 0; mask &= mask - 1) {
        const auto place = static_cast<std::size_t>(std::countr_zero(mask));
        const float sum = sums[i * kernels_.vectors + place];
        if (!(sum < best_[first + i])) continue;
        best_[first + i] = sum;
        clusters_[first + i] = static_cast<std::uint32_t>(panel * centroids_.width + place);
      }
    }
  }

  const CentroidPanels& centroids_;
  const ProductKernels& kernels_;
  std::size_t panels_;
  std::vector<float> components_;
  std::vector<float> best_;
  std::vector<std::uint32_t> clusters_;
};

}  // namespace

KmeansPoints make_kmeans_points(const Matrix<float>& points, std::size_t threads) {
  KmeansPoints made{points, std::vector<float>(points.columns), std::vector<double>(points.rows)};
  std::vector<double> sums(points.columns);
  for (std::size_t i = 0; i < points.rows; ++i) {
    const std::span<const float> row = points.row(i);
    for (std::size_t c = 0; c < row.size(); ++c) sums[c] += double{row[c]};
  }
  for (std::size_t c = 0; c < sums.size(); ++c) {
    made.centre[c] = static_cast<float>(sums[c] / static_cast<double>(points.rows));
  }
  for_each_part(points.rows, kTaskPoints, threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::span<const float> row = points.row(i);
      for (std::size_t c = 0; c < row.size(); ++c) {
        const double left = double{row[c] - made.centre[c]};
        made.norms[i] += left * left;
      }
    }
  });
  return made;
}

namespace {

/// Assigns the points `rows` to the nearest of the centroids that are open.
void assign_rows(const KmeansPoints& points, const Matrix<float>& centroids,
                 const std::vector<bool>& is_open, std::span<const std::uint32_t> rows,
                 std::size_t threads, std::span<std::uint32_t> clusters,
                 std::span<float> distances) {
  const ProductKernels& kernels = product_kernels();
  const CentroidPanels panels(points, centroids, is_open, kernels);
  for_each_part(rows.size(), kTaskPoints, threads, [&](std::size_t first, std::size_t last) {
    const std::span<const std::uint32_t> part = rows.subspan(first, last - first);
    AssignmentTask task(points, panels, kernels, part);
    task.run();
    for (std::size_t i = 0; i < part.size(); ++i) {
      clusters[part[i]] = task.cluster(i);
      distances[part[i]] =
          static_cast<float>(std::max(0.0, points.norms[part[i]] + double{task.best(i)}));
    }
  });
}

/// Splits the points of a full cluster: `limit` of them stay, the farthest are appended to `moved`.
void split_off_farthest(std::span<const std::uint32_t> own, std::size_t limit,
                        std::span<const float> distances, std::vector<std::uint32_t>& moved) {
  std::vector<std::uint32_t> ranked(own.begin(), own.end());
  const auto last = ranked.begin() + static_cast<std::ptrdiff_t>(limit);
  std::nth_element(ranked.begin(), last, ranked.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(distances[a], a) < std::pair(distances[b], b);
  });
  moved.insert(moved.end(), last, ranked.end());
}

}  // namespace

void assign(const KmeansPoints& points, const Matrix<float>& centroids, std::size_t threads,
            std::span<std::uint32_t> clusters, std::span<float> distances) {
  std::vector<std::uint32_t> rows(points.points.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  assign_rows(points, centroids, std::vector<bool>(centroids.rows, true), rows, threads, clusters,
              distances);
}

void limit_clusters(const KmeansPoints& points, const Matrix<float>& centroids, double share,
                    std::size_t threads, std::span<std::uint32_t> clusters,
                    std::span<float> distances) {
  const double mean = static_cast<double>(points.points.rows) / static_cast<double>(centroids.rows);
  const auto limit = static_cast<std::size_t>(std::ceil(share * mean));
  std::vector<bool> is_open(centroids.rows, true);
  for (;;) {
    const ClusterMembers members = collect_members(clusters, centroids.rows);
    std::vector<std::uint32_t> moved;
    for (std::size_t cluster = 0; cluster < centroids.rows; ++cluster) {
      if (members.size(cluster) < limit) continue;
      is_open[cluster] = false;
      split_off_farthest(members.of(cluster), limit, distances, moved);
    }
    if (moved.empty()) return;
    std::sort(moved.begin(), moved.end());
    assign_rows(points, centroids, is_open, moved, threads, clusters, distances);
  }
}

}  // namespace warpdex::vector
