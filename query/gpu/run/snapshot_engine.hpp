// Answers batches over parts of a snapshot that are searched apart: segments that cannot be joined,
// or what several GPUs have. Internal.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "gpu/run/segment_engine.hpp"
#include "gpu/run/snapshot_batch.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::gpu {

/// Used by one thread at a time. As GpuEngine, but that all answers come when a batch ends.
class SnapshotEngine {
 public:
  /// The snapshots are one on each GPU, in the order of their docIDs; engines keep references to
  /// what is in them.
  SnapshotEngine(std::span<const GpuSnapshot> snapshots, const GpuEngineSettings& settings);

  Ticket submit(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings);
  bool poll(Ticket ticket);
  /// None: the answers of the parts are merged when all are there.
  EarlyAnswers early_answers(Ticket ticket);
  BatchAnswers wait(Ticket ticket);
  /// A query counts once, not once a part.
  GpuStatistics statistics() const;

 private:
  using Batches = std::map<std::uint64_t, std::unique_ptr<SnapshotBatch>>;

  void add(const GpuSnapshot& snapshot, const GpuEngineSettings& settings);
  void add(SearchedPart part);
  Batches::iterator find(Ticket ticket);

  const std::size_t max_batches_;
  SearchedParts parts_;
  std::vector<const SegmentEngine*> engines_;  ///< those in parts_
  Batches batches_;                            ///< by ticket; they end before the parts
  std::uint64_t last_ticket_ = 0;
  std::uint64_t queries_ = 0;
  std::uint64_t unanswered_queries_ = 0;
};

}  // namespace warpdex::gpu
