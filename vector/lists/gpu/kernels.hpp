// The kernels of the search of lists: queries grouped by the lists that they probe, products of
// lists of whole vectors, scans, and refining.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/products.hpp"
#include "flat/gpu/workspace.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Candidates of a query that have room, at least.
inline constexpr std::uint32_t kMinCandidates = 4096;
/// Rows of a query's first round, at least; all of them become candidates.
inline constexpr std::uint32_t kMinFirstRows = 512;

/// One list and up to 128 queries that probe it.
struct ListTask {
  std::uint32_t first_panel;  ///< of the list
  std::uint32_t panels;
};

/// Many of them, in GPU memory. Task t has the queries entries[t * 128 + i]; kNoEntry: none.
struct ListTasks {
  const ListTask* tasks = nullptr;
  const std::uint32_t* entries = nullptr;
  const std::uint32_t* count = nullptr;  ///< of tasks
  std::uint32_t max_count = 0;           ///< `count` at the most; there is room for so many
};
inline constexpr std::uint32_t kNoEntry = 0xFFFFFFFF;

/// Tasks of a launch.
inline constexpr std::uint32_t kMaxListTasks = 4096;

struct MatchListsTask {
  ListTasks tasks;
  std::uint32_t first_task = 0;      ///< of the launch
  std::uint8_t* gathered = nullptr;  ///< room for the panels of kMaxListTasks tasks
  QueryPanels queries;
  RowPanels rows;
  std::uint32_t chunks = 0;
  CandidateLists lists;
  const std::uint32_t* ids = nullptr;     ///< of places in the panels
  const std::uint64_t* filter = nullptr;  ///< a bit for each id that is allowed; null: all are
};

/// Queues the products of all tasks, kMaxListTasks at a time. What is within a query's limit is
/// added to its candidates.
void match_lists(const MatchListsTask& task, const Stream& stream);

/// The lists that queries probe, nearest first.
struct DeviceProbes {
  const std::int32_t* lists = nullptr;  ///< count * probes
  std::uint32_t count = 0;              ///< queries
  std::uint32_t probes = 0;             ///< of each query
};

/// A part of the lists that queries probe.
struct ProbePart {
  std::uint32_t first = 0;  ///< probes [first, last) of each query
  std::uint32_t last = 0;
  std::uint32_t first_panel = 0;  ///< of each list
  std::uint32_t max_panels = ~std::uint32_t{0};
};

/// Groups queries by the lists that they probe, in tasks of one list and up to 128 queries.
class ProbeGroups {
 public:
  /// For `lists` lists, up to `queries` queries, and up to `probes` lists of each at a time.
  ProbeGroups(std::uint32_t lists, std::uint32_t queries, std::uint32_t probes);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the grouping of a part. `panel_begins`, in GPU memory, has the panels of list l from
  /// panel_begins[l] to panel_begins[l + 1]; lists without any in the part are left out.
  /// O(pairs + lists).
  void group(const DeviceProbes& probed, const ProbePart& part, const std::uint32_t* panel_begins,
             const Stream& stream);

  /// The tasks of the last group().
  const ListTasks& tasks() const { return tasks_; }

  /// Tasks of `pairs` pairs of a query and a list, at the most.
  static std::size_t max_tasks(std::size_t pairs, std::size_t lists);

 private:
  std::uint32_t lists_;
  std::size_t max_pairs_;
  ListTasks tasks_;
  ListTask* all_tasks_ = nullptr;
  std::uint32_t* entries_ = nullptr;
  std::uint32_t* task_count_ = nullptr;
  std::uint32_t* counts_ = nullptr;  ///< queries of each list
  std::uint32_t* begins_ = nullptr;  ///< first task of each list
  std::uint32_t* ranks_ = nullptr;   ///< of each pair among those of its list
};

struct ScanListsTask {
  DeviceRows rows;
  const std::uint32_t* row_numbers;  ///< of each vector; null: its position
  const std::uint32_t* begins;       ///< of each list among the vectors, and the end
  DeviceQueries queries;
  DeviceProbes probed;
  const std::uint32_t* which;  ///< of the queries; null: those from `first` on
  std::uint32_t first;
  std::uint32_t count;  ///< queries, from 1 to 65,535
  bool is_l2;
  const std::uint64_t* filter;  ///< a bit for each row number that is allowed; null: all are
  std::uint32_t* ends;          ///< scratch memory: count * probes
  /// Of each query `stride` places, one for each vector of its lists and, behind them, infinity
  /// with kNoEntry: no row. Rows that are not allowed are none either.
  float* values;
  std::uint32_t* ids;
  std::uint32_t stride;  ///< vectors of the lists of any query, at the least
};

/// Queues the computation. O(count * stride * dimension).
void scan_lists(const ScanListsTask& task, const Stream& stream);

/// Queues the canonical distances of each query's `candidates` (ids are rows of `rows`) and the
/// selection of the k nearest as `answers`. `values` is scratch memory for a float a candidate.
/// O(candidates * dimension).
void refine(const DeviceRows& rows, bool is_l2, const DeviceQueries& queries,
            const DeviceAnswers& candidates, float* values, const DeviceAnswers& answers,
            Workspace& workspace);

}  // namespace warpdex::vector
