// Short lists as kernels read them, made from an index: queries need not decode and send them.
// Plain C++. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/layout/layout.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// Bytes of a raw list.
inline constexpr std::size_t kRawBytes = kRawListEntries * sizeof(std::uint32_t);

/// Decodes a short list: its docIDs from `first_document` on, then its values less one. Returns the
/// term's collection frequency. Throws FormatError for damage.
std::uint64_t write_packed_list(const Index& index, const PostingsEntry& entry,
                                std::uint32_t first_document, std::uint32_t* packed);

/// Pads both parts of a packed list of `size` postings to kRawEntries numbers.
void pad_list(const std::uint32_t* packed, std::uint32_t size, std::uint32_t* raw);

/// As write_packed_list(), with both parts padded.
std::uint64_t write_raw_list(const Index& index, const PostingsEntry& entry,
                             std::uint32_t first_document, std::uint32_t* raw);

/// The raw lists of an index's short lists with the most postings.
struct ShortLists {
  /// Of a term with such a list.
  struct Place {
    std::uint32_t list = kNone;  ///< its number; kNone: there is none
    std::uint32_t occurrences = 0;
  };

  std::uint32_t fewest = kBlockSize;  ///< the postings of a short list that is here, or more
  std::vector<std::uint32_t> raw;     ///< kRawListEntries each
  std::vector<Place> places;          ///< by term
};

/// Decodes as many as fit in `bytes`: all of a number of postings or none. O(terms), on all
/// threads. Throws FormatError for damage.
ShortLists make_short_lists(const Index& index, std::uint32_t first_document, std::size_t bytes);

}  // namespace warpdex::gpu
