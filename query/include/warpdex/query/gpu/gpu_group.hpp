// A snapshot in the memory of several GPUs, and the engine that searches it there.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/engine/engine.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {

/// Cuts segments, by the bytes of their lists and lengths, into `shards` runs of neighbours, so
/// that the largest is as small as can be; where there are fewer segments than shards, the last
/// runs are empty. Returns where each run begins, and the end. Throws UsageError for 0 shards.
/// O(segments log(bytes)).
std::vector<std::size_t> cut_into_shards(std::span<const std::uint64_t> bytes, std::size_t shards);

/// A snapshot cut into shards, each a run of whole segments on a GPU of its own, and all of them as
/// often as there are GPUs for: the replicas. Immutable; copies share all.
class GpuGroup {
 public:
  /// `gpus` are those of the first replica, shard after shard, then those of the others; one may be
  /// there more than once. All upload at the same time. Throws UsageError unless there are one or
  /// more times `shards`, and as GpuSnapshot does.
  GpuGroup(const Snapshot& snapshot, std::span<Resources* const> gpus, std::size_t shards = 1);

  /// A later snapshot of the same index on the same GPUs. Segments stay where they are, unless the
  /// shards would differ too much. Throws as the constructor does; this one does not change.
  GpuGroup next(const Snapshot& later) const;

  const Snapshot& snapshot() const { return snapshot_; }
  std::size_t shards() const { return begins_.size() - 1; }
  std::size_t replicas() const { return parts_.size() / shards(); }
  /// Shards that have documents.
  std::size_t used_shards() const;
  /// The shards of a replica, in the order of their docIDs.
  std::span<const GpuSnapshot> replica(std::size_t number) const {
    return std::span(parts_).subspan(number * shards(), shards());
  }
  /// Whether all lists of all segments are always in GPU memory.
  bool is_resident() const;
  /// As GpuSnapshot::has_list(), of the replica that does not have it if one does not.
  bool has_list(std::size_t segment, const PostingsEntry& list) const;
  /// Sums over all GPUs, as of GpuSnapshot.
  std::size_t memory() const;
  std::size_t new_memory() const;

 private:
  GpuGroup(const Snapshot& snapshot, std::vector<Resources*> gpus, std::vector<std::size_t> begins,
           const GpuGroup* before);

  Snapshot snapshot_;
  std::vector<Resources*> gpus_;
  std::vector<std::size_t> begins_;  ///< of the shards, by segment, and the end
  std::vector<GpuSnapshot> parts_;   ///< one for each of gpus_
};

/// Answers batches: each of its replicas some of the queries, with the same answers. A small batch
/// goes to one of them. Cannot answer what a GpuEngine cannot. Used by one thread at a time.
class GpuGroupEngine final : public Engine {
 public:
  /// Shares the group: later commits do not affect it. Throws as GpuEngine does.
  explicit GpuGroupEngine(const GpuGroup& group, const GpuEngineSettings& settings = {});
  ~GpuGroupEngine() override;
  GpuGroupEngine(GpuGroupEngine&&) noexcept;
  GpuGroupEngine& operator=(GpuGroupEngine&&) noexcept;

  Ticket submit(std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings) override;
  bool poll(Ticket ticket) override;
  /// Of small batches.
  EarlyAnswers early_answers(Ticket ticket) override;
  BatchAnswers wait(Ticket ticket) override;

  /// Sums over all replicas since construction.
  GpuStatistics statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
