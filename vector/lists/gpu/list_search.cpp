// Products, round by round.
#include "lists/gpu/list_search.hpp"

#include <algorithm>
#include <bit>

#include "flat/gpu/products.hpp"
#include "lists/gpu/kernels.hpp"

namespace warpdex::vector {
namespace {

/// Lists of a query that the round behind the first `taken` ones has: in the end four times as many
/// are taken.
std::size_t next_probes(std::size_t taken, std::size_t probes) {
  return std::min(probes, taken == 0 ? 1 : taken * 4) - taken;
}

/// Lists that a query has in one round, at the most.
std::size_t max_round(std::size_t probes) {
  std::size_t largest = 0;
  for (std::size_t taken = 0; taken < probes;) {
    const std::size_t next = next_probes(taken, probes);
    largest = std::max(largest, next);
    taken += next;
  }
  return largest;
}

}  // namespace

ListSearch::ListSearch(const GpuLists& lists, std::size_t queries, std::size_t k,
                       std::size_t probes)
    : lists_(lists),
      queries_(static_cast<std::uint32_t>(queries)),
      k_(static_cast<std::uint32_t>(k)),
      groups_(static_cast<std::uint32_t>(lists.lists()), static_cast<std::uint32_t>(queries),
              static_cast<std::uint32_t>(max_round(probes))) {
  candidates_.capacity = std::clamp(8 * std::bit_ceil(k_), kMinCandidates, kMaxListCapacity);
  const auto capacity = static_cast<std::uint32_t>(candidates_.capacity);
  first_panels_ = std::clamp(4 * std::bit_ceil(k_), kMinFirstRows, capacity / 2) / kPanelRows;
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
  groups_.lay_out(arena);
  gathered_ = arena.take<std::uint8_t>(kMaxListTasks * bytes);
}

std::vector<std::uint32_t> ListSearch::run(const DeviceQueries& queries, const DeviceProbes& probed,
                                           const std::uint64_t* filter,
                                           const DeviceAnswers& answers, Workspace& workspace) {
  const GpuRows& rows = lists_.rows();
  const Stream& stream = workspace.stream;
  pack_queries(queries, rows.dimension(), rows.rules(), nullptr, 0, query_panels_, stream);
  clear_counts(candidates_, queries.count, stream);
  // The first rows of the nearest list give a limit to all others.
  match_part(probed, {.last = 1, .max_panels = first_panels_}, filter, stream);
  match_part(probed, {.last = 1, .first_panel = first_panels_}, filter, stream);
  for (std::uint32_t taken = 1; taken < probed.probes;) {
    const auto end = static_cast<std::uint32_t>(taken + next_probes(taken, probed.probes));
    match_part(probed, {.first = taken, .last = end}, filter, stream);
    taken = end;
  }
  const RowPage page = lists_.page();
  rescore({.rows = page.rows,
           .choice = page.choice,
           .order = lists_.order(),
           .queries = queries,
           .is_l2 = rows.is_l2(),
           .lists = candidates_,
           .is_open = query_panels_.is_open},
          answers, false, stream);
  return find_open(query_panels_.is_open, queries.count, workspace);
}

void ListSearch::match_part(const DeviceProbes& probed, const ProbePart& part,
                            const std::uint64_t* filter, const Stream& stream) {
  groups_.group(probed, part, lists_.device_panel_begins(), stream);
  match_lists({.tasks = groups_.tasks(),
               .first_task = 0,
               .gathered = gathered_,
               .queries = query_panels_,
               .rows = lists_.panels(),
               .chunks = panel_chunks(lists_.rows().dimension()),
               .lists = candidates_,
               .ids = lists_.page().choice.ids,
               .filter = filter},
              stream);
  tighten({.lists = candidates_,
           .query_count = probed.count,
           .k = k_,
           .row_slacks = lists_.panels().slacks,
           .queries = query_panels_,
           .given_count = 0},
          stream);
}

}  // namespace warpdex::vector
