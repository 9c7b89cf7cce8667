// Means, and the repair of empty clusters.
#include "kmeans/update.hpp"

#include <numeric>
#include <queue>
#include <utility>

#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {
namespace {

/// A cluster with fewer than 1 / kTinyShare of the mean number of points is tiny.
constexpr std::size_t kTinyShare = 32;
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

std::vector<Repair> plan_repairs(std::span<const std::uint64_t> sizes, Random& random) {
  const std::uint64_t points = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
  std::vector<std::uint32_t> small;
  std::priority_queue<std::pair<std::uint64_t, std::uint32_t>> largest;  // size, cluster
  for (std::uint32_t cluster = 0; cluster < sizes.size(); ++cluster) {
    const std::uint64_t size = sizes[cluster];
    if (size == 0 || size * kTinyShare * sizes.size() < points) small.push_back(cluster);
    largest.emplace(size, cluster);
  }
  std::vector<Repair> repairs;
  for (const std::uint32_t cluster : small) {
    const auto [size, parted] = largest.top();
    if (size < 2) break;
    largest.pop();
    repairs.push_back({cluster, parted, random.below(sizes[parted])});
    largest.emplace(size / 2, parted);
  }
  return repairs;
}

void split(std::span<const float> point, std::span<float> kept, std::span<float> placed) {
  for (std::size_t c = 0; c < kept.size(); ++c) split_component(point[c], kept[c], placed[c]);
}

}  // namespace warpdex::vector
