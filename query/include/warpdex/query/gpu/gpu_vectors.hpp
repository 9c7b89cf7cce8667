// The vectors of a snapshot's documents in GPU memory, beside its lists. A later snapshot shares
// those that have not changed.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {

/// Immutable, and used by any number of searchers on any threads. Copies share everything; memory
/// is freed with the last of them that uses it. Memory counts in the budget of the snapshot's
/// Resources.
class GpuVectors {
 public:
  /// Uploads the vectors of all segments, one of vector_sets(), and shares `snapshot`. O(bytes).
  /// Throws UsageError if the index holds no vectors; CudaError.
  explicit GpuVectors(const GpuSnapshot& snapshot, std::size_t set = 0);

  /// The same vectors of a later snapshot of the same index. Uploads those of segments that this
  /// one does not have. O(uploaded bytes + documents of segments from which some were removed).
  /// Throws CudaError.
  GpuVectors next(const GpuSnapshot& later) const;

  const GpuSnapshot& snapshot() const;
  /// Which of vector_sets() they are.
  std::size_t set() const;
  /// Whether all vectors, with their lists and codes, are in GPU memory. If not, none are, and the
  /// CPU searches them.
  bool is_resident() const;
  /// Bytes of GPU memory that they take.
  std::size_t memory() const;
  /// The part of memory() that was uploaded for this snapshot.
  std::size_t new_memory() const;

  struct State;  ///< for searchers
  const State& state() const { return *state_; }

 private:
  explicit GpuVectors(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace warpdex
