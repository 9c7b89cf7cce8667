// The positions of words in GPU memory, beside a snapshot's lists. A later snapshot shares those
// that have not changed.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {

/// Immutable, and used by any number of searchers on any threads. Copies share everything; memory
/// is freed with the last of them that uses it. Memory counts in the budget of the snapshot's
/// Resources.
class GpuPositions {
 public:
  /// Uploads the positions of all segments, and shares `snapshot`. O(bytes). Throws CudaError.
  explicit GpuPositions(const GpuSnapshot& snapshot);

  /// The positions of a later snapshot of the same index. Uploads those of segments that this one
  /// does not have. O(uploaded bytes). Throws CudaError.
  GpuPositions next(const GpuSnapshot& later) const;

  const GpuSnapshot& snapshot() const;
  /// Whether all positions and all lists are in GPU memory. If not, no positions are, and the CPU
  /// searches phrases. False of an index without positions, and of one with several text fields.
  bool is_resident() const;
  /// Bytes of GPU memory that they take.
  std::size_t memory() const;
  /// The part of memory() that was uploaded for this snapshot.
  std::size_t new_memory() const;

  struct State;  ///< for searchers
  const State& state() const { return *state_; }

 private:
  explicit GpuPositions(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace warpdex
