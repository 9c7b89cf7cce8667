// Lloyd's iterations.
#include "warpdex/vector/kmeans/kmeans.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "kmeans/assignment.hpp"
#include "kmeans/kmeans_input.hpp"
#include "kmeans/random.hpp"
#include "kmeans/update.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {
namespace {

Matrix<float> scaled_to_length_one(const Matrix<float>& points, std::size_t threads) {
  Matrix<float> scaled = points;
  parallel_for(threads, (points.rows + 4095) / 4096, [&](std::size_t /*thread*/, std::size_t part) {
    for (std::size_t i = part * 4096; i < std::min<std::size_t>(points.rows, (part + 1) * 4096);
         ++i) {
      normalize(scaled.row(i));
    }
  });
  return scaled;
}

Matrix<float> draw_centroids(const Matrix<float>& points, const KmeansSettings& settings) {
  Matrix<float> centroids{settings.clusters, points.columns, {}};
  for (const std::uint64_t row : sample_rows(points.rows, settings.clusters, settings.seed)) {
    const std::span<const float> point = points.row(row);
    centroids.values.insert(centroids.values.end(), point.begin(), point.end());
  }
  return centroids;
}

/// The state of the iterations.
class Lloyd {
 public:
  Lloyd(const Matrix<float>& points, const KmeansSettings& settings)
      : settings_(settings),
        threads_(settings.threads == 0 ? default_threads() : settings.threads),
        points_(make_kmeans_points(points, threads_)),
        random_(settings.seed + 1),
        distances_(points.rows) {
    check_norms();
    result_.centroids = draw_centroids(points, settings);
    if (settings.is_spherical) {
      for (std::size_t i = 0; i < settings.clusters; ++i) normalize(result_.centroids.row(i));
    }
    result_.clusters.resize(points.rows);
  }

  KmeansResult run() {
    for (std::size_t number = 1; number <= settings_.iterations; ++number) {
      if (!iterate(number)) break;
    }
    finish();
    return std::move(result_);
  }

 private:
  void check_norms() const {
    for (std::size_t i = 0; i < points_.norms.size(); ++i) {
      if (points_.norms[i] > kMaxKmeansNorm) refuse_far_point(i);
    }
  }

  /// Returns whether there is reason for another iteration.
  bool iterate(std::size_t number) {
    const std::vector<std::uint32_t> before = result_.clusters;
    assign_points();
    if (settings_.is_balanced) {
      limit_clusters(points_, result_.centroids, kBalancedShare, threads_, result_.clusters,
                     distances_);
      sum_distances();
    }
    result_.iterations = number;
    const ClusterMembers members = collect_members(result_.clusters, settings_.clusters);
    move_centroids(points_.points, members, settings_.is_spherical, threads_, result_.centroids);
    KmeansIteration told{number, result_.objective, 0, 0};
    for (std::size_t i = 0; i < settings_.clusters; ++i) {
      told.largest = std::max(told.largest, members.size(i));
    }
    if (number < settings_.iterations) {
      told.repaired = repair(members);
      if (told.repaired > 0 && settings_.is_spherical) normalize_centroids();
    }
    if (settings_.on_iteration) settings_.on_iteration(told);
    const bool is_settled = number > 1 && before == result_.clusters;
    return !is_settled || told.repaired > 0;
  }

  /// Returns how many clusters.
  std::size_t repair(const ClusterMembers& members) {
    std::vector<std::uint64_t> sizes;
    for (std::size_t i = 0; i < settings_.clusters; ++i) sizes.push_back(members.size(i));
    const std::vector<Repair> repairs = plan_repairs(sizes, random_);
    for (const Repair& one : repairs) {
      split(points_.points.row(members.of(one.parted)[one.member]),
            result_.centroids.row(one.parted), result_.centroids.row(one.cluster));
    }
    return repairs.size();
  }

  void assign_points() {
    assign(points_, result_.centroids, threads_, result_.clusters, distances_);
    sum_distances();
  }

  void sum_distances() {
    result_.objective = std::accumulate(distances_.begin(), distances_.end(), 0.0);
  }

  void normalize_centroids() {
    for (std::size_t i = 0; i < settings_.clusters; ++i) normalize(result_.centroids.row(i));
  }

  /// Assigns to the centroids where they are now.
  void finish() {
    assign_points();
    result_.sizes.assign(settings_.clusters, 0);
    for (const std::uint32_t cluster : result_.clusters) ++result_.sizes[cluster];
  }

  const KmeansSettings& settings_;
  std::size_t threads_;
  KmeansPoints points_;
  Random random_;
  std::vector<float> distances_;
  KmeansResult result_;
};

}  // namespace

KmeansResult kmeans(const Matrix<float>& points, const KmeansSettings& settings) {
  check_kmeans(points.rows, settings);
  if (!settings.is_spherical) return Lloyd(points, settings).run();
  const std::size_t threads = settings.threads == 0 ? default_threads() : settings.threads;
  const Matrix<float> scaled = scaled_to_length_one(points, threads);
  return Lloyd(scaled, settings).run();
}

std::vector<std::uint64_t> sample_rows(std::uint64_t total, std::uint64_t count,
                                       std::uint64_t seed) {
  std::vector<std::uint64_t> rows;
  Random random(seed);
  if (count >= total / 8) {
    // Knuth, The Art of Computer Programming, volume 2, section 3.4.2, algorithm S.
    for (std::uint64_t row = 0; row < total && rows.size() < count; ++row) {
      const std::uint64_t wanted = count - rows.size();
      if (wanted >= total - row || random.below(total - row) < wanted) rows.push_back(row);
    }
    return rows;
  }
  // Floyd's algorithm: Bentley, Programming Pearls, Communications of the ACM 30 (9), 1987.
  std::unordered_set<std::uint64_t> drawn;
  for (std::uint64_t end = total - count; end < total; ++end) {
    const std::uint64_t row = random.below(end + 1);
    rows.push_back(drawn.insert(row).second ? row : end);
    drawn.insert(rows.back());
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace warpdex::vector
