// The codes of an inverted file in GPU memory, and all that distances are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat/gpu/gpu_rows.hpp"
#include "pq/gpu/search/code_bound.hpp"
#include "pq/gpu/search/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"

namespace warpdex::vector {

/// Immutable after construction, but for the account of memory.
class GpuCodes {
 public:
  /// Copies the codes to the GPU. `memory`: as for GpuSearchSettings. Throws Error, which says how
  /// much is needed, where there is too little memory.
  GpuCodes(const Lists<PqCoding>& vectors, Resources& resources, std::size_t memory);

  const Lists<PqCoding>& host() const { return host_; }
  const DeviceCodes& on_gpu() const { return codes_; }
  const GpuRows& centroids() const { return centroids_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(host_.rows()); }
  std::uint32_t dimension() const { return codes_.dimension; }
  std::uint32_t lists() const { return codes_.lists; }
  int device() const { return device_; }
  /// Bytes of shared memory that a CTA may have.
  std::size_t shared_memory() const { return shared_memory_; }
  /// Vectors of the `probes` longest lists together, 1 or more.
  std::size_t max_rows(std::size_t probes) const;
  /// The account of the codes, but not of the centroids.
  MemoryBudget& memory() const { return memory_; }

  /// What is known of products of halves.
  const CodeBound& bound() const { return bound_; }
  /// The codebooks, scaled by bound().scale and rounded to halves; zeros for the components that
  /// fill up the last unit.
  const std::uint16_t* half_books() const { return half_books_; }
  /// Where the codes of each 8 components lie.
  const UnitCodes* units() const { return units_; }
  /// Panels of list l: [panel_begins()[l], panel_begins()[l + 1]). A panel is four groups.
  const std::uint32_t* panel_begins() const { return panel_begins_; }

 private:
  /// Cuts memory into sections, and queues their copies unless `stream` is null.
  void lay_out(Arena& arena, const Stream* stream);

  Lists<PqCoding> host_;
  int device_;
  mutable MemoryBudget memory_;
  GpuRows centroids_;
  CodeBound bound_;
  std::vector<std::size_t> sizes_;  ///< [p]: of the p longest lists together
  std::size_t shared_memory_;
  AccountedBuffer buffer_;
  DeviceCodes codes_;
  const std::uint16_t* half_books_ = nullptr;
  const UnitCodes* units_ = nullptr;
  const std::uint32_t* panel_begins_ = nullptr;
};

}  // namespace warpdex::vector
