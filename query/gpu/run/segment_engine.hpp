// Answers batches over one segment, or over all of a snapshot at once: gives each batch a lane, and
// takes the lane back when the batch's answers are released. Internal.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/run/lane.hpp"
#include "gpu/run/segment_searcher.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::gpu {

class SegmentEngine final : public SegmentSearcher {
 public:
  /// Keeps references. `removed`: with bits as those of Batch::removed. Throws CudaError.
  SegmentEngine(const GpuIndex::State& index, const Removals& removed,
                const GpuEngineSettings& settings);
  /// Over the segments of a snapshot; plans must be for all of them. Rows of terms take at most
  /// `max_row_bytes` on the host.
  SegmentEngine(const SearchedIndex& joined, const GpuEngineSettings& settings,
                std::size_t max_row_bytes = TermRows::kMaxBytes);

  /// Submits all queries.
  Ticket submit(SegmentPlans plans, std::span<const SearchSettings> settings);
  Ticket submit(SegmentPlans plans, std::span<const SearchSettings> settings,
                std::span<const std::uint32_t> slots) override;
  bool poll(Ticket ticket) override;
  EarlyAnswers early_answers(Ticket ticket);
  BatchAnswers wait(Ticket ticket) override;

  /// Sums over all batches that were answered since construction.
  GpuStatistics statistics() const;

 private:
  /// Answers in a lane's memory.
  class LaneSource final : public BatchAnswers::Source {
   public:
    explicit LaneSource(const LaneAnswers& answers) : answers_(answers) {}
    std::size_t size() const override { return answers_.queries; }
    AnswerView answer(std::size_t query) const override { return answers_.view(query); }

   private:
    const LaneAnswers& answers_;
  };

  /// A lane and its batch.
  struct LaneEntry {
    template <class... Arguments>
    explicit LaneEntry(Arguments&... arguments) : lane(arguments...) {}

    Lane lane;
    LaneSource source{lane.answers()};
    std::uint64_t ticket = 0;                           ///< 0: no batch, or its answers were taken
    std::weak_ptr<const BatchAnswers::Source> answers;  ///< the taken answers
    bool is_free() const {
      if (ticket != 0 || !answers.expired()) return false;
      // Another thread may have released the answers. What it read comes before what a batch
      // writes.
      std::atomic_thread_fence(std::memory_order_acquire);
      return true;
    }
  };

  void add_lane();
  LaneEntry& find_free();
  LaneEntry& find(Ticket ticket);

  const SearchedIndex& index_;
  const GpuIndex::State* alone_ = nullptr;  ///< the same if it is one index; else null
  Removals removed_;
  const GpuEngineSettings settings_;
  std::optional<DeviceRows> rows_;  ///< of a snapshot
  std::shared_ptr<BatchBuilder::Slices> slices_;
  std::vector<std::unique_ptr<LaneEntry>> lanes_;  ///< made when first needed
  std::uint64_t last_ticket_ = 0;
};

/// The message of the UsageError for one batch more than `max_batches`, and for an unknown ticket.
std::string too_many_batches(std::size_t max_batches);
std::string unknown_ticket(Ticket ticket);

}  // namespace warpdex::gpu
