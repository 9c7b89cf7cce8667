// Lists of codes whose products with the codes of queries are whole numbers: what their kernels
// read. `Codes` is a coding's codes in GPU memory, without lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/products.hpp"
#include "lists/gpu/kernels.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Codes in their lists. The bytes are those of the index.
template <class Codes>
struct DeviceCodeLists {
  Codes codes;  ///< groups list after list; terms and factors in that order, too
  const std::uint32_t* row_numbers = nullptr;  ///< of each vector, likewise
  /// Of each list among the vectors and among the groups, and the end.
  const std::uint32_t* begins = nullptr;
  const std::uint32_t* group_begins = nullptr;
  DeviceRows centroids;
};

/// Queries against the codes of the lists that they probe, query by query.
template <class Codes>
struct ScanListCodesTask {
  DeviceCodeLists<Codes> lists;
  DeviceQueries queries;          ///< padded; 1 to 65,535 of them
  typename Codes::Queries codes;  ///< of the same queries
  DeviceProbes probed;
  const std::uint64_t* filter;  ///< a bit for each row number that is allowed; null: all are
  std::uint32_t* ends;          ///< scratch memory: of each query, one a probe
  float* bases;                 ///< likewise
  /// Of each query `stride` places: 32 for each group of its lists and, behind them and where there
  /// is no vector or none that is allowed, ids of kNoEntry with any value.
  float* values;
  std::uint32_t* ids;
  std::uint32_t stride;  ///< a multiple of 32; places of the groups of any query, at the least
};

/// Lists against all queries that probe them: what is within a query's limit is added to its
/// candidates, by rows. Distances are exact.
template <class Codes>
struct MatchListCodesTask {
  DeviceCodeLists<Codes> lists;
  std::uint32_t list_count = 0;
  const std::uint32_t* panel_begins = nullptr;  ///< of each list, and the end
  ListTasks tasks;
  DeviceQueries queries;                       ///< padded
  typename Codes::Queries codes;               ///< of the queries
  const std::uint8_t* query_panels = nullptr;  ///< of bytes
  std::uint32_t chunks = 0;                    ///< of a panel
  const float* limits = nullptr;               ///< of the queries
  CandidateLists candidates;
  const std::uint64_t* filter = nullptr;  ///< a bit for each row that is allowed; null: all are
};

/// What a scan begins with.
struct OpenListsTask {
  DeviceQueries queries;
  DeviceProbes probed;
  const std::uint32_t* group_begins;
  DeviceRows centroids;
  std::uint32_t* ends;  ///< set to the number of groups of the query's first p + 1 lists
  float* bases;         ///< set to the canonical distance of the centroid of list p
};

/// Queues it.
void open_lists(const OpenListsTask& task, bool is_l2, const Stream& stream);

/// Whether a CTA that matches a list has the shared memory that it takes.
bool can_match_list_codes(std::uint32_t dimension);
/// Shared memory of a CTA of that product beside its panels, at most.
inline constexpr std::size_t kBesideListPanels = 12 << 10;

}  // namespace warpdex::vector
