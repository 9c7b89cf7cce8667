// What the steps of a build on a GPU share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kmeans/parallel_parts.hpp"
#include "lists/build/gpu/row_stream.hpp"
#include "lists/build/gpu_steps.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// The memory in which blocks travel, kept from step to step, since locking pages takes long.
struct GpuSteps::State {
  explicit State(Resources& given)
      : resources(given), stream(given.device()), rows(given.device()), results(given.device()) {}

  Resources& resources;
  Stream stream;  ///< of the work
  RowStream rows;
  ResultStream results;
};

/// Bytes of a block of rows.
inline constexpr std::size_t kBlockBytes = std::size_t{64} << 20;

/// Waits at the end of a scope for a stream, whatever ends it: memory that it uses goes after.
class StreamEnd {
 public:
  explicit StreamEnd(const Stream& stream) : stream_(stream) {}
  ~StreamEnd() {
    try {
      stream_.synchronize();
    } catch (...) {
      // The next call that waits gets the error as well.
    }
  }
  StreamEnd(const StreamEnd&) = delete;
  StreamEnd& operator=(const StreamEnd&) = delete;

 private:
  const Stream& stream_;
};

/// Calls copy(i) for [0, count) from all threads: copies of rows of so many bytes.
template <class Copy>
void copy_in_parallel(std::size_t count, std::size_t row_bytes, const Copy& copy) {
  constexpr std::size_t kPartBytes = std::size_t{1} << 18;
  const std::size_t part = std::max<std::size_t>(1, kPartBytes / row_bytes);
  for_each_part(count, part, 0, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) copy(i);
  });
}

}  // namespace warpdex::vector
