// A few queries against the codes of the lists that they probe, by tables.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pq/gpu/search/query_tables.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

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

}  // namespace warpdex::vector
