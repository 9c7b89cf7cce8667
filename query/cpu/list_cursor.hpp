// A cursor over one posting list: forward only, one block decoded at a time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "cpu/kernels.hpp"
#include "cpu/score_bounds.hpp"
#include "plan/sum_slack.hpp"
#include "warpdex/codecs/gap_bits.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// Slots that may be read or written past a block's postings.
inline constexpr std::uint32_t kBlockPadding = 16;
/// A docID above that of every document.
inline constexpr std::uint32_t kNoDocument = ~std::uint32_t{0};

/// A list with its scorer, its current block, and the decoded parts of it. A list shorter than a
/// block is one block, which open() decodes.
class ListCursor {
 public:
  /// Starts at the list's first block. Throws FormatError if the list is damaged.
  void open(const Index& index, const PostingsEntry& entry);

  /// Sets the scorer. Scores and bounds are computed when they are asked for.
  void set_scorer(const Index& index, const ScorerSettings& settings,
                  const CollectionStatistics& statistics, const PlannedTerm& term);

  /// The same of a scorer that is made already; `occurrences` is the largest frequency that it may
  /// be asked for.
  void set_scorer(const Index& index, const TermScorer& scorer, std::uint64_t occurrences);

  std::uint32_t blocks() const { return blocks_; }
  std::uint32_t block() const { return block_; }
  bool at_end() const { return block_ == blocks_; }
  std::uint32_t size() const { return size_; }
  std::uint32_t last_docid(std::uint32_t block) const { return last_docids_[block]; }
  /// The first docID that the current block may hold.
  std::uint32_t first_possible(std::uint32_t block) const {
    return block == 0 ? 0 : last_docids_[block - 1] + 1;
  }
  std::uint32_t count() const { return block_count(block_); }
  std::uint32_t block_count(std::uint32_t block) const {
    return block + 1 < blocks_ ? kBlockSize : size_ - block * kBlockSize;
  }
  const PostingsEntry& entry() const { return entry_; }
  const TermScorer& scorer() const { return scorer_; }
  /// By docID, in the list's text field.
  const std::uint32_t* lengths() const { return lengths_; }

  /// An upper bound of the scores in the current block.
  float block_bound(std::uint32_t block) {
    return entry_.is_short() ? bound_of_short() : block_bounds_[block];
  }
  /// An upper bound of the scores from the current block on, of documents in [begin, end). The
  /// range must have a document of the index. O(blocks there); for a frequent list, O(ranges).
  float bound_between(std::uint32_t begin, std::uint32_t end);
  /// An upper bound of the list's scores. O(blocks); for a frequent list, O(ranges).
  float bound();
  /// A score that `k` of the list's documents reach by this term alone, or 0 if none is known. For
  /// a short list it is the k-th best score; for a long one it comes from its stored seeds.
  float seed(const IndexSections& sections, std::uint32_t k);

  /// Moves to the first block whose last docID is `docid` or more. `docid` must not fall from call
  /// to call.
  void skip_to_block(std::uint32_t docid) {
    if (block_ < blocks_ && last_docids_[block_] < docid) gallop(docid);
  }
  void next_block() {
    ++block_;
    position_ = 0;
  }

  /// Throws FormatError unless the current block may follow the one before.
  void check_order() const {
    if (block_ > 0 && block_ < blocks_ && last_docids_[block_] <= last_docids_[block_ - 1]) {
      throw_disorder();
    }
  }

  /// The current block's docIDs, ascending, padded with the last. Decoded once at most.
  const std::uint32_t* docids() {
    if (docids_of_ != block_) load_docids();
    return docids_;
  }
  /// The current block's frequencies; those past count() are undefined. Decoded once at most.
  const std::uint32_t* frequencies() {
    if (frequencies_of_ != block_) load_frequencies();
    return frequencies_;
  }
  /// The current block's scores; those past count() are undefined. Computed once at most.
  const float* scores(const Kernels& kernels) {
    if (scores_of_ != block_) load_scores(kernels);
    return scores_;
  }
  bool is_loaded() const { return docids_of_ == block_; }
  /// Whether the current block is stored as a bit set.
  bool is_dense() const { return !entry_.is_short() && view_.is_dense(block_); }
  /// Where the current block is a bit set, or one at once: its bytes, of which bit i stands for
  /// first_possible() + i, up to last_docid(); 8 more can be read. Else null.
  const std::uint8_t* bit_set() {
    if (entry_.is_short()) return nullptr;
    if (view_.is_dense(block_)) return view_.dense_bytes(block_);
    const BlockRef ref = view_.docid_block(block_);
    return ref.code <= kMaxGapBits ? read_bits(ref) : nullptr;
  }
  /// Back to the first block.
  void rewind() {
    block_ = 0;
    position_ = 0;
  }

