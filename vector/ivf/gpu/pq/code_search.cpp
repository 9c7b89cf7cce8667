// A scan, then products, round by round.
#include "ivf/gpu/pq/code_search.hpp"

#include <algorithm>
#include <bit>

#include "flat/gpu/product_search.hpp"
#include "flat/gpu/tighten.hpp"
#include "ivf/gpu/pq/match_codes.hpp"
#include "ivf/gpu/pq/pack_queries.hpp"
#include "ivf/gpu/pq/rescore_codes.hpp"

namespace warpdex::vector {
namespace {

/// Each round has so many times the lists of all before it. A round decodes nearly all lists again,
/// so there are few.
constexpr std::size_t kGrowth = 16;
constexpr std::uint32_t kMinCapacity = 4096;
/// Static shared memory of rescore_codes(), and some room.
constexpr std::size_t kStaticBytes = 12 << 10;

std::size_t round_end(std::size_t taken, std::size_t probes) {
  return std::min(probes, taken * kGrowth);
}

/// Lists that a query has in one round, at the most. The first one is scanned.
std::size_t max_round(std::size_t probes) {
  std::size_t largest = 1;
  for (std::size_t taken = 1; taken < probes; taken = round_end(taken, probes)) {
    largest = std::max(largest, round_end(taken, probes) - taken);
  }
  return largest;
}

}  // namespace

CodeSearch::CodeSearch(const GpuCodes& codes, std::size_t queries, std::size_t k,
                       std::size_t probes)
    : codes_(codes),
      queries_(static_cast<std::uint32_t>(queries)),
      k_(static_cast<std::uint32_t>(k)),
      groups_(codes.lists(), static_cast<std::uint32_t>(queries),
              static_cast<std::uint32_t>(max_round(probes))) {
  candidates_.capacity = std::clamp(64 * std::bit_ceil(k_), kMinCapacity, kMaxListCapacity);
}

bool CodeSearch::suits(const GpuCodes& codes) {
  const std::size_t room = codes.shared_memory();
  return codes.bound().is_bounded && can_match_codes(codes.dimension(), room) &&
         rescore_codes_bytes(codes.on_gpu().bytes, kMaxProductNeighbors) + kStaticBytes <= room;
}

void CodeSearch::lay_out(Arena& arena) {
  const std::size_t panels = (queries_ + kPanelRows - 1) / kPanelRows;
  panels_.halves = arena.take<std::uint8_t>(panels * panel_bytes(codes_.dimension()));
  panels_.limits = arena.take<float>(panels * kPanelRows);
  panels_.slacks = arena.take<float>(queries_);
  panels_.scales = arena.take<float>(queries_);
  panels_.is_open = arena.take<std::uint32_t>(queries_);
  candidates_.candidates = arena.take<Candidate>(queries_ * candidates_.capacity);
  candidates_.counts = arena.take<std::uint32_t>(queries_);
  groups_.lay_out(arena);
}

std::vector<std::uint32_t> CodeSearch::run(const CodeQueries& search, TableScan& scan,
                                           const DeviceAnswers& answers, Workspace& workspace) {
  const Stream& stream = workspace.stream;
  const std::uint32_t count = search.queries.count;
  scan.nearest(search, 1, answers, workspace);
  pack_code_queries(search, codes_.on_gpu(), codes_.bound(), answers.values + k_ - 1, k_, panels_,
                    stream);
  clear_counts(candidates_, count, stream);
  for (std::size_t taken = 1; taken < search.probed.probes;) {
    const std::size_t end = round_end(taken, search.probed.probes);
    match_round(search, static_cast<std::uint32_t>(taken), static_cast<std::uint32_t>(end), stream);
    tighten({.lists = candidates_,
             .query_count = count,
             .k = k_,
             .row_slacks = nullptr,
             .queries = panels_,
             .given_count = 0},
            stream);
    taken = end;
  }
  rescore_codes({.codes = codes_.on_gpu(),
                 .queries = search.queries,
                 .vectors = search.vectors,
                 .lists = candidates_,
                 .is_open = panels_.is_open,
                 .answers = answers},
                stream);
  return find_open(panels_.is_open, count, workspace);
}

void CodeSearch::match_round(const CodeQueries& search, std::uint32_t first_probe,
                             std::uint32_t last_probe, const Stream& stream) {
  groups_.group(search.probed, {.first = first_probe, .last = last_probe}, codes_.panel_begins(),
                stream);
  match_codes({.codes = codes_.on_gpu(),
               .half_books = codes_.half_books(),
               .parts = codes_.component_parts(),
               .panel_begins = codes_.panel_begins(),
               .tasks = groups_.tasks(),
               .first_task = 0,
               .queries = search.queries,
               .panels = panels_,
               .lists = candidates_,
               .filter = search.filter,
               .shared_memory = codes_.shared_memory()},
              stream);
}

}  // namespace warpdex::vector
