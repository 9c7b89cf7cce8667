// Which lists a batch decodes once for all of its queries. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/layout/layout.hpp"
#include "gpu/layout/list_source.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// The distinct lists of a batch's queries over one index. Each has a row, and blocks of
/// kBlockSize decoded postings. For each batch: clear(), and nothing more if it decodes no list
/// once. Else open(); any thread claims lists; one thread adds them; close(); any thread places
/// them.
class PostingStore {
 public:
  /// Forgets all lists. Also after a failure at any point. O(lists of the last batch); after a
  /// failure before close(), the next open() takes O(terms).
  void clear();
  /// Makes lists ready to be claimed. `terms`: of the index's lexicon, the same each time. The
  /// first time takes 4 bytes a term, for as long as this lives. O(1), the first time O(terms).
  void open(std::size_t terms);
  /// Whether a list is new. It must be added then. Any thread. O(1).
  bool claim(const PostingsEntry& entry);
  /// Adds a claimed list. O(1).
  void add(const PostingsEntry& entry);
  /// All claimed lists are added.
  void close() { is_open_ = false; }

  bool is_empty() const { return lists_.empty(); }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(lists_.size()); }
  std::uint32_t blocks() const { return blocks_; }
  /// Block ranges of all lists, of kShortRangeBlocks or fewer each.
  std::uint32_t ranges() const { return ranges_; }

  /// Writes to `use` where the decoded postings of list number `number` of the image are. It was
  /// added. Any thread.
  void place(const PostingsEntry& entry, std::uint32_t number, ListUse& use);
  /// Writes all block ranges, when all lists are placed.
  void write_ranges(BlockRange* ranges) const;
  /// Likewise, for each of the first `rows` rows, the number of its first posting among all; kNone
  /// where no list was placed.
  void write_firsts(std::uint32_t rows, std::uint32_t* firsts) const;

 private:
  struct Stored {
    std::uint32_t first_block;
    std::uint32_t blocks;
    std::uint32_t owner;  ///< a list of the image that has these postings
  };

  static constexpr std::uint32_t kClaimed = kNone - 1;

  std::vector<std::uint32_t> row_of_term_;  ///< kNone: none
  std::vector<Stored> lists_;               ///< by row
  std::vector<std::uint32_t> terms_;        ///< by row: the number of the term
  std::uint32_t blocks_ = 0;
  std::uint32_t ranges_ = 0;
  bool is_open_ = false;  ///< some lists may be claimed that are not added
};

}  // namespace warpdex::gpu
