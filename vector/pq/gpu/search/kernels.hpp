// The kernels of the search of codes: what they read, tables of queries, scans by them, products
// with decoded residuals, and the distances of what is left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/products.hpp"
#include "lists/gpu/kernels.hpp"
#include "pq/code_groups.hpp"
#include "pq/gpu/search/code_bound.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Codes in their lists. The bytes are those of the index.
struct DeviceCodes {
  const std::uint8_t* groups = nullptr;  ///< of 32 vectors, as docs/vector.md says
  const float* terms = nullptr;  ///< of each vector; for products length ratios, null: all are 1
  const std::uint32_t* row_numbers = nullptr;  ///< of each vector, list after list
  /// Of each list among the vectors and among the groups, and the end.
  const std::uint32_t* begins = nullptr;
  const std::uint32_t* group_begins = nullptr;
  const float* codebooks = nullptr;  ///< of ProductQuantizer
  const float* rotation = nullptr;   ///< likewise; null: none
  const float* centre = nullptr;     ///< for l2; else null
  DeviceRows centroids;
  std::uint32_t lists = 0;
  std::uint32_t dimension = 0;
  std::uint32_t coded_dimension = 0;  ///< of ProductQuantizer
  std::uint32_t bytes = 0;            ///< of a code
  std::uint32_t bits = 8;             ///< of a codeword's number
  bool is_l2 = true;

  WARPDEX_HOST_DEVICE std::uint32_t codewords() const { return 1U << bits; }
  WARPDEX_HOST_DEVICE std::uint32_t parts() const { return bits == 8 ? bytes : 2 * bytes; }
  /// Both factors are below 2^14.
  WARPDEX_HOST_DEVICE std::uint32_t part_begin(std::uint32_t part) const {
    return part * coded_dimension / parts();
  }
  WARPDEX_HOST_DEVICE std::uint32_t stored_bytes() const { return (bytes + 3) / 4 * 4; }
  WARPDEX_HOST_DEVICE std::size_t group_bytes() const {
    return std::size_t{kGroupVectors} * stored_bytes();
  }
};

/// Where the codes of 8 neighbouring components, a *unit*, lie: in at most three words of a
/// vector's code.
struct alignas(16) UnitCodes {
  static constexpr std::uint32_t kComponents = 8;
  static constexpr std::uint32_t kOwnBits = 18;
  static constexpr std::uint32_t kWidthBits = 24;
  static constexpr std::uint32_t kFirstByteBits = 29;

  /// From bit 0: where the word of the group's first vector lies in the group. From kWidthBits: the
  /// bytes from one vector to the next. Word 0 has, from kFirstByteBits, the place of the first
  /// component's byte in it. Words 1 and 2 have, from kOwnBits, for codes of 4 bits, a bit for each
  /// of the first and of the last four components: whether it has the high half of its byte.
  std::uint32_t words[3];
  /// The bytes of the components, counted from the first one's: 4 bits each.
  std::uint32_t bytes;
};

/// Some of the queries of a search. Slot s of what is made for them is that of query which[s] or,
/// if that is null, of first + s.
struct ChosenQueries {
  const std::uint32_t* which = nullptr;
  std::uint32_t first = 0;
  std::uint32_t count = 0;  ///< 1 to 65,535

  WARPDEX_HOST_DEVICE std::uint32_t query(std::uint32_t slot) const {
    return which == nullptr ? first + slot : which[slot];
  }
};

/// Queues the making of the vectors that tables and products are made of: for l2 -2 times the query
/// less the centre, else -1 times the query; rotated. `vectors` and, where there is a rotation,
/// `moved` have rows of queries.stride floats, with zeros behind their dimensions.
void make_query_vectors(const DeviceCodes& codes, const DeviceQueries& queries, float* moved,
                        float* vectors, const Stream& stream);

/// What the scan of a query's lists needs, a slot a query.
struct QueryTables {
  float* tables = nullptr;        ///< bytes * 256 entries each
  float* bases = nullptr;         ///< canonical distances to the centroids of the lists, `probes`
  std::uint32_t* ends = nullptr;  ///< [p]: groups of the first p + 1 lists
  unsigned long long* bounds = nullptr;  ///< an entry that k others are not behind; none yet
  std::uint32_t* finished = nullptr;     ///< CTAs that have handed in; 0
};

/// The first `used` lists of each query.
struct TablesTask {
  DeviceCodes codes;
  DeviceQueries queries;
  const float* vectors;  ///< of make_query_vectors()
  DeviceProbes probed;
  std::uint32_t used;
  ChosenQueries chosen;
  QueryTables made;
};

