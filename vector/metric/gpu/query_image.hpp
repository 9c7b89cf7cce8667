// The queries of a search, made ready on the host and copied to the GPU at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "metric/gpu/gpu_objects.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/vector/metric/objects.hpp"

namespace warpdex::metric {

class QueryImage {
 public:
  /// Throws as ObjectSpace::from_text() and from_vector() do.
  QueryImage(const GpuObjects& objects, const ObjectSpace& space, const QueryObjects& queries);

  std::size_t count() const { return count_; }
  /// Whether a query has more than kBandUnits units.
  bool has_long() const { return has_long_; }
  /// What it takes on the GPU, and in page-locked memory.
  std::size_t bytes() const;
  /// Queues the copy by way of `pinned`, which is then in use until the stream has passed it.
  void send(void* pinned, void* on_gpu, const Stream& stream);
  /// Queries from number `first` on, once sent.
  DeviceQueries from(std::size_t first) const;

 private:
  void add_text(const GpuObjects& objects, std::string_view text);
  /// Where the parts lie in `begin`; null measures.
  DeviceQueries lay_out(void* begin, std::size_t& used) const;

  DistanceKind distance_;
  std::size_t count_;
  bool has_long_ = false;
  std::vector<std::uint64_t> begins_;
  std::vector<std::uint32_t> values_;
  std::vector<std::uint32_t> unknown_;
  std::vector<float> vectors_;
  std::size_t stride_ = 0;
  DeviceQueries sent_;
};

}  // namespace warpdex::metric
