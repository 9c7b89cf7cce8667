// Lists are compared round by round.
#include "binary/gpu/lists/list_code_search.hpp"

#include <algorithm>
#include <bit>

#include "binary/gpu/lists/match_list_codes.hpp"
#include "binary/gpu/match_bits.hpp"
#include "binary/gpu/trim_lists.hpp"
#include "binary/gpu/unpack_codes.hpp"
#include "binary/query_code.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/tighten.hpp"
#include "lists/gpu/round_sizes.hpp"

namespace warpdex::vector {
namespace {

/// Queries of a list from which on lists are searched one by one.
constexpr std::size_t kMinQueriesOfList = 10;
/// After a round, a query has searched at most this many times the lists of all rounds before. A
/// round unpacks nearly all lists again, so there are few rounds.
constexpr std::size_t kMaxBitGrowth = 8;

}  // namespace

ListCodeSearch::ListCodeSearch(const GpuListCodes& lists, std::size_t queries, std::size_t k,
                               std::size_t probes)
    : lists_(lists),
      queries_(static_cast<std::uint32_t>(queries)),
      k_(static_cast<std::uint32_t>(k)),
      first_panels_(std::clamp(4 * std::bit_ceil(k_), kMinFirstRows, kMaxListCapacity / 2) /
                    kPanelRows),
      groups_(static_cast<std::uint32_t>(lists.list_count()), queries_, max_round(probes)) {
  candidates_.capacity = std::clamp(32 * std::bit_ceil(k_), kMinCandidates, kMaxListCapacity);
}

std::uint32_t ListCodeSearch::round_end(std::uint32_t taken, std::size_t probes) const {
  return static_cast<std::uint32_t>(std::min(probes, taken * kMaxBitGrowth));
}

std::uint32_t ListCodeSearch::max_round(std::size_t probes) const {
  std::uint32_t largest = 1;
  for (std::uint32_t taken = 1; taken < probes; taken = round_end(taken, probes)) {
    largest = std::max(largest, round_end(taken, probes) - taken);
  }
  return largest;
}

bool ListCodeSearch::suits(const GpuListCodes& lists, std::size_t queries, std::size_t k,
                           std::size_t probes, std::size_t query_bits) {
  const BinaryQuantizer& quantizer = lists.host().quantizer;
  return lists.count() > 0 && k <= kMaxProductNeighbors / 4 &&
         std::max(quantizer.bits, query_bits) <= kMaxByteBits &&
         code_product_top(quantizer, query_bits) <= kMaxExactProduct &&
         can_match_list_codes(static_cast<std::uint32_t>(quantizer.dimension)) &&
         queries * probes >= kMinQueriesOfList * lists.list_count();
}

void ListCodeSearch::lay_out(Arena& arena) {
  const std::size_t panels = (queries_ + kPanelRows - 1) / kPanelRows;
  const auto dimension = static_cast<std::uint32_t>(lists_.dimension());
  query_panels_ =
      arena.take<std::uint8_t>(panels * code_panel_bytes(dimension, PanelNumber::kByte));
  candidates_.candidates = arena.take<Candidate>(queries_ * candidates_.capacity);
  groups_.lay_out(arena);
}

void ListCodeSearch::run(const BlockQueries& block, const ListQueries& queries,
                         const DeviceAnswers& nearest, const Stream& stream) {
  const DeviceProbes& probed = block.probed;
  unpack_queries(queries.codes(), lists_.on_gpu().codes, PanelNumber::kByte, query_panels_, stream);
  candidates_.counts = queries.counts();
  const auto match_part = [&](const ProbePart& part) {
    groups_.group(probed, part, lists_.panel_begins(), stream);
    match_list_codes({.lists = lists_.on_gpu(),
                      .list_count = static_cast<std::uint32_t>(lists_.list_count()),
                      .panel_begins = lists_.panel_begins(),
                      .tasks = groups_.tasks(),
                      .queries = block.queries,
                      .codes = queries.codes(),
                      .query_panels = query_panels_,
                      .chunks = code_chunks(lists_.on_gpu().codes.dimension, PanelNumber::kByte),
                      .limits = queries.panels().limits,
                      .candidates = candidates_,
                      .filter = block.allowed},
                     stream);
    tighten({.lists = candidates_,
             .query_count = queries.count(),
             .k = k_,
             .row_slacks = nullptr,
             .queries = queries.panels(),
             .given_count = 0},
            stream);
  };
  // The first vectors of the nearest list give a limit to all others.
  match_part({.last = 1, .max_panels = first_panels_});
  match_part({.last = 1, .first_panel = first_panels_});
  for (std::uint32_t taken = 1; taken < probed.probes;) {
    const std::uint32_t end = round_end(taken, probed.probes);
    match_part({.first = taken, .last = end});
    taken = end;
  }
  const auto rows = static_cast<std::uint32_t>(lists_.count());
  trim_lists({candidates_, TileOrder::of_places(rows, kPanelRows), nullptr,
              queries.panels().is_open, queries.count()},
             nearest, stream);
}

}  // namespace warpdex::vector