/// Queues all of it. O(256 * coded_dimension + used * dimension) a query.
void make_query_tables(const TablesTask& task, const Stream& stream);

struct ScanCodesTask {
  DeviceCodes codes;
  DeviceProbes probed;
  std::uint32_t used;  ///< the first so many lists of each query
  ChosenQueries chosen;
  QueryTables made;
  const std::uint64_t* filter = nullptr;  ///< a bit for each row that is allowed; null: all are
  std::size_t shared_memory = 0;          ///< that a CTA may have
};

/// CTAs of a launch of select_codes() that share a query with others, at the most.
inline constexpr std::uint32_t kMaxSharedCtas = 1024;

/// The k nearest of each query, of k up to kBlockSelectLimit (core/select).
struct SelectCodes {
  /// Of all queries of the search: slot s sets the answers of query chosen.query(s).
  DeviceAnswers answers;
  unsigned long long* parts = nullptr;  ///< scratch memory: kMaxSharedCtas * k
};

/// Queues the scan and the selection. `vectors` is about how many a query has in its lists.
void select_codes(const ScanCodesTask& task, const SelectCodes& select, std::size_t vectors,
                  const Stream& stream);

/// All vectors of one query that are within a limit, in any order.
struct CollectCodes {
  float limit;     ///< of values that are smaller when nearer
  bool takes_all;  ///< whatever the limit; NaN, too
  float* values = nullptr;
  std::uint32_t* ids = nullptr;
  int* count = nullptr;  ///< 0 before
};

/// Queues the scan of a single query.
void collect_codes(const ScanCodesTask& task, const CollectCodes& collect, std::size_t vectors,
                   const Stream& stream);

/// What a search compares, in GPU memory.
struct CodeQueries {
  DeviceQueries queries;
  const float* vectors = nullptr;  ///< of make_query_vectors(), rows of queries.stride
  DeviceProbes probed;
  const std::uint64_t* filter = nullptr;  ///< a bit for each row that is allowed; null: all are
};

/// Queues the packing of the queries' vectors into `panels`, whose scales become each query's
/// weight: sums are distances times it. Slacks are CodeBound's, twice. All sums are wanted. Queries
/// that nothing is known of become open. Shifts are not set.
void pack_code_queries(const CodeQueries& search, const DeviceCodes& codes, const CodeBound& bound,
                       const QueryPanels& panels, const Stream& stream);

struct MatchCodesTask {
  DeviceCodes codes;
  const std::uint16_t* half_books = nullptr;  ///< of GpuCodes
  const UnitCodes* units = nullptr;           ///< likewise
  const std::uint32_t* panel_begins = nullptr;
  ListTasks tasks;
  DeviceQueries queries;
  QueryPanels panels;  ///< of pack_code_queries()
  /// A candidate's place is its vector's among the groups: 32 a group. Its sum is S + w (base + t)
  /// of code_bound.hpp, for l2 put up to 0.
  CandidateLists lists;
  const std::uint64_t* filter = nullptr;  ///< a bit for each row that is allowed; null: all are
  std::size_t shared_memory = 0;          ///< that a CTA may have
};

/// Queues the products of all tasks. What is within a query's limit is added to its candidates.
void match_codes(const MatchCodesTask& task, const Stream& stream);

/// Whether a CTA has shared memory enough for products of `coded_dimension` and for a centroid.
bool can_match_codes(std::uint32_t dimension, std::uint32_t coded_dimension,
                     std::size_t shared_memory);

struct RescoreCodesTask {
  DeviceCodes codes;
  DeviceQueries queries;
  const float* vectors;  ///< of make_query_vectors()
  CandidateLists lists;  ///< as match_codes() has them
  const std::uint32_t* is_open;
  const float* tables;  ///< of each query, code bytes * 256; null: they are made
  DeviceAnswers answers;
};

/// Shared memory that a CTA needs for codes of so many bytes and up to k answers.
std::size_t rescore_codes_bytes(std::uint32_t code_bytes, std::size_t k);

/// Queues, for each query that is not open, the ranking of its candidates: the k nearest become its
/// answers. k up to kMaxProductNeighbors.
/// O(256 * coded_dimension + candidates * (dimension + bytes)) a query.
void rescore_codes(const RescoreCodesTask& task, const Stream& stream);

}  // namespace warpdex::vector
