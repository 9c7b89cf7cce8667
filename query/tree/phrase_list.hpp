// The list of a word of a phrase. Internal.
#pragma once

#include <cstdint>
#include <numeric>

#include "cpu/list_cursor.hpp"
#include "warpdex/indexer/format/positions.hpp"

namespace warpdex {

/// Occurrences of a list that are in one document; none: it has not the document.
struct PhraseSpot {
  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

  std::uint64_t begin = 0;  ///< the first one's number in the list
  std::uint32_t frequency = 0;
  /// Where `frequency` is kUnknown: the document's block and place in the list.
  std::uint32_t block = 0;
  std::uint32_t place = 0;
};

/// A list, with where its word stands.
class PhraseList {
 public:
  void open(const Index& index, const PostingsEntry& entry) {
    cursor.open(index, entry);
    occurrences_ = entry.collection_frequency;
    if (entry.is_short()) {
      const std::uint32_t* const frequencies = cursor.frequencies();
      occurrences_ = std::accumulate(frequencies, frequencies + cursor.size(), std::uint64_t{0});
    }
    positions = PositionReader(index.sections(), entry, occurrences_);
  }

  std::uint64_t occurrences() const { return occurrences_; }

  /// Looks for a document, which must not fall from call to call.
  bool find(const Kernels& kernels, std::uint32_t document) {
    is_here_ = cursor.contains(kernels, document);
    if (is_here_) set_here(cursor.block(), cursor.position());
    return is_here_;
  }
  /// The document at that place of a block; neither falls.
  void set_here(std::uint32_t block, std::uint32_t place) {
    is_here_ = true;
    if (block_ != block) {
      cursor.read_frequencies(block, frequencies_);
      block_ = block;
      counted_to_ = 0;
      counted_ = cursor.entry().is_short() ? 0 : positions.start_of_block(block);
    }
    here_ = place;
  }
  /// In the document; 0: the list has it not.
  std::uint32_t frequency() const { return is_here_ ? frequencies_[here_] : 0; }

  /// The document's occurrences. Counting goes on where it ended.
  PhraseSpot spot() {
    if (!is_here_) return {};
    // A list has below 2^32 occurrences; of a damaged one, the sum wraps, and is out of range.
    std::uint32_t between = 0;
    for (std::uint32_t i = counted_to_; i < here_; ++i) between += frequencies_[i];
    counted_ += between;
    counted_to_ = here_;
    return {counted_, frequencies_[here_]};
  }

  ListCursor cursor;
  PositionReader positions;

 private:
  static constexpr std::uint32_t kNothing = ~std::uint32_t{0};

  alignas(64) std::uint32_t frequencies_[kBlockSize];  ///< of the block
  std::uint64_t occurrences_ = 0;
  bool is_here_ = false;
  std::uint32_t block_ = kNothing;
  std::uint32_t here_ = 0;  ///< in the block
  std::uint32_t counted_to_ = 0;
  std::uint64_t counted_ = 0;  ///< occurrences before that place
};

}  // namespace warpdex
