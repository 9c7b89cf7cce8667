// The tables of where blocks' exceptions are, of all long lists of an index of `pfor`. Internal.
#pragma once

#include <vector>

#include "warpdex/codecs/exception_table.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// Of the lists' docIDs, or of their values. A list's part starts where its parts of the block
/// arrays and of the bases of offsets do; all zero where it has no exceptions.
struct ExceptionTable {
  std::vector<ExceptionEntry> entries;  ///< by block
  std::vector<ExceptionBase> bases;     ///< by group of blocks of a list, but its first
};

struct ExceptionTables {
  ExceptionTable docids;
  ExceptionTable frequencies;
};

/// Empty ones, if the index is of another codec. O(terms + blocks + exceptions of exceptions), by
/// all threads. Throws FormatError for damage.
ExceptionTables make_exception_tables(const Index& index);

}  // namespace warpdex::gpu
