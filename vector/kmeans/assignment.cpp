// Points are the queries of the panel product, centroids its vectors. The limit of a point is the
// largest sum that the nearest centroid can have, so that few sums leave the registers. Where they
// leave several centroids open, canonical distances decide: the GPU gives the same clusters.
#include "kmeans/assignment.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "distance/distance_kernels.hpp"
#include "flat/error_bound.hpp"
#include "kmeans/parallel_parts.hpp"
#include "kmeans/update.hpp"
#include "product/panel.hpp"
#include "product/product_kernels.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {
namespace {

/// Points of a task: their panels stay in a core's cache while all centroids pass by.
constexpr std::size_t kTaskPoints = 768;

/// Candidates of a task that are kept before they are compared.
constexpr std::size_t kMaxCandidates = 1 << 16;

/// All centroids as vector panels.
struct HostPanels {
  HostPanels(const KmeansPoints& points, const Matrix<float>& given,
             const std::vector<bool>& is_open, const ProductKernels& kernels);

  const Matrix<float>& centroids;
  ErrorBound bound;
  std::size_t width;
  std::size_t dimension;
  std::size_t count;
  std::vector<float> components;
  std::vector<float> offsets;  ///< ErrorBound's; infinite for those that are closed or none
  std::vector<float> slacks;   ///< ErrorBound's
};

HostPanels::HostPanels(const KmeansPoints& points, const Matrix<float>& given,
                       const std::vector<bool>& is_open, const ProductKernels& kernels)
    : centroids(given),
      bound(Metric::kL2, given.columns),
      width(kernels.vectors),
      dimension(given.columns),
      count((given.rows + width - 1) / width),
      components(count * width * dimension),
      offsets(count * width, std::numeric_limits<float>::infinity()),
      slacks(offsets) {
  for (std::size_t i = 0; i < given.rows; ++i) {
    if (!is_open[i]) continue;
    const std::span<const float> centroid = given.row(i);
    pack_row(centroid.data(), points.centre.data(), 1, dimension, width,
             components.data() + i / width * width * dimension + i % width);
    const float norm = row_norm(Metric::kL2, centroid, points.centre);
    offsets[i] = bound.offset(norm);
    slacks[i] = bound.slack(norm);
  }
}

/// What is known of a point while centroids pass by.
struct NearestSoFar {
  float distance = std::numeric_limits<float>::infinity();  ///< canonical, of `cluster`
  std::uint32_t cluster = 0;
  bool has_cluster = false;
};

/// Assigns some of the points.
class AssignmentTask {
 public:
  AssignmentTask(const KmeansPoints& points, const HostPanels& centroids,
                 const ProductKernels& kernels, std::span<const std::uint32_t> rows)
      : points_(points),
        centroids_(centroids),
        kernels_(kernels),
        rows_(rows),
        panels_((rows.size() + kernels.queries - 1) / kernels.queries),
        components_(panels_ * kernels.queries * centroids.dimension),
        limits_(panels_ * kernels.queries, -std::numeric_limits<float>::infinity()),
        nearest_(rows.size()),
        point_(padded(centroids.dimension)) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      pack_row(points.points.row(rows[i]).data(), points.centre.data(), -2, centroids.dimension,
               kernels.queries,
               components_.data() + i / kernels.queries * kernels.queries * centroids.dimension +
                   i % kernels.queries);
      limits_[i] = std::numeric_limits<float>::infinity();
      slacks_.push_back(centroids.bound.slack(static_cast<float>(points.norms[rows[i]])));
    }
  }

  void run() {
    for (std::size_t panel = 0; panel < centroids_.count; ++panel) {
      for (std::size_t group = 0; group < panels_; ++group) match(panel, group);
      if (candidates_.size() > kMaxCandidates) compare();
    }
    compare();
  }

  float distance(std::size_t i) const { return nearest_[i].distance; }
  std::uint32_t cluster(std::size_t i) const { return nearest_[i].cluster; }

 private:
  struct Candidate {
    std::uint32_t point;  ///< of the task
    std::uint32_t cluster;
    float sum;
  };

  void match(std::size_t panel, std::size_t group) {
    const std::size_t first = group * kernels_.queries;
    const std::size_t depth = centroids_.dimension;
    std::array<float, kMaxPanelQueries * kMaxPanelVectors> sums;
    std::array<std::uint32_t, kMaxPanelQueries> masks;
    if (!kernels_.match(components_.data() + first * depth,
                        centroids_.components.data() + panel * centroids_.width * depth, depth,
                        centroids_.offsets.data() + panel * centroids_.width,
                        limits_.data() + first, sums.data(), masks.data())) {
      return;
    }
    const std::size_t points = std::min(kernels_.queries, rows_.size() - first);
    for (std::size_t i = 0; i < points; ++i) {
      for (std::uint32_t mask = masks[i]; mask != 0; mask &= mask - 1) {
        const auto place = static_cast<std::size_t>(std::countr_zero(mask));
        add(first + i, panel * centroids_.width + place, sums[i * kernels_.vectors + place]);
      }
    }
  }

  /// Keeps what may be the nearest. The limit of a point is the lowest upper bound so far.
  void add(std::size_t point, std::size_t cluster, float sum) {
    if (!(sum <= limits_[point]) || std::isinf(centroids_.offsets[cluster])) return;
    limits_[point] = std::min(limits_[point], sum + (centroids_.slacks[cluster] + slacks_[point]));
    candidates_.push_back(
        {static_cast<std::uint32_t>(point), static_cast<std::uint32_t>(cluster), sum});
  }

  /// Compares the candidates that are still within their limits, by canonical distances. Those of
  /// a point are in the order of clusters, so the first of equal ones stays.
  void compare() {
    for (const Candidate& one : candidates_) {
      if (one.sum > limits_[one.point]) continue;
      const std::span<const float> point = points_.points.row(rows_[one.point]);
      std::copy(point.begin(), point.end(), point_.begin());
      float distance;
      distance_kernels().l2_float(point_.data(), point.size(),
                                  centroids_.centroids.row(one.cluster).data(), point.size(), 1,
                                  &distance);
      NearestSoFar& nearest = nearest_[one.point];
      if (!nearest.has_cluster || distance < nearest.distance) {
        nearest = {distance, one.cluster, true};
      }
    }
    candidates_.clear();
  }

  const KmeansPoints& points_;
  const HostPanels& centroids_;
  const ProductKernels& kernels_;
  std::span<const std::uint32_t> rows_;
  std::size_t panels_;
  std::vector<float> components_;
  std::vector<float> limits_;
  std::vector<float> slacks_;  ///< of the points
  std::vector<NearestSoFar> nearest_;
  std::vector<Candidate> candidates_;
  std::vector<float> point_;  ///< one, padded with zeros
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
  const HostPanels panels(points, centroids, is_open, kernels);
  for_each_part(rows.size(), kTaskPoints, threads, [&](std::size_t first, std::size_t last) {
    const std::span<const std::uint32_t> part = rows.subspan(first, last - first);
    AssignmentTask task(points, panels, kernels, part);
    task.run();
    for (std::size_t i = 0; i < part.size(); ++i) {
      clusters[part[i]] = task.cluster(i);
      distances[part[i]] = task.distance(i);
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
