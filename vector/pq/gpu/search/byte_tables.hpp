// Tables of a query whose entries are rounded to 7 bits, for many queries at a time, and lists that
// are matched by them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/products.hpp"
#include "lists/gpu/kernels.hpp"
#include "pq/gpu/search/code_bound.hpp"
#include "pq/gpu/search/kernels.hpp"
#include "pq/gpu/search/table_scan.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// The largest entry: two entries fit a byte.
inline constexpr std::uint32_t kMaxByteEntry = 127;

/// A float entry of query q is about step(q) times its byte, and what the query's entries of that
/// byte of the code are at least. These smallest entries are added up in low(q).
struct ByteTables {
  std::uint8_t* entries = nullptr;  ///< of each query, code bytes * 256
  float* floats = nullptr;          ///< likewise, before they are rounded
  float* steps = nullptr;
  float* lows = nullptr;

  /// Takes memory for so many queries, or measures it.
  void lay_out(Arena& arena, std::size_t queries, std::uint32_t code_bytes);
};

/// Shared memory that a CTA of make_byte_tables() needs.
std::size_t byte_tables_bytes(std::uint32_t code_bytes);

/// Queues the making of the tables of all queries of a search. Of `panels` it sets slacks (how far
/// a sum by these tables may be from the canonical distance, twice), limits (all sums are wanted)
/// and is_open (nothing is known of a query's sums). Sums are in the unit of distances.
/// O(256 * coded_dimension) a query.
void make_byte_tables(const CodeQueries& search, const DeviceCodes& codes, const CodeBound& bound,
                      const ByteTables& tables, const QueryPanels& panels, const Stream& stream);

struct MatchTablesTask {
  DeviceCodes codes;
  const std::uint32_t* panel_begins = nullptr;  ///< of GpuCodes
  ListTasks tasks;
  std::uint32_t queries_of_task = 1;  ///< about
  DeviceQueries queries;
  ByteTables tables;
  const float* limits = nullptr;  ///< of each query
  /// As match_codes() has them; sums are in the unit of distances.
  CandidateLists lists;
  const std::uint64_t* filter = nullptr;  ///< a bit for each row that is allowed; null: all are
};

/// Queues the comparison of all tasks. What is within a query's limit is added to its candidates.
void match_tables(const MatchTablesTask& task, const Stream& stream);

/// Whether there is shared memory enough for codes of so many bytes, and this is the faster way:
/// longer ones are left to products.
bool can_match_tables(std::uint32_t code_bytes, std::uint32_t dimension, std::size_t shared_memory);

}  // namespace warpdex::vector
