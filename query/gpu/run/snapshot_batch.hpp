// A batch over the segments of a snapshot, one by one. The largest segment is searched first,
// alone. The scores of its k-th answers are the first thresholds of all other segments, which are
// searched at the same time. AND+OR is AND, then OR for the queries that matched too few in all
// segments together. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/run/merged_answers.hpp"
#include "gpu/run/segment_searcher.hpp"

namespace warpdex::gpu {

/// The searcher and the first docID of each segment.
struct SearchedSegments {
  std::vector<std::unique_ptr<SegmentSearcher>> searchers;
  std::vector<std::uint32_t> first_documents;
  std::size_t largest = 0;  ///< the segment with the most documents
};

/// Used by one thread at a time. Has at most one batch under way in each segment.
class SnapshotBatch {
 public:
  /// Starts on a batch. Keeps a reference to the segments. The plans live until the batch is done.
  /// Throws as Engine::submit() does.
  SnapshotBatch(SearchedSegments& segments, std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings);
  /// Waits for the searches that are under way.
  ~SnapshotBatch();
  SnapshotBatch(const SnapshotBatch&) = delete;
  SnapshotBatch& operator=(const SnapshotBatch&) = delete;

  /// Goes on as far as it can without waiting. Returns whether the batch is answered. After a
  /// failure the batch cannot go on.
  bool poll();
  /// Returns when it is answered.
  void wait();
  /// The answers; valid once the batch is answered.
  std::shared_ptr<const MergedAnswers> answers() const { return answers_; }

 private:
  /// A segment that is searched.
  struct Flight {
    std::size_t segment;
    Ticket ticket;
    bool is_done = false;
  };

  const SearchSettings& settings_of(std::uint32_t slot) const {
    return settings_[settings_.size() == 1 ? 0 : slot];
  }
  void begin_pass(bool is_fallback);
  void start(std::span<const std::size_t> which);
  void start_others();
  bool advance();
  void raise_thresholds();
  void merge();
  bool fall_back();
  void abandon() noexcept;

  SearchedSegments& segments_;
  std::span<const PlannedQuery> plans_;
  std::vector<SearchSettings> settings_;  ///< one for all queries or one for each
  std::vector<SearchSettings> now_;       ///< likewise, as the segments get them in this pass
  std::vector<std::uint32_t> slots_;      ///< the queries of this pass that are left
  bool has_fallen_back_ = false;          ///< this pass is OR, after AND
  bool has_started_others_ = false;       ///< all segments are under way, or were
  bool is_done_ = false;
  std::vector<Flight> flights_;
  std::vector<SegmentAnswers> parts_;  ///< of this pass
  std::shared_ptr<MergedAnswers> answers_;
};

}  // namespace warpdex::gpu
