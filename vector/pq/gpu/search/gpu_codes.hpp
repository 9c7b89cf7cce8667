// The codes of an inverted file in GPU memory, and all that distances are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lists/gpu/codes_on_gpu.hpp"
#include "pq/gpu/search/code_bound.hpp"
#include "pq/gpu/search/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"

namespace warpdex::vector {

class GpuCodes : public CodesOnGpu<PqCoding> {
 public:
  /// Copies the codes to the GPU. Throws as upload().
  GpuCodes(const Lists<PqCoding>& vectors, Resources& resources, std::size_t memory);

  const DeviceCodes& on_gpu() const { return codes_; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(host().rows()); }
  std::uint32_t dimension() const { return codes_.dimension; }
  std::uint32_t coded_dimension() const { return codes_.coded_dimension; }
  std::uint32_t lists() const { return codes_.lists; }
  /// Bytes of shared memory that a CTA may have.
  std::size_t shared_memory() const { return shared_memory_; }
  /// Vectors of the `probes` longest lists together, 1 or more.
  std::size_t max_rows(std::size_t probes) const;

  /// What is known of products of halves.
  const CodeBound& bound() const { return bound_; }
  /// The codebooks, scaled by bound().scale and rounded to halves; zeros for the components that
  /// fill up the last unit.
  const std::uint16_t* half_books() const { return half_books_; }
  /// Where the codes of each 8 components lie.
  const UnitCodes* units() const { return units_; }

 private:
  /// Cuts memory into sections, and queues their copies unless `stream` is null.
  void lay_out(Arena& arena, const Stream* stream);

  CodeBound bound_;
  std::vector<std::size_t> sizes_;  ///< [p]: of the p longest lists together
  std::size_t shared_memory_;
  DeviceCodes codes_;
  const std::uint16_t* half_books_ = nullptr;
  const UnitCodes* units_ = nullptr;
};

}  // namespace warpdex::vector
