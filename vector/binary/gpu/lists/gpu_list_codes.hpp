// An inverted file of binary codes in GPU memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "binary/gpu/binary_data.hpp"
#include "flat/gpu/gpu_rows.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"

namespace warpdex::vector {

/// Codes in their lists. The bytes are those of the index.
struct DeviceListCodes {
  DeviceBinaryCodes codes;  ///< groups list after list; terms and factors in that order, too
  const std::uint32_t* row_numbers = nullptr;  ///< of each vector, likewise
  /// Of each list among the vectors and among the groups, and the end.
  const std::uint32_t* begins = nullptr;
  const std::uint32_t* group_begins = nullptr;
  DeviceRows centroids;
};

/// Immutable after construction, but for the account of memory.
class GpuListCodes {
 public:
  /// Copies the codes to the GPU. `memory`: as for GpuSearchSettings. Throws Error, which says
  /// how much is needed, where there is too little memory.
  GpuListCodes(const Lists<BinaryCoding>& vectors, Resources& resources, std::size_t memory);

  const Lists<BinaryCoding>& host() const { return host_; }
  const DeviceListCodes& on_gpu() const { return lists_; }
  const GpuRows& centroids() const { return centroids_; }
  std::size_t count() const { return host_.rows(); }
  std::size_t dimension() const { return host_.quantizer.dimension; }
  int device() const { return device_; }
  std::size_t list_count() const { return host_.lists(); }
  /// Panels of list l: [panel_begins()[l], panel_begins()[l + 1]), in GPU memory.
  const std::uint32_t* panel_begins() const { return panel_begins_; }
  /// At least |term| and |factor| of each vector, and the length of each centroid.
  float max_term() const { return max_term_; }
  float max_factor() const { return max_factor_; }
  double max_centroid() const { return max_centroid_; }
  /// Groups of the `probes` longest lists together.
  std::size_t max_groups(std::size_t probes) const { return sizes_[probes]; }
  /// The account of the codes, but not of the centroids.
  MemoryBudget& memory() const { return memory_; }

 private:
  void find_sizes();
  /// Cuts memory into sections, and queues their copies unless `stream` is null.
  void lay_out(Arena& arena, const Stream* stream);

  Lists<BinaryCoding> host_;
  int device_;
  mutable MemoryBudget memory_;
  GpuRows centroids_;
  std::vector<std::size_t> sizes_;  ///< [p]: groups of the p longest lists together
  float max_term_ = 0;
  float max_factor_ = 1;
  double max_centroid_ = 0;
  AccountedBuffer buffer_;
  const std::uint32_t* panel_begins_ = nullptr;
  DeviceListCodes lists_;
};

}  // namespace warpdex::vector
