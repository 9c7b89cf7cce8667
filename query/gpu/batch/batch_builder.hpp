// Turns planned queries into what the kernels read. Host code; nothing here waits for the GPU.
// Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/and_block_ranges.hpp"
#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/batch_shape.hpp"
#include "gpu/batch/posting_store.hpp"
#include "gpu/batch/query_writer.hpp"
#include "gpu/batch/segment_plans.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Builds batches over an index or over the segments of a snapshot, for one lane. Queries are cut
/// into pieces. Each piece is first measured and then written to its place, for large batches by
/// several threads. The bytes of the image do not depend on the threads, except for padding and for
/// the order of lists that are decoded once.
class BatchBuilder {
 public:
  /// Keeps references. Several segments lie in the order of their docIDs.
  BatchBuilder(std::vector<const PlacedIndex*> segments, const GpuAblation& ablation);
  BatchBuilder(const PlacedIndex& index, const GpuAblation& ablation)
      : BatchBuilder(std::vector<const PlacedIndex*>{&index}, ablation) {}

  /// How the measured queries are scored.
  ScoreForm form() const;

  /// Measures what the queries `slots` of a batch need. Their answers go to the same slots; query
  /// number n has state n. `settings` has one entry for the batch or one for each of its queries;
  /// all these slots have the same scorer. All arguments must live until the batch is written.
  const BatchShape& measure(SegmentPlans batch, std::span<const std::uint32_t> slots,
                            std::span<const SearchSettings> settings);
  /// Slots of the measured queries that the kernels cannot answer: they have too many terms.
  std::vector<std::uint32_t> unanswerable() const;
  /// Writes what was measured, once, to the image's parts on the host. These and the parts on the
  /// GPU are laid out for the measured shape. There is room for `capacity` candidates of each
  /// query. `answers_so_far` has the answers of queries that run again, by slot; else it is null.
  /// Throws FormatError for damage.
  void write(std::uint32_t capacity, const Answer* answers_so_far, const ImageParts& host,
             const ImageParts& device);

  /// Writes the block ranges of lists that are decoded once, after write().
  void write_stored(const ImageParts& host) const { store_.write_ranges(host.stored_ranges); }

 private:
  /// Queries that one thread takes together.
  struct Piece {
    std::uint32_t begin = 0;  ///< the first state
    std::uint32_t end = 0;
    BatchShape shape;
    BatchShape before;               ///< sums of all pieces before this one
    std::uint32_t short_ranges = 0;  ///< table_ranges if the batch has few postings
    AndBlockRanges and_ranges;
    AndBlockRanges and_fallback_ranges;
    std::vector<std::uint32_t> unanswerable;   ///< slots
    std::vector<const PostingsEntry*> stored;  ///< lists that no piece before it has claimed
  };

  template <typename Work>
  void for_each_piece(const Work& work);
  void cut(std::size_t queries);
  void measure(Piece& piece) const;
  void measure_in(std::size_t segment, std::uint32_t slot, Piece& piece) const;
  void measure_entry(const PlannedQuery& plan, const QueryEntry& entry, bool counts,
                     const BatchShape& alone, Piece& piece) const;
  void prefetch(std::uint32_t slot) const;
  void add_up();
  void order_ranges();
  void choose_stored();
  void claim_lists(Piece& piece);
  bool has_or(std::uint32_t slot) const;

  PlacedSegments segments_;
  BatchRules rules_;
  SegmentPlans batch_;
  std::span<const std::uint32_t> slots_;
  std::vector<Piece> all_pieces_;  ///< as many as any batch had; they keep their memory
  std::span<Piece> pieces_;        ///< of the current batch
  BatchShape shape_;
  PostingStore store_;  ///< empty: no lists are decoded once
  OrMethod or_by_;
  BlockRangeOrder order_;
  BlockRangeOrder fallback_order_;
};

}  // namespace warpdex::gpu
