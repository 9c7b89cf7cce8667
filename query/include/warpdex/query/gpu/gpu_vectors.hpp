// The vectors of a snapshot's documents in GPU memory, beside its lists. The next snapshot shares
// those that both have.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {

/// Immutable, and used by any number of searchers on any threads. Copies share all; memory is freed
/// with the last of them that uses it. Counts in the account of the snapshot's resources.
class GpuVectors {
 public:
  /// Uploads the vectors of all segments, and shares `snapshot`. O(bytes). Throws UsageError if the
  /// index holds no vectors; CudaError.
  explicit GpuVectors(const GpuSnapshot& snapshot);

  /// Those of a later snapshot of the same index. Uploads the vectors of segments that this one
  /// does not have. O(those bytes + documents of segments from which some were removed).
  GpuVectors next(const GpuSnapshot& later) const;

  const GpuSnapshot& snapshot() const;
  /// Whether all vectors are in GPU memory. If not, none are, and the CPU searches them.
  bool is_resident() const;
  /// Bytes of GPU memory that the vectors take, and those of them that were uploaded for it.
  std::size_t memory() const;
  std::size_t new_memory() const;

  struct State;  ///< for searchers
  const State& state() const { return *state_; }

 private:
  explicit GpuVectors(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace warpdex
