// How fast a GPU's memory is: the ceiling that memory-bound kernels are measured against.
#pragma once

#include <cstddef>

namespace warpdex::tools {

/// What measure_copy_bandwidth() found.
struct CopyBandwidth {
  std::size_t bytes = 0;      ///< copied by one pass; the pass reads and writes that many each
  int passes = 0;             ///< timed, after one untimed
  double median_seconds = 0;  ///< of a pass
  double best_seconds = 0;    ///< of a pass
  /// Bytes read plus bytes written per second, in 10^9, by the median pass.
  double gigabytes_per_second() const;
};

/// Copies pseudo-random bytes within the memory of `device` by a kernel of 16-byte loads and
/// stores, `passes` times, and checks the copy on the GPU. `bytes` is rounded down to a multiple
/// of 16, and to a third of the memory that is free. To measure memory and not the L2 cache, take
/// many times the cache's size (50 MB on an H100).
/// Throws UsageError for under 16 bytes or 1 pass, CudaError where there is no such GPU, and
/// Error if the copy differs from its source.
CopyBandwidth measure_copy_bandwidth(int device = 0, std::size_t bytes = std::size_t{1} << 30,
                                     int passes = 20);

}  // namespace warpdex::tools
