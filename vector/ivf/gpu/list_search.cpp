// Turns the lists of each query around, so that each list meets all queries that probe it.
#include "ivf/gpu/list_search.hpp"

#include <algorithm>

#include "flat/gpu/rescore.hpp"
#include "flat/gpu/tighten.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

/// Tasks of a launch.
constexpr std::size_t kMaxTasks = 4096;

}  // namespace

ListSearch::ListSearch(const GpuLists& lists, std::size_t queries, std::size_t k)
    : lists_(lists),
      queries_(static_cast<std::uint32_t>(queries)),
      k_(static_cast<std::uint32_t>(k)) {
  candidates_.capacity = kMaxListCapacity;
}

void ListSearch::lay_out(Arena& arena) {
  const std::size_t panels = (queries_ + kPanelRows - 1) / kPanelRows;
  const std::size_t bytes = panel_bytes(lists_.rows().dimension());
  query_panels_.halves = arena.take<std::uint8_t>(panels * bytes);
  query_panels_.limits = arena.take<float>(panels * kPanelRows);
  query_panels_.slacks = arena.take<float>(queries_);
  query_panels_.shifts = arena.take<float>(queries_);
  query_panels_.scales = arena.take<float>(queries_);
  query_panels_.is_open = arena.take<std::uint32_t>(queries_);
  candidates_.candidates = arena.take<Candidate>(queries_ * candidates_.capacity);
  candidates_.counts = arena.take<std::uint32_t>(queries_);
  tasks_ = arena.take<ListTask>(kMaxTasks);
  entries_ = arena.take<std::uint32_t>(kMaxTasks * kPanelRows);
  gathered_ = arena.take<std::uint8_t>(kMaxTasks * bytes);
}

std::vector<std::uint32_t> ListSearch::run(const DeviceQueries& queries, const Neighbors& probed,
                                           std::size_t first_query, const std::uint64_t* filter,
                                           const DeviceAnswers& answers, Workspace& workspace) {
  const GpuRows& rows = lists_.rows();
  pack_queries(queries, rows.dimension(), rows.rules(), nullptr, 0, query_panels_,
               workspace.stream);
  clear_counts(candidates_, queries.count, workspace.stream);
  // The first list gives a limit; each round takes four times as many as were taken.
  for (std::size_t probe = 0; probe < probed.k;) {
    const std::size_t end = std::min(probed.k, probe == 0 ? std::size_t{1} : probe * 4);
    match_round(probed, first_query, queries.count, probe, end, filter, workspace);
    tighten_all(queries.count, workspace.stream);
    probe = end;
  }
  const RowPage page = lists_.page();
  rescore({.rows = page.rows,
           .choice = page.choice,
           .order = lists_.order(),
           .queries = queries,
           .is_l2 = rows.is_l2(),
           .lists = candidates_,
           .is_open = query_panels_.is_open},
          answers, false, workspace.stream);
  return find_open(query_panels_.is_open, queries.count, workspace);
}

void ListSearch::tighten_all(std::uint32_t queries, const Stream& stream) {
  tighten({.lists = candidates_,
           .query_count = queries,
           .k = k_,
           .row_slacks = lists_.panels().slacks,
           .queries = query_panels_,
           .given_count = 0},
          stream);
}

void ListSearch::match_round(const Neighbors& probed, std::size_t first_query,
                             std::uint32_t queries, std::size_t first_probe, std::size_t last_probe,
                             const std::uint64_t* filter, Workspace& workspace) {
  const auto list_of = [&](std::uint32_t query, std::size_t probe) {
    return static_cast<std::size_t>(probed.rows[(first_query + query) * probed.k + probe]);
  };
  std::vector<std::uint32_t> begins(lists_.lists() + 1);
  for (std::uint32_t query = 0; query < queries; ++query) {
    for (std::size_t probe = first_probe; probe < last_probe; ++probe) {
      ++begins[list_of(query, probe) + 1];
    }
  }
  for (std::size_t list = 0; list < lists_.lists(); ++list) begins[list + 1] += begins[list];
  std::vector<std::uint32_t> next(begins.begin(), begins.end() - 1);
  std::vector<std::uint32_t> sorted(begins.back());
  for (std::uint32_t query = 0; query < queries; ++query) {
    for (std::size_t probe = first_probe; probe < last_probe; ++probe) {
      sorted[next[list_of(query, probe)]++] = query;
    }
  }
  std::vector<ListTask> tasks;
  std::vector<std::uint32_t> entries;
  const std::span<const std::uint32_t> panels = lists_.panel_begins();
  for (std::size_t list = 0; list < lists_.lists(); ++list) {
    if (panels[list] == panels[list + 1]) continue;
    for (std::uint32_t i = begins[list]; i < begins[list + 1]; i += kPanelRows) {
      const std::uint32_t end = std::min(i + kPanelRows, begins[list + 1]);
      tasks.push_back({panels[list], panels[list + 1] - panels[list]});
      entries.insert(entries.end(), sorted.begin() + i, sorted.begin() + end);
      entries.resize(tasks.size() * kPanelRows, kNoEntry);
      if (tasks.size() < kMaxTasks) continue;
      match_tasks(tasks, entries, filter, workspace);
      tasks.clear();
      entries.clear();
    }
  }
  if (!tasks.empty()) match_tasks(tasks, entries, filter, workspace);
}

void ListSearch::match_tasks(const std::vector<ListTask>& tasks,
                             const std::vector<std::uint32_t>& entries, const std::uint64_t* filter,
                             Workspace& workspace) {
  copy_to_gpu(tasks_, tasks.data(), tasks.size(), workspace.stream);
  copy_to_gpu(entries_, entries.data(), entries.size(), workspace.stream);
  match_lists({.tasks = {tasks_, entries_, static_cast<std::uint32_t>(tasks.size())},
               .gathered = gathered_,
               .queries = query_panels_,
               .rows = lists_.panels(),
               .chunks = panel_chunks(lists_.rows().dimension()),
               .lists = candidates_,
               .ids = lists_.page().choice.ids,
               .filter = filter},
              workspace.stream);
  workspace.stream.synchronize();  // `tasks` and `entries` go
}

}  // namespace warpdex::vector
