// Numbers the distinct lists of a batch.
#include "gpu/batch/posting_store.hpp"

#include <algorithm>
#include <atomic>

#include "gpu/batch/term_lists.hpp"

namespace warpdex::gpu {

void PostingStore::clear() {
  if (is_open_) {  // a failure may have left lists that were claimed but not added
    row_of_term_.clear();
  } else {
    for (const std::uint32_t term : terms_) row_of_term_[term] = kNone;
  }
  is_open_ = false;
  lists_.clear();
  terms_.clear();
  blocks_ = 0;
  ranges_ = 0;
}

void PostingStore::open(std::size_t terms) {
  is_open_ = true;
  row_of_term_.resize(terms, kNone);
}

bool PostingStore::claim(const PostingsEntry& entry) {
  const std::atomic_ref row(row_of_term_[entry.term_number]);
  if (row.load(std::memory_order_relaxed) != kNone) return false;
  return row.exchange(kClaimed, std::memory_order_relaxed) == kNone;
}

void PostingStore::add(const PostingsEntry& entry) {
  row_of_term_[entry.term_number] = rows();
  const std::uint32_t blocks = block_count(entry.document_frequency);
  lists_.push_back({blocks_, blocks, kNone});
  terms_.push_back(entry.term_number);
  blocks_ += blocks;
  ranges_ += (blocks + kShortRangeBlocks - 1) / kShortRangeBlocks;
}

void PostingStore::place(const PostingsEntry& entry, std::uint32_t number, ListUse& use) {
  use.stored_row = row_of_term_[entry.term_number];
  Stored& stored = lists_[use.stored_row];
  use.stored_block = stored.first_block;
  // Several threads may write it. Any of their lists will do.
  std::atomic_ref(stored.owner).store(number, std::memory_order_relaxed);
}

void PostingStore::write_firsts(std::uint32_t rows, std::uint32_t* firsts) const {
  for (std::uint32_t row = 0; row < rows; ++row) {
    const Stored& list = lists_[row];
    firsts[row] = list.owner == kNone ? kNone : list.first_block * kBlockSize;
  }
}

void PostingStore::write_ranges(BlockRange* ranges) const {
  for (const Stored& list : lists_) {
    const bool is_placed = list.owner != kNone;
    for (std::uint32_t first = 0; first < list.blocks; first += kShortRangeBlocks) {
      const std::uint32_t blocks = std::min(kShortRangeBlocks, list.blocks - first);
      *ranges++ = is_placed ? BlockRange{list.owner, first, blocks} : BlockRange{};
    }
  }
}

}  // namespace warpdex::gpu
