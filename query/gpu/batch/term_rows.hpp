// Rows: the lists of a term in all segments of a snapshot. A query reads one row for each term,
// instead of a plan and a lexicon's entry in each segment. As many rows as have room are on the
// GPU, too, so that a batch need not send their lists. Internal.
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
  const std::uint32_t* packed = nullptr;  ///< postings of lists that are decoded for each query
  const ListSource* on_gpu = nullptr;     ///< by segment, with the decoded lists behind them; or
                                          ///< null: there was no room
  ListSums sums;                          ///< of all of them
};

/// GPU memory for rows.
struct RowMemory {
  std::uint8_t* begin = nullptr;  ///< aligned to 16 bytes
  std::size_t bytes = 0;
};

/// The rows of a snapshot's terms that queries have asked for. If the host has no room for more,
/// other terms of the batch are described for each query, and the next batch starts without rows.
/// If the GPU has no room, further rows are on the host alone. Any thread may call find(), add()
/// and prefetch().
class TermRows {
 public:
  /// The most memory of all rows on the host. fresh() comes on top, with up to the size of
  /// `memory`.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  static constexpr std::size_t kMaxRows = std::size_t{1} << 16;

  explicit TermRows(RowMemory memory = {}, std::size_t max_bytes = kMaxBytes)
      : memory_(memory), max_bytes_(max_bytes) {}

  /// The key of a term of a plan for all segments: the first segment of the snapshot that has it,
  /// and its number there. At least one must have it.
  static std::uint64_t key_of(const PlannedQuery& plan, const PlannedTerm& term);

  /// To be called before each batch, while no row is in use. Starts over if there was no room left.
  void open();
  /// Prefetches what find() reads.
  void prefetch(std::uint64_t key) const { __builtin_prefetch(&slots_[first_slot(key)]); }
  /// The row of a term, if it is there.
  std::optional<TermRow> find(std::uint64_t key) const;
  /// Makes the row of a term that has none, by the plans for the segments. Returns nothing if there
  /// is no room, or was none for an earlier term. A row larger than all room is refused too, but
  /// leaves the room to others. Throws FormatError for damage.
  std::optional<TermRow> add(std::uint64_t key, const PlacedSegments& segments,
                             std::span<const PlannedQuery> plans, const PlannedTerm& term);
  /// Bytes of all rows on the host. Not while rows are added.
  std::size_t bytes() const { return bytes_; }

  /// The rows that are not on the GPU yet, and their place in its memory. Not while rows are added.
  /// If starts_over(), rows of batches under way may lie in that place.
  std::span<const std::uint8_t> fresh() const { return fresh_; }
  std::size_t fresh_begin() const { return end_ - fresh_.size(); }
  bool starts_over() const { return starts_over_; }
  /// To be called when the upload of fresh() is queued.
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

/// Describes the lists of a term of a plan for all segments, by its plans for these. Returns their
/// sums. Throws FormatError for damage.
ListSums describe_in_all(const PlacedSegments& segments, std::span<const PlannedQuery> plans,
                         const PlannedTerm& term, std::vector<std::uint32_t>& packed,
                         std::span<TermList> lists);

}  // namespace warpdex::gpu
