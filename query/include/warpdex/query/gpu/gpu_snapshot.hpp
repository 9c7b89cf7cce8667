// A snapshot in GPU memory: its segments, and a bit for each document that was removed. The next
// snapshot shares what both have.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"

namespace warpdex {

/// Immutable, and used by any number of engines on any threads. Copies share all; memory is freed
/// with the last snapshot and engine that use it.
class GpuSnapshot {
 public:
  /// Uploads all segments, each as GpuIndex does, and shares `snapshot`. The resources outlive this
  /// and its copies and successors. O(bytes). Throws as GpuIndex does.
  GpuSnapshot(const Snapshot& snapshot, Resources& resources);
  /// Likewise `count` of the segments from number `first` on, for one of several GPUs: snapshot()
  /// is that part. Engines take plans and filters of the whole, and find documents of the part by
  /// the whole's docIDs.
  GpuSnapshot(const Snapshot& whole, std::size_t first, std::size_t count, Resources& resources);

  /// A later snapshot of the same index, in the same resources. Uploads the segments that this one
  /// does not have, and the bits of segments from which documents were removed since. O(uploaded
  /// bytes), and on the GPU O(documents). Throws as the constructor does; this one does not change.
  GpuSnapshot next(const Snapshot& later) const;
  /// Likewise a part of the later one.
  GpuSnapshot next(const Snapshot& later, std::size_t first, std::size_t count) const;

  const Snapshot& snapshot() const;
  /// The GPU.
  int device() const;
  /// Whether all lists of all segments are always in GPU memory.
  bool is_resident() const;
  /// Whether a list of 128 postings or more, of segment number `segment` (of the whole), is in GPU
  /// memory now; true of another part's. On any thread; O(1).
  bool has_list(std::size_t segment, const PostingsEntry& list) const;
  /// Bytes of GPU memory that it uses, also those that it shares with other snapshots: segments,
  /// bits, and the tables by docID that join several segments.
  std::size_t memory() const;
  /// The part of memory() that was uploaded for this snapshot.
  std::size_t new_memory() const;

  struct State;  ///< for engines
  const State& state() const { return *state_; }

 private:
  explicit GpuSnapshot(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

}  // namespace warpdex
