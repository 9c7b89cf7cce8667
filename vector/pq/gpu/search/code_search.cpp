// Lists are compared round by round.
#include "pq/gpu/search/code_search.hpp"

#include <algorithm>
#include <bit>

#include "flat/gpu/product_search.hpp"
#include "flat/gpu/products.hpp"
#include "lists/gpu/kernels.hpp"
#include "pq/gpu/search/byte_tables.hpp"
#include "pq/gpu/search/kernels.hpp"

namespace warpdex::vector {
namespace {

/// After a round, a query has searched at most this many times the lists of all rounds before. A
/// round decodes nearly all lists again, so there are few rounds.
constexpr std::size_t kMaxCodeGrowth = 16;
/// Static shared memory of rescore_codes(), and some room.
constexpr std::size_t kStaticBytes = 12 << 10;

}  // namespace

CodeSearch::CodeSearch(const GpuCodes& codes, ListMatch match, std::size_t queries, std::size_t k,
                       std::size_t probes)
    : codes_(codes),
      match_(match),
      queries_(static_cast<std::uint32_t>(queries)),
      k_(static_cast<std::uint32_t>(k)),
      capacity_(std::clamp(32 * std::bit_ceil(k_), kMinCandidates, kMaxListCapacity)),
      groups_(codes.lists(), static_cast<std::uint32_t>(queries), max_round(probes)) {
  candidates_.capacity = capacity_;
  first_panels_ = std::clamp(4 * std::bit_ceil(k_), kMinFirstRows, capacity_ / 2) / kPanelRows;
}

std::uint32_t CodeSearch::round_end(std::uint32_t taken, std::size_t probes) const {
  // About k times the growth are within the limit that those before have given.
  const std::size_t growth = std::clamp<std::size_t>(capacity_ / (2 * k_), 2, kMaxCodeGrowth);
  return static_cast<std::uint32_t>(std::min(probes, taken * growth));
}

std::uint32_t CodeSearch::max_round(std::size_t probes) const {
  std::uint32_t largest = 1;
  for (std::uint32_t taken = 1; taken < probes; taken = round_end(taken, probes)) {
    largest = std::max(largest, round_end(taken, probes) - taken);
  }
  return largest;
}

bool CodeSearch::suits(const GpuCodes& codes, ListMatch match) {
  const std::size_t room = codes.shared_memory();
  const std::uint32_t bytes = codes.on_gpu().bytes;
  const bool fits = match == ListMatch::kTables
                        ? can_match_tables(bytes, codes.dimension(), room - kStaticBytes)
                        : can_match_codes(codes.dimension(), codes.coded_dimension(), room);
  return codes.bound().is_bounded && fits &&
         rescore_codes_bytes(bytes, kMaxProductNeighbors) + kStaticBytes <= room;
}

void CodeSearch::lay_out(Arena& arena) {
  const std::size_t panels = (queries_ + kPanelRows - 1) / kPanelRows;
  if (match_ == ListMatch::kTables) {
    tables_.lay_out(arena, queries_, codes_.on_gpu().bytes);
  } else {
    panels_.halves = arena.take<std::uint8_t>(panels * panel_bytes(codes_.coded_dimension()));
    panels_.scales = arena.take<float>(queries_);
  }
  panels_.limits = arena.take<float>(panels * kPanelRows);
  panels_.slacks = arena.take<float>(queries_);
  panels_.is_open = arena.take<std::uint32_t>(queries_);
  candidates_.candidates = arena.take<Candidate>(queries_ * candidates_.capacity);
  candidates_.counts = arena.take<std::uint32_t>(queries_);
  groups_.lay_out(arena);
}

std::vector<std::uint32_t> CodeSearch::run(const CodeQueries& search, const DeviceAnswers& answers,
                                           Workspace& workspace) {
  const Stream& stream = workspace.stream;
  const std::uint32_t count = search.queries.count;
  if (match_ == ListMatch::kTables) {
    make_byte_tables(search, codes_.on_gpu(), codes_.bound(), tables_, panels_, stream);
  } else {
    pack_code_queries(search, codes_.on_gpu(), codes_.bound(), panels_, stream);
  }
  clear_counts(candidates_, count, stream);
  // The first vectors of the nearest list give a limit to all others.
  match_part(search, {.last = 1, .max_panels = first_panels_}, stream);
  match_part(search, {.last = 1, .first_panel = first_panels_}, stream);
  for (std::uint32_t taken = 1; taken < search.probed.probes;) {
    const std::uint32_t end = round_end(taken, search.probed.probes);
    match_part(search, {.first = taken, .last = end}, stream);
    taken = end;
  }
  rescore_codes({.codes = codes_.on_gpu(),
                 .queries = search.queries,
                 .vectors = search.vectors,
                 .lists = candidates_,
                 .is_open = panels_.is_open,
                 .tables = tables_.floats,
                 .answers = answers},
                stream);
  return find_open(panels_.is_open, count, workspace);
}

void CodeSearch::match_part(const CodeQueries& search, const ProbePart& part,
                            const Stream& stream) {
  groups_.group(search.probed, part, codes_.panel_begins(), stream);
  const std::size_t pairs = std::size_t{search.queries.count} * (part.last - part.first);
  match(search, pairs / std::min<std::size_t>(pairs, codes_.lists()), stream);
  tighten({.lists = candidates_,
           .query_count = search.queries.count,
           .k = k_,
           .row_slacks = nullptr,
           .queries = panels_,
           .given_count = 0},
          stream);
}

void CodeSearch::match(const CodeQueries& search, std::size_t queries_of_task,
                       const Stream& stream) {
  if (match_ == ListMatch::kTables) {
    match_tables({.codes = codes_.on_gpu(),
                  .panel_begins = codes_.panel_begins(),
                  .tasks = groups_.tasks(),
                  .queries_of_task = static_cast<std::uint32_t>(queries_of_task),
                  .queries = search.queries,
                  .tables = tables_,
                  .limits = panels_.limits,
                  .lists = candidates_,
                  .filter = search.filter},
                 stream);
    return;
  }
  match_codes({.codes = codes_.on_gpu(),
               .half_books = codes_.half_books(),
               .units = codes_.units(),
               .panel_begins = codes_.panel_begins(),
               .tasks = groups_.tasks(),
               .queries = search.queries,
               .panels = panels_,
               .lists = candidates_,
               .filter = search.filter,
               .shared_memory = codes_.shared_memory()},
              stream);
}

}  // namespace warpdex::vector
