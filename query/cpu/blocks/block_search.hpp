// OR over learned weights, by blocks of documents with the highest bounds first.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cpu/blocks/block_kernels.hpp"
#include "warpdex/core/select/top_k.hpp"
#include "warpdex/core/storage/removed_rows.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"
#include "warpdex/query/plan/plan.hpp"

namespace warpdex {

/// Answers one query after the other; owns all scratch memory.
/// The largest impacts of terms in superblocks bound the scores there. Superblocks are taken by
/// falling bounds, some at a time; those that the lists with the highest bounds do not rule out get
/// the bounds of their blocks. Documents of blocks that can enter are scored by all lists, in the
/// canonical order, so scores are the canonical ones.
class BlockSearch {
 public:
  BlockSearch();

  /// A segment without static scores.
  struct Searched {
    const DocumentBlocks& blocks;
    RemovedRows removed;
    std::uint32_t first_document;  ///< its docID in the snapshot
  };

  /// Whether it is faster than lists for the k best by OR of these terms.
  static bool takes(std::span<const PlannedTerm* const> terms, std::uint32_t k);

  /// An upper bound of the segment's scores. O(terms).
  static float bound(const DocumentBlocks& blocks, std::span<const PlannedTerm* const> terms,
                     bool is_exact);

  /// Feeds `top` with all documents that can be among its k best by OR. `terms` are in the
  /// canonical order, with weights above 0. `is_exact`: no sum of scores is rounded. `top` may
  /// start with a threshold. `watch` (null: none) is asked now and then. Returns an upper bound of
  /// the scores of documents that were not looked at, since it stopped the search; negative
  /// if there are none.
  float run(const Searched& segment, std::span<const PlannedTerm* const> terms, bool is_exact,
            TopK& top, const std::function<bool()>& goes_on);

 private:
  /// Superblocks that are looked at together, so that reads of memory overlap.
  static constexpr std::uint32_t kTogether = 8;

  bool can_enter(float bound) const { return bound * slack_ >= top_->threshold(); }
  void open(std::span<const PlannedTerm* const> terms);
  void bound_superblocks();
  void add_bounds(std::size_t list, std::vector<float>& sums);
  void order_superblocks();
  std::uint32_t take_superblocks(std::uint32_t most);
  void find_records(std::uint32_t count, std::size_t begin, std::size_t end);
  std::uint32_t drop_superblocks(std::uint32_t count);
  void search_superblock(std::uint32_t place);
  void score_blocks(std::uint32_t place, std::uint32_t blocks);
  float bound_of_rest(std::uint32_t taken) const;

  const BlockKernels& kernels_;
  const Searched* segment_ = nullptr;
  TopK* top_ = nullptr;
  float slack_ = 1;  ///< the factor of sums of bounds, for rounding

  std::vector<std::pair<float, std::uint32_t>> bounds_;  ///< of lists, negative
  // By list, those with the highest bounds first; the first half rules superblocks out.
  std::vector<BlockList> lists_;
  std::vector<float> weights_;
  std::size_t half_ = 0;
  // By list in the canonical order.
  std::vector<std::uint32_t> order_of_lists_;
  std::vector<float> canonical_weights_;
  std::vector<const std::uint8_t*> canonical_records_;

  std::vector<float> first_bounds_;   ///< by superblock: of the first half of the lists
  std::vector<float> rest_bounds_;    ///< of the others
  std::vector<std::uint32_t> order_;  ///< superblocks that can enter, by falling bounds
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint8_t> levels_;
  std::size_t next_ = 0;  ///< in order_

  std::uint32_t together_[kTogether];         ///< superblocks
  std::vector<const std::uint8_t*> records_;  ///< by superblock and list; null: none
  std::vector<std::uint32_t> places_;         ///< by list and superblock
  alignas(64) float block_bounds_[kTogether][kBlocksOfSuperblock];
  alignas(64) float sums_[kDocumentsOfSuperblock];
  std::size_t given_ = 0;  ///< documents since the threshold was raised last
  std::size_t rise_ = 0;   ///< after so many it is raised again
};

}  // namespace warpdex
