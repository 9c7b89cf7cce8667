// Tables of where the exceptions of each block lie, for all long lists of an index of `pfor`, and
// flat tails of lists with more levels than kernels know. OR 10 takes 5.2 us a query with tables
// and 21 by tails, read in an unhurried form (H200). Internal.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "warpdex/codecs/exception_table.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// The table of all lists' docIDs, or of all lists' values. A list's part starts at its first block
/// and at its first offset base, as in the index. All zero for a list without exceptions.
struct ExceptionTable {
  std::vector<ExceptionEntry> entries;  ///< by block
  std::vector<ExceptionBase> bases;     ///< by group of blocks of a list, without its first group
  /// Of lists with 2 levels or more, one after the other, each from a multiple of 16 bytes on.
  std::vector<std::uint8_t> flat_tails;
  /// Where a list's flat tail starts, by the list's first block. None if it has no exceptions.
  std::unordered_map<std::uint32_t, std::uint64_t> flat_starts;
};

struct ExceptionTables {
  ExceptionTable docids;
  ExceptionTable frequencies;
};

/// Empty tables if the index has another codec. O(terms + blocks + exceptions of exceptions), with
/// flat tails O(postings), on all threads. Throws FormatError for damage.
ExceptionTables make_exception_tables(const Index& index);

}  // namespace warpdex::gpu
