// Sums of clusters, brought up to date by the points that changed their cluster.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kmeans/gpu/update.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

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
