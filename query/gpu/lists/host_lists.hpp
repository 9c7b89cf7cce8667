// Lists' encoded bytes in page-locked host memory, where kernels can read them over the bus, and
// from where they are copied to the GPU without staging. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// Where the encoded bytes of a long list are, each with its kReadSlack behind it.
struct EncodedBytes {
  const std::uint8_t* docids = nullptr;
  const std::uint8_t* frequencies = nullptr;
};

/// Immutable: any thread.
class HostLists {
 public:
  /// Copies the lists of `index`, which outlives this, in their order, until they take `most` bytes
  /// or no more memory can be page-locked. O(bytes), by several threads.
  HostLists(const Index& index, std::size_t most, int device);

  /// Where kernels read a long list; null pointers if there is no copy of it. O(log pieces).
  EncodedBytes find(const PostingsEntry& list) const;
  /// Where the host reads it: the copy, or else the mapped index.
  EncodedBytes source(const PostingsEntry& list) const;
  /// Page-locked memory that the copies take.
  std::size_t bytes() const;

 private:
  /// Neighbouring lists. Their docIDs are at the beginning of the memory.
  struct Piece {
    std::uint32_t first_block = 0;  ///< of the first of its lists
    std::uint64_t docids_begin = 0;
    std::uint64_t docids_end = 0;
    std::uint64_t frequencies_begin = 0;
    std::uint64_t frequencies_end = 0;
    PinnedBuffer memory;  ///< of size 0: there was none

    std::size_t frequencies_offset() const;  ///< in the memory
    std::size_t bytes() const;
    EncodedBytes place(const void* begin, const PostingsEntry& list) const;
  };

  void cut(std::size_t piece_bytes);
  void fill(Piece& piece) const;
  const Piece* find_piece(const PostingsEntry& list) const;

  const Index& index_;
  std::vector<Piece> pieces_;  ///< by first block
};

}  // namespace warpdex::gpu
