// Encoded bytes of lists in page-locked host memory. Kernels can read them there over the bus, and
// they can be copied to the GPU without staging. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// Where the encoded bytes of a long list are, each part with kReadSlack behind it.
struct EncodedBytes {
  const std::uint8_t* docids = nullptr;
  const std::uint8_t* frequencies = nullptr;
};

/// Immutable: any thread may use it.
class HostLists {
 public:
  /// Copies the lists of `index` in their order, up to `max_bytes` or until no more memory can be
  /// page-locked. The index must outlive this. O(bytes), on several threads.
  HostLists(const Index& index, std::size_t max_bytes, int device);

  /// Where kernels read a long list; null pointers if it has no copy. O(log pieces).
  EncodedBytes find(const PostingsEntry& list) const;
  /// Where the host reads a long list: the copy, or the mapped index.
  EncodedBytes source(const PostingsEntry& list) const;
  /// Bytes of page-locked memory that the copies take.
  std::size_t bytes() const;

 private:
  /// Neighbouring lists. All their docIDs come first, then all their frequencies.
  struct Piece {
    std::uint32_t first_block = 0;  ///< of its first list
    std::uint64_t docids_begin = 0;
    std::uint64_t docids_end = 0;
    std::uint64_t frequencies_begin = 0;
    std::uint64_t frequencies_end = 0;
    PinnedBuffer memory;  ///< empty if none could be locked

    std::size_t frequencies_offset() const;  ///< in `memory`
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
