// Planned queries to what the kernels read. Host code; nothing here waits for the GPU. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/and_stretches.hpp"
#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/batch_shape.hpp"
#include "gpu/batch/query_writer.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Builds batches over one index, for one searcher. Queries are cut into pieces, which are measured
/// and then written to where they belong; those of large batches are shared out to threads. The
/// image's bytes do not depend on them, but for what is padding.
class BatchBuilder {
 public:
  /// Keeps a reference.
  BatchBuilder(const PlacedIndex& index, const GpuAblation& ablation);

  /// How scores are computed, of what was measured.
  ScoreForm form() const;
  /// Tiles of the collection.
  std::uint32_t tiles() const { return rules_.tiles; }

  /// Finds out what the queries `slots` of a batch will take, whose answers go to the same places.
  /// The n-th of them has state n. `settings`: one for all of the batch or one for each; the slots'
  /// have one scorer. All of these live until the batch is written.
  const BatchShape& measure(std::span<const PlannedQuery> batch,
                            std::span<const std::uint32_t> slots,
                            std::span<const SearchSettings> settings);
  /// Slots of the measured queries that the kernels cannot hold or add up.
  std::vector<std::uint32_t> unanswerable() const;
  /// Writes what was measured, once, to the image's parts on the host; they are laid out, as is the
  /// GPU's copy, for its shape. There is room for `capacity` candidates of each query.
  /// `answers_so_far`: of queries that run again, by slot; else null. Throws FormatError for
  /// damage.
  void write(std::uint32_t capacity, const Answer* answers_so_far, const ImageParts& host,
             const ImageParts& device);

 private:
  /// Queries that one thread takes together.
  struct Piece {
    std::uint32_t begin = 0;  ///< states
    std::uint32_t end = 0;
    BatchShape shape;
    BatchShape before;                  ///< of all pieces before
    std::uint32_t short_stretches = 0;  ///< as table_stretches, if all postings are few
    AndStretches and_stretches;
    AndStretches second_stretches;
    std::vector<std::uint32_t> unanswerable;  ///< slots
  };

  template <typename Work>
  void for_each_piece(const Work& work);
  void cut(std::size_t queries);
  void measure(Piece& piece) const;
  void measure_entry(const PlannedQuery& plan, const QueryEntry& entry, bool counts,
                     const BatchShape& alone, Piece& piece) const;
  void add_up();
  void order_stretches();

  const PlacedIndex& index_;
  BatchRules rules_;
  std::span<const PlannedQuery> batch_;
  std::span<const std::uint32_t> slots_;
  std::vector<Piece> all_pieces_;  ///< as many as a batch ever had; they keep their memory
  std::span<Piece> pieces_;        ///< of this batch
  BatchShape shape_;
  StretchOrder and_order_;
  StretchOrder second_order_;
};

}  // namespace warpdex::gpu