  /// The position in the current block of its first docID of `docid` or more. `docid` must not
  /// exceed the block's last, and must not fall within a block.
  std::uint32_t seek(const Kernels& kernels, std::uint32_t docid) {
    position_ = kernels.seek(docids(), position_, docid);
    return position_;
  }

  /// A lower bound of the first docID of `docid` or more; exact if the block is decoded.
  std::uint32_t next_document(const Kernels& kernels, std::uint32_t docid) {
    skip_to_block(docid);
    if (at_end()) return kNoDocument;
    if (is_loaded()) return docids_[seek(kernels, docid)];
    const std::uint32_t first = first_possible(block_);
    return first > docid ? first : docid;
  }

  /// Whether the list holds `docid`, which must not fall from call to call. Then frequency_here()
  /// is its frequency.
  bool contains(const Kernels& kernels, std::uint32_t docid);
  /// The frequency of the posting that contains() or seek() found.
  std::uint32_t frequency_here() {
    if (frequencies_of_ == block_) return frequencies_[position_];
    return view_.frequency(block_, position_);
  }
  std::uint32_t position() const { return position_; }

  /// contains() for `count` ascending docIDs, none past the current block's last and none before
  /// its first possible: sets matched[j] = i and positions[j] for the j-th docids[i] that the
  /// block holds. Returns how many.
  std::size_t intersect_block(const Kernels& kernels, const std::uint32_t* docids,
                              std::size_t count, std::uint8_t* matched, std::uint8_t* positions);

  /// Decodes all frequencies of any block: kBlockSize values; those past block_count() are
  /// undefined.
  void read_frequencies(std::uint32_t block, std::uint32_t* frequencies) const {
    if (frequencies_of_ == block) {
      std::copy_n(frequencies_, kBlockSize, frequencies);
    } else {
      view_.read_frequencies(block, frequencies);
    }
  }

  /// The frequency at a block and position that contains() found before.
  std::uint32_t frequency_at(std::uint32_t block, std::uint32_t position) const {
    if (frequencies_of_ == block) return frequencies_[position];
    return view_.frequency(block, position);
  }

 private:
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  [[noreturn]] static void throw_disorder();
  void open_short(const Index& index, const PostingsEntry& entry);
  void gallop(std::uint32_t docid);
  /// A short list's scores, wherever the cursor is.
  const float* scores_of_short();
  float bound_of_short();
  void load_docids();
  void load_frequencies();
  void load_scores(const Kernels& kernels);
  const std::uint8_t* read_bits(const BlockRef& ref);
  bool is_in_set(const Kernels& kernels, const std::uint8_t* bytes, std::uint32_t docid);

  alignas(64) std::uint32_t docids_[kBlockSize + kBlockPadding];
  alignas(64) std::uint32_t frequencies_[kBlockSize + kBlockPadding];
  alignas(64) float scores_[kBlockSize + kBlockPadding];
  TermScorer scorer_;
  PostingsView view_;
  EncodedList docid_list_;  ///< of view_
  PostingsEntry entry_;
  const std::uint32_t* last_docids_ = nullptr;
  ScoreBounds block_bounds_;
  ScoreBounds range_bounds_;   ///< none unless the list is frequent
  float bound_of_short_ = -1;  ///< negative until it is computed
  const std::uint32_t* lengths_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t blocks_ = 0;
  std::uint32_t block_ = 0;
  std::uint32_t position_ = 0;  ///< in the current block; the cursor has passed all before it
  std::uint64_t bits_[kGapBitWords];
  std::uint32_t bits_of_ = kNothing;  ///< the block that bits_ has
  std::uint32_t docids_of_ = kNothing;
  std::uint32_t frequencies_of_ = kNothing;
  std::uint32_t scores_of_ = kNothing;
  std::uint32_t last_of_short_ = 0;
};

}  // namespace warpdex
