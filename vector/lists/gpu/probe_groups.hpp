// Finds on the GPU, from the lists that each query probes, which queries probe a list.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lists/gpu/match_lists.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

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

}  // namespace warpdex::vector
