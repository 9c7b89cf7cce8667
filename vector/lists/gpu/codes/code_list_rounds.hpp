// Searches of many queries among lists of codes, list by list, in rounds.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "flat/gpu/product_search.hpp"
#include "flat/gpu/products.hpp"
#include "integer_codes/gpu/code_panels.hpp"
#include "integer_codes/gpu/trim_lists.hpp"
#include "lists/gpu/codes/code_list_queries.hpp"
#include "lists/gpu/codes/gpu_code_lists.hpp"
#include "lists/gpu/kernels.hpp"
#include "lists/gpu/list_block.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// The first vectors of each query's nearest list give a limit; the rest and the other lists follow
/// in rounds, from near to far. Distances are exact.
template <class Coding>
class CodeListRounds {
 public:
  /// For blocks of up to `queries` queries that probe `probes` lists each.
  CodeListRounds(const GpuCodeLists<Coding>& lists, std::size_t queries, std::size_t k,
                 std::size_t probes)
      : lists_(lists),
        queries_(static_cast<std::uint32_t>(queries)),
        k_(static_cast<std::uint32_t>(k)),
        first_panels_(std::clamp(4 * std::bit_ceil(k_), kMinFirstRows, kMaxListCapacity / 2) /
                      kPanelRows),
        groups_(static_cast<std::uint32_t>(lists.list_count()), queries_, max_round(probes)) {
    candidates_.capacity = std::clamp(32 * std::bit_ceil(k_), kMinCandidates, kMaxListCapacity);
  }

  /// Whether lists can be searched so, and for so many queries it is worth it.
  static bool suits(const GpuCodeLists<Coding>& lists, std::size_t queries, std::size_t k,
                    std::size_t probes, std::size_t query_bits) {
    constexpr std::size_t kMinQueriesOfList = 10;
    return lists.count() > 0 && k <= kMaxProductNeighbors / 4 &&
           lists.codes().suits_products(query_bits) &&
           can_match_list_codes(static_cast<std::uint32_t>(lists.dimension())) &&
           queries * probes >= kMinQueriesOfList * lists.list_count();
  }

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena) {
    const std::size_t panels = (queries_ + kPanelRows - 1) / kPanelRows;
    const auto dimension = static_cast<std::uint32_t>(lists_.dimension());
    query_panels_ =
        arena.take<std::uint8_t>(panels * code_panel_bytes(dimension, PanelNumber::kByte));
    candidates_.candidates = arena.take<Candidate>(queries_ * candidates_.capacity);
    groups_.lay_out(arena);
  }

  /// Queues the search. `nearest` gets the k nearest, but of queries that are left open
  /// (CodeListQueries::panels()).
  void run(const BlockQueries& block, const CodeListQueries<Coding>& queries,
           const DeviceAnswers& nearest, const Stream& stream) {
    lists_.codes().pack(queries.codes(), lists_.on_gpu().codes, query_panels_, stream);
    candidates_.counts = queries.counts();
    const auto match_part = [&](const ProbePart& part) {
      match(block, queries, part, stream);
      tighten({.lists = candidates_,
               .query_count = queries.count(),
               .k = k_,
               .row_slacks = nullptr,
               .queries = queries.panels(),
               .given_count = 0},
              stream);
    };
    search_nearest_list(match_part);
    for (std::uint32_t taken = 1; taken < block.probed.probes;) {
      const std::uint32_t end = round_end(taken, block.probed.probes);
      match_part({.first = taken, .last = end});
      taken = end;
    }
    const auto rows = static_cast<std::uint32_t>(lists_.count());
    trim_lists({candidates_, TileOrder::of_places(rows, kPanelRows), nullptr,
                queries.panels().is_open, queries.count()},
               nearest, stream);
  }

 private:
  /// After a round, a query has searched at most this many times the lists of all rounds before. A
  /// round brings nearly all lists again, so there are few rounds.
  static constexpr std::size_t kMaxGrowth = 8;

  static std::uint32_t round_end(std::uint32_t taken, std::size_t probes) {
    return static_cast<std::uint32_t>(std::min(probes, taken * kMaxGrowth));
  }
  static std::uint32_t max_round(std::size_t probes) {
    std::uint32_t largest = 1;
    for (std::uint32_t taken = 1; taken < probes; taken = round_end(taken, probes)) {
      largest = std::max(largest, round_end(taken, probes) - taken);
    }
    return largest;
  }

  /// The first vectors of the nearest list give a limit to all others. What is taken next holds
  /// few enough that are within it: of g times as many vectors about g k.
  template <class MatchPart>
  void search_nearest_list(const MatchPart& match_part) const {
    const std::size_t panels = (lists_.max_groups(1) + 3) / 4;
    const std::size_t growth = std::max<std::size_t>(kMaxGrowth, candidates_.capacity / (4 * k_));
    std::size_t first = 0;
    for (std::size_t last = first_panels_; first < panels || first == 0; last *= growth) {
      const bool is_rest = last >= panels && first > 0;
      const std::size_t some = is_rest ? ~std::uint32_t{0} : last - first;
      match_part({.last = 1,
                  .first_panel = static_cast<std::uint32_t>(first),
                  .max_panels = static_cast<std::uint32_t>(some)});
      first = last;
    }
  }

  void match(const BlockQueries& block, const CodeListQueries<Coding>& queries,
             const ProbePart& part, const Stream& stream) {
    groups_.group(block.probed, part, lists_.panel_begins(), stream);
    MatchListCodesTask<typename IntegerCodes<Coding>::Device> task;
    task.lists = lists_.on_gpu();
    task.list_count = static_cast<std::uint32_t>(lists_.list_count());
    task.panel_begins = lists_.panel_begins();
    task.tasks = groups_.tasks();
    task.queries = block.queries;
    task.codes = queries.codes();
    task.query_panels = query_panels_;
    task.chunks = code_chunks(static_cast<std::uint32_t>(lists_.dimension()), PanelNumber::kByte);
    task.limits = queries.panels().limits;
    task.candidates = candidates_;
    task.filter = block.allowed;
    match_list_codes(task, stream);
  }

  const GpuCodeLists<Coding>& lists_;
  std::uint32_t queries_;
  std::uint32_t k_;
  std::uint32_t first_panels_;
  CandidateLists candidates_;
  std::uint8_t* query_panels_ = nullptr;
  ProbeGroups groups_;
};

}  // namespace warpdex::vector
