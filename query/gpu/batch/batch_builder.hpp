// Turns planned queries into a batch's image, which the kernels read. Host code that never waits
// for the GPU. Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/batch/and_block_ranges.hpp"
#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/posting_store.hpp"
#include "gpu/batch/query_measurer.hpp"
#include "gpu/batch/query_slice.hpp"
#include "gpu/batch/segment_plans.hpp"
#include "gpu/layout/batch.hpp"
#include "gpu/layout/batch_shape.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/placed_index.hpp"
#include "scorers/scorers.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Builds batches over an index or over the segments of a snapshot, for one lane. Queries are cut
/// into slices. All slices are measured first; when their places are known, each is written to its
/// place. For large batches several threads do this. The image does not depend on the threads,
/// except for padding, the order of lists that are decoded once, and the places of rows.
class BatchBuilder {
 public:
  using Slices = QuerySlices;

  /// Keeps references. Segments are in the order of their docIDs. Builders over the same segments
  /// may share `slices`, if each calls write() before another calls measure(). Rows are kept from
  /// batch to batch; slices belong to one batch, from its measure() to its write().
  BatchBuilder(std::vector<const PlacedIndex*> segments, const GpuAblation& ablation,
               std::shared_ptr<Slices> slices = std::make_shared<Slices>());
  BatchBuilder(const PlacedIndex& index, const GpuAblation& ablation)
      : BatchBuilder(std::vector<const PlacedIndex*>{&index}, ablation) {}

  /// Whether the GPU can look documents up in lists that are decoded once; true at first.
  void set_searches_stored(bool can) { searches_stored_ = can; }

  /// How the measured queries are scored.
  ScorerKind scorer_kind() const { return rules_.scorer.kind; }
  const ScorerFacts& scorer() const { return facts_of(rules_.scorer.kind); }
  UnitForm form() const {
    const bool has_fields = segments_[0].index.texts() > 1;
    return has_fields ? form_of_fields(scorer().units.form) : scorer().units.form;
  }
  const FieldConstants& fields() const { return fields_; }

  /// Measures the queries `slots` of a batch, and returns the sizes of their image. Their answers
  /// go to the same slots; query number n has state n. `settings` has one element for the batch or
  /// one for each of its queries; all `slots` must have the same scorer and filter.
  /// `answers_so_far` has, by slot, the answers of queries that run again, or is null. If it
  /// `may_guess`, a filtered query may start from a threshold that too few matches reach, and must
  /// then run again. All arguments must live until the image is written. Throws FormatError
  /// for damage.
  const BatchShape& measure(SegmentPlans batch, std::span<const std::uint32_t> slots,
                            std::span<const SearchSettings> settings,
                            const Answer* answers_so_far = nullptr, bool may_guess = false);
  /// Writes by slot the scores that the measured queries guessed: k matches must turn out to reach
  /// them. 0: a query guessed none.
  void read_guesses(std::vector<float>& guesses) const;
  /// How many of the measured queries come before the first one that OR answers.
  std::uint32_t first_without_or() const;
  /// The slots of measured queries that the kernels cannot answer, since they have too many terms.
  /// To be called before others are measured in the same slices.
  std::vector<std::uint32_t> unanswerable() const;
  /// Writes the measured queries, once, to the image's parts on the host. These and the parts on
  /// the GPU must be laid out for the measured shape. There is room for `capacity` candidates of
  /// each query.
  void write(std::uint32_t capacity, const ImageParts& host, const ImageParts& device);

  /// The first docID of the first segment.
  std::uint32_t first_document() const { return segments_[0].first_document; }
  /// The rows of a snapshot's terms.
  TermRows& rows() { return all_slices_->rows; }

  /// Writes the work items for lists that are decoded once. After write().
  void write_stored(const ImageParts& host) const {
    store_.write_ranges(host.stored_ranges);
    store_.write_firsts(shape_.stored_marked, host.stored_marked);
  }

 private:
  template <typename Work>
  void for_each_slice(const Work& work);
  void set_fields();
  void cut(std::size_t queries);
  void measure(QuerySlice& slice, const Answer* answers_so_far);
  void add_up();
  void order_ranges();
  void choose_stored();
  void claim_lists(QuerySlice& slice);
  void add_stored();
  std::uint32_t count_marked() const;

  PlacedSegments segments_;
  BatchRules rules_;
  FieldConstants fields_{};
  SegmentPlans batch_;
  std::span<const std::uint32_t> slots_;
  std::shared_ptr<Slices> all_slices_;
  std::span<QuerySlice> slices_;  ///< of the current batch
  BatchShape shape_;
  bool searches_stored_ = true;
  bool are_few_ = true;  ///< postings of the batch; while it is measured, of the one before
  PostingStore store_;   ///< empty: no lists are decoded once
  std::vector<const PostingsEntry*> claimed_;  ///< the lists that were added to it
  GpuAblation ablation_;
  BlockRangeOrder order_;
  BlockRangeOrder fallback_order_;
};

}  // namespace warpdex::gpu
