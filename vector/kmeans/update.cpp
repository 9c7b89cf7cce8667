// Means, and the repair of empty clusters.
#include "kmeans/update.hpp"

#include <algorithm>
#include <queue>
#include <utility>

#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {
namespace {

/// A cluster with fewer than 1 / kTinyShare of the mean number of points is tiny.
constexpr std::size_t kTinyShare = 32;
/// How far the two halves of a cluster start from its centroid, as a share of the way to a point.
constexpr float kSplitShare = 1.0F / 64;

/// Parts a cluster: one centroid moves towards one of its points, the other away from it.
void split(std::span<const float> point, std::span<float> kept, std::span<float> placed) {
  for (std::size_t c = 0; c < kept.size(); ++c) {
    const float step = kSplitShare * (point[c] - kept[c]);
    placed[c] = kept[c] + step;
    kept[c] -= step;
  }
}

}  // namespace

ClusterMembers collect_members(std::span<const std::uint32_t> clusters, std::size_t count) {
  ClusterMembers members{std::vector<std::uint64_t>(count + 1),
                         std::vector<std::uint32_t>(clusters.size())};
  for (const std::uint32_t cluster : clusters) ++members.begins[cluster + 1];
  for (std::size_t i = 0; i < count; ++i) members.begins[i + 1] += members.begins[i];
  std::vector<std::uint64_t> next(members.begins.begin(), members.begins.end() - 1);
  for (std::size_t point = 0; point < clusters.size(); ++point) {
    members.points[next[clusters[point]]++] = static_cast<std::uint32_t>(point);
  }
  return members;
}

void move_centroids(const Matrix<float>& points, const ClusterMembers& members, bool is_spherical,
                    std::size_t threads, Matrix<float>& centroids) {
  parallel_for(threads, centroids.rows, [&](std::size_t /*thread*/, std::size_t cluster) {
    const std::span<const std::uint32_t> own = members.of(cluster);
    if (own.empty()) return;
    std::vector<double> sums(points.columns);
    for (const std::uint32_t point : own) {
      const std::span<const float> row = points.row(point);
      for (std::size_t c = 0; c < row.size(); ++c) sums[c] += double{row[c]};
    }
    const std::span<float> centroid = centroids.row(cluster);
    for (std::size_t c = 0; c < sums.size(); ++c) {
      centroid[c] = static_cast<float>(sums[c] / static_cast<double>(own.size()));
    }
    if (is_spherical) normalize(centroid);
  });
}

std::size_t repair_clusters(const Matrix<float>& points, const ClusterMembers& members,
                            Random& random, Matrix<float>& centroids) {
  const std::size_t count = centroids.rows;
  std::vector<std::size_t> small;
  std::priority_queue<std::pair<std::size_t, std::size_t>> largest;  // size, cluster
  for (std::size_t cluster = 0; cluster < count; ++cluster) {
    const std::size_t size = members.size(cluster);
    if (size == 0 || size * kTinyShare * count < points.rows) small.push_back(cluster);
    largest.emplace(size, cluster);
  }
  std::size_t repaired = 0;
  for (const std::size_t cluster : small) {
    const auto [size, parted] = largest.top();
    if (size < 2) break;
    largest.pop();
    const std::span<const std::uint32_t> own = members.of(parted);
    split(points.row(own[random.below(own.size())]), centroids.row(parted), centroids.row(cluster));
    largest.emplace(size / 2, parted);
    ++repaired;
  }
  return repaired;
}

}  // namespace warpdex::vector
