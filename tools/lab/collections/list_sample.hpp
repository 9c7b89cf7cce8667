// Lists of an index, decoded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/indexer/format/index.hpp"

namespace warpdex::tools {

/// Lists of values one after the other.
struct ListSample {
  std::vector<std::uint32_t> docids;
  std::vector<std::uint32_t> frequencies;  ///< less one, as codecs take them
  std::vector<std::size_t> starts{0};      ///< lists + 1

  std::size_t lists() const { return starts.size() - 1; }
  std::span<const std::uint32_t> list(const std::vector<std::uint32_t>& values,
                                      std::size_t i) const {
    return std::span(values).subspan(starts[i], starts[i + 1] - starts[i]);
  }
};

/// Adds the list of a term.
void append_list(const Index& index, const PostingsEntry& entry, ListSample& sample);

/// All lists of two or more postings, in the order of terms; the lexicon holds the others. 8 bytes
/// of memory a posting.
ListSample read_lists(const Index& index);

}  // namespace warpdex::tools
