// The kernels of k-means: the update of centroids, assignment, and changes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kmeans/gpu/assign_points.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Points in GPU memory: rows of `dimension` floats without gaps.
struct DevicePoints {
  const float* values = nullptr;
  std::uint32_t count = 0;
  std::uint32_t dimension = 0;
};

/// The points of each cluster, and the memory to find them in.
class DeviceMembers {
 public:
  DeviceMembers(std::uint32_t points, std::uint32_t clusters);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the sorting of all points by their clusters, in order within each.
  void sort(const std::uint32_t* clusters, const Stream& stream);
  /// The same, but farther points come later within a cluster.
  void sort_by_distance(const std::uint32_t* clusters, const float* distances,
                        const Stream& stream);

  /// The points of cluster c: [begins()[c], begins()[c + 1]).
  const std::uint32_t* points() const { return points_out_; }
  const std::uint32_t* begins() const { return begins_; }

 private:
  void find_begins(const Stream& stream);

  std::uint32_t count_;
  std::uint32_t clusters_;
  int bits_;  ///< of a cluster's number
  std::size_t scratch_bytes_ = 0;
  void* scratch_ = nullptr;
  std::uint64_t* keys_ = nullptr;
  std::uint64_t* keys_out_ = nullptr;
  std::uint32_t* points_ = nullptr;
  std::uint32_t* points_out_ = nullptr;
  std::uint32_t* begins_ = nullptr;
};

/// Parts of a cluster's points that are summed up beside each other.
std::uint32_t mean_parts(std::uint32_t clusters);

/// Queues the sums of each cluster's points: clusters * dimension, in double precision, of each
/// part in the order of the points, and of the parts in order. `parts_of_sums` is scratch memory,
/// of mean_parts() times as much. O(points * dimension).
void sum_clusters(const DevicePoints& points, const DeviceMembers& members, std::uint32_t clusters,
                  double* parts_of_sums, double* sums, const Stream& stream);

/// Queues the moving of each centroid to the mean of its points. Those without points stay.
void move_centroids(const DeviceMembers& members, std::uint32_t clusters, std::uint32_t dimension,
                    const double* sums, float* centroids, const Stream& stream);

/// Where points are shared out: the sums of all shares, and the sizes of clusters that they have
/// together.
struct SharedSums {
  double* sums = nullptr;          ///< clusters * dimension
  std::uint64_t* sizes = nullptr;  ///< clusters
};
/// Queues the addition of a share's sums; the first share's are set.
void add_sums(const double* sums, bool is_first, std::size_t size, const SharedSums& all,
              const Stream& stream);
/// As move_centroids(), by the points of all shares.
void move_centroids(const SharedSums& all, std::uint32_t clusters, std::uint32_t dimension,
                    float* centroids, const Stream& stream);

/// Of an iteration, for the host.
struct IterationFigures {
  double objective;
  std::uint32_t changed;  ///< points whose cluster is another than before
};

/// Queues the sum of the distances, always in the same order, and the count of points whose cluster
/// in `clusters` is not that in `before`. `partial` has room for kPartialSums.
inline constexpr std::uint32_t kPartialSums = 1024;
void sum_up(const float* distances, const std::uint32_t* clusters, const std::uint32_t* before,
            std::uint32_t count, double* partial, IterationFigures* figures, const Stream& stream);

/// A repair as the kernel reads it: of clusters, and of a point.
struct DeviceRepair {
  std::uint32_t cluster;
  std::uint32_t parted;
  std::uint32_t point;
};

/// Queues repairs, one after the other (see split()).
void split_centroids(const DevicePoints& points, const DeviceRepair* repairs, std::uint32_t count,
                     float* centroids, const Stream& stream);

/// Queues the mean of up to 65,536 points that lie spread over all: a point amidst them. `partial`
/// has room for kPartialSums * dimension.
void find_centre(const DevicePoints& points, double* partial, float* centre, const Stream& stream);

/// Of all norms, for the host.
struct NormFigures {
  int largest_bits;         ///< of the largest one, a float
  std::uint32_t first_far;  ///< the first point past the limit; all ones: none is
};

/// Queues the squared distance of each point from `centre`, and what is to be known of all.
void find_norms(const DevicePoints& points, const float* centre, float limit, float* norms,
                NormFigures* figures, const Stream& stream);

/// Queues the copy of points to centroids: row rows[i] to centroid i.
void copy_points(const DevicePoints& points, const std::uint32_t* rows, std::uint32_t count,
                 float* centroids, const Stream& stream);

/// Queues the listing of points past the first `limit` of each cluster, in any order, and the
/// closing of clusters that have `limit` or more. `*count` must be 0 before.
void list_surplus(const DeviceMembers& members, std::uint32_t clusters, std::uint32_t limit,
                  std::uint32_t* is_closed, std::uint32_t* surplus, std::uint32_t* count,
                  const Stream& stream);

/// Places of a point's list of candidates, at the most.
inline constexpr std::uint32_t kMaxRoom = 32;
/// Parts of the centroids. Two CTAs that read the same points do not need more of the L2 cache than
/// one, so where points do not stay in shared memory each takes half of the centroids.
inline constexpr std::uint32_t kMaxParts = 2;

struct AssignTask {
  RowPanels points;  ///< from the first panel on
  CentroidPanels centroids;
  std::uint32_t chunks;
  std::uint32_t room;          ///< places of a list
  std::uint32_t first_panels;  ///< of centroids that only give a first limit
  PointCandidates out;         ///< likewise
};

/// Parts that the centroids are cut into, and places of a list, for panels of so many chunks.
std::uint32_t assign_parts(std::uint32_t chunks);
std::uint32_t assign_room(std::uint32_t chunks);

/// Queues the products of `panels` panels of points with all centroids: each point's candidates.
void assign_panels(const AssignTask& task, std::uint32_t panels, const Stream& stream);

struct ResolveTask {
  DeviceRows points;
  DeviceChoice choice;
  TileOrder order;
  std::uint32_t first_place;
  std::uint32_t places;
  PointCandidates candidates;
  std::uint32_t room;
  std::uint32_t parts;
  CentroidPanels centroids;
  float scale;              ///< of sums to squared distances
  bool computes_distances;  ///< also of points with one candidate
  std::uint32_t* clusters;
  float* distances;
};

/// Queues the comparison of the points' candidates.
void resolve_points(const ResolveTask& task, const Stream& stream);

/// After the first iterations few points change. To read these alone takes a fraction of the time
/// of reading all.
class ClusterChanges {
 public:
  ClusterChanges(std::uint32_t points, std::uint32_t clusters);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Changed points that it takes, at the most: an eighth of all.
  std::uint32_t max_changed() const { return max_changed_; }

  /// Queues the change of the `sums` of `before`'s clusters to those of `clusters`, in double
  /// precision and an order that depends on nothing but the two. `changed` points differ.
  /// `parts_of_sums` is scratch memory, as for sum_clusters(). O(points + changed * dimension).
  void update_sums(const DevicePoints& points, const std::uint32_t* before,
                   const std::uint32_t* clusters, std::uint32_t changed, double* parts_of_sums,
                   double* sums, const Stream& stream);

 private:
  std::uint32_t clusters_;
  std::uint32_t max_changed_;
  int bits_;  ///< of a key
  std::size_t scratch_bytes_ = 0;
  void* scratch_ = nullptr;
  std::uint64_t* keys_ = nullptr;  ///< two for each changed point
  std::uint64_t* sorted_ = nullptr;
  std::uint32_t* begins_ = nullptr;
  std::uint32_t* count_ = nullptr;
};

}  // namespace warpdex::vector
