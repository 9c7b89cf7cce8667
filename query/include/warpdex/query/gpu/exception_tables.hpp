// Tables of where the exceptions of each block lie, for all long lists of an index with `pfor`.
// Lists with more levels of recursion than kernels can read also get a flat tail. With tables, OR
// 10 takes 5.2 us a query; with kernels that read the tails themselves it took 21 (H200). Internal.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "warpdex/codecs/exception_table.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// The table for the docIDs, or for the values, of all lists. A list's part starts at its first
/// block and at its first offset base, as in the index. All zero for a list without exceptions.
struct ExceptionTable {
  std::vector<ExceptionEntry> entries;  ///< by block
  std::vector<ExceptionBase> bases;     ///< by group of blocks of a list, without its first group
  /// The flat tails of lists with 2 levels or more, each at a multiple of 16 bytes.
  std::vector<std::uint8_t> flat_tails;
  /// The start of each flat tail, by the list's first block. A list without exceptions has none.
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
