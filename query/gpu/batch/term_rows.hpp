// The lists of terms in all segments of a snapshot, a row a term: a query reads one row in the
// place of a plan and a lexicon's entry in each segment. As many as have room are on the GPU, too,
// so that a batch need not send their lists. Internal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "gpu/batch/placed_segments.hpp"
#include "gpu/batch/term_lists.hpp"
#include "warpdex/query/plan/plan.hpp"

namespace warpdex::gpu {

/// A term's lists.
struct TermRow {
  const TermList* lists = nullptr;        ///< by segment
  const std::uint32_t* packed = nullptr;  ///< numbers of those that are decoded for each query
  const ListSource* on_gpu = nullptr;     ///< by segment, with the decoded lists behind them; or
                                          ///< null: there was no room
  ListSums sums;                          ///< of all of them
};

/// GPU memory for rows.
struct RowMemory {
  std::uint8_t* begin = nullptr;  ///< aligned to 16 bytes
  std::size_t bytes = 0;
};

/// The rows of one snapshot's terms that queries have asked for. Where the host has no room for
/// more, other terms of the batch are described for each query, and the next batch starts without
/// rows. Where the GPU has none, rows that follow are on the host alone.
/// find(), add() and prefetch(): any thread.
class TermRows {
 public:
  /// All rows together, on the host; without fresh(), which takes as much as `memory` at most.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMaxRows = std::size_t{1} << 16;

  explicit TermRows(RowMemory memory = {}, std::size_t max_bytes = kMaxBytes)
      : memory_(memory), max_bytes_(max_bytes) {}

  /// Which term of the snapshot a term of a plan for all segments is: its number in the first
  /// segment that has it. One segment has it at least.
  static std::uint64_t key_of(const PlannedQuery& plan, const PlannedTerm& term);

  /// Before each batch, while no row is in use: starts over if there was no room for more.
  void open();
  /// Prefetches what find() reads.
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[first_slot(key)]); }
  /// The row of a term, if it is there.
  std::optional<TermRow> find(std::uint64_t key) const;
  /// Makes the row of a term that was not there. Nothing if there is no room, for this term or one
  /// before; one that is too large alone leaves the room to others. Throws FormatError for damage.
  std::optional<TermRow> add(std::uint64_t key, const PlacedSegments& segments,
                             const PlannedQuery& plan, const PlannedTerm& term);
  /// Of all rows, while none is added.
  std::size_t bytes() const { return bytes_; }

  /// The bytes of rows that are not on the GPU yet, while none is added, and where they go in its
  /// memory. Where they start over, rows of batches under way may lie there.
  std::span<const std::uint8_t> fresh() const { return fresh_; }
  std::size_t fresh_begin() const { return end_ - fresh_.size(); }
  bool starts_over() const { return starts_over_; }
  /// Their upload is queued.
  void set_uploaded();

 private:
  struct Row {
    std::uint64_t key;
    TermRow view;
    std::vector<TermList> lists;
    std::vector<std::uint32_t> packed;
  };
  using Slot = std::atomic<const Row*>;

  static constexpr std::size_t kSlots = 2 * kMaxRows;
  static std::size_t first_slot(std::uint64_t key);
  void place(Row& row);
  std::size_t slot_of(std::uint64_t key) const;

  std::vector<Slot> slots_;  ///< a hash table without removals; a slot is written once
  std::mutex adding_;
  std::vector<std::unique_ptr<const Row>> rows_;
  std::size_t bytes_ = 0;
  RowMemory memory_;
  std::size_t end_ = 0;  ///< of the rows in it
  std::vector<std::uint8_t> fresh_;
  bool starts_over_ = false;
  std::size_t max_bytes_;
  std::atomic<bool> is_full_ = false;  ///< a row found no room
};

/// The lists of a term of a plan for all segments. Returns their sums. Throws FormatError for
/// damage.
ListSums describe_in_all(const PlacedSegments& segments, const PlannedQuery& plan,
                         const PlannedTerm& term, std::vector<std::uint32_t>& packed,
                         std::span<TermList> lists);

}  // namespace warpdex::gpu
