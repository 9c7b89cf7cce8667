// Scans or products, then lists are tightened.
#include "binary/gpu/code_rounds.hpp"

#include <algorithm>
#include <cmath>

#include "binary/gpu/kernels.hpp"
#include "binary/query_code.hpp"
#include "flat/gpu/products.hpp"
#include "integer_codes/gpu/trim_lists.hpp"

namespace warpdex::vector {
namespace {

/// From so many queries on, unpacking codes for products costs less than counting bits.
constexpr std::size_t kMinCodeProductQueries = 16;
/// Bytes of panels that are unpacked at a time: they stay in the L2 cache until they are read.
constexpr std::size_t kCodeSlabBytes = std::size_t{32} << 20;
/// Of a round. Lists are tightened at its end, which costs about as much as 15 candidates a query.
constexpr std::uint32_t kMaxScanGrowth = 2;

std::uint32_t query_panels(std::uint32_t queries) {
  return (queries + kPanelRows - 1) / kPanelRows;
}

}  // namespace

CodeRounds::CodeRounds(const GpuBinaryCodes& codes, std::size_t queries, std::size_t candidates,
                       std::size_t query_bits)
    : codes_(codes),
      queries_(static_cast<std::uint32_t>(queries)),
      candidates_(static_cast<std::uint32_t>(candidates)),
      rounds_(queries, candidates, kMaxScanGrowth),
      by_products_(queries >= kMinCodeProductQueries &&
                   code_product_top(codes.host().quantizer, query_bits) <= kMaxExactProduct),
      number_(std::max(codes.host().quantizer.bits, query_bits) <= kMaxByteBits
                  ? PanelNumber::kByte
                  : PanelNumber::kHalf),
      overlaps_(!by_products_ && codes.overlaps_launches()) {
  const std::uint32_t panels = order().panels();
  slab_panels_ = std::max(panels, 1U);
  if (!by_products_) return;
  const std::size_t slab = kCodeSlabBytes / code_panel_bytes(codes.dimension(), number_);
  slab_panels_ = static_cast<std::uint32_t>(std::clamp<std::size_t>(
      slab, rounds_.first_panels(), std::max(rounds_.first_panels(), slab_panels_)));
}

void CodeRounds::lay_out(Arena& arena) {
  lists_ = arena.take<Candidate>(std::size_t{queries_} * rounds_.capacity());
  if (!by_products_) return;
  const std::size_t panel = code_panel_bytes(codes_.dimension(), number_);
  query_panels_ = arena.take<std::uint8_t>(query_panels(queries_) * panel);
  slab_.halves = arena.take<std::uint8_t>(slab_panels_ * panel);
  slab_.columns = slab_.offsets = arena.take<float>(std::size_t{slab_panels_} * kPanelRows);
  if (codes_.on_gpu().factors != nullptr) {
    slab_.slacks = arena.take<float>(std::size_t{slab_panels_} * kPanelRows);
    slab_.columns = arena.take<float>(std::size_t{slab_panels_} * kPanelRows * 2);
  }
}

CandidateLists CodeRounds::lists(const QueryImage& queries) const {
  CandidateLists lists;
  lists.candidates = lists_;
  lists.capacity = rounds_.capacity();
  lists.counts = queries.counts();
  return lists;
}

void CodeRounds::match_part(const QueryImage& queries, const std::uint64_t* filter,
                            std::uint32_t panel, std::uint32_t count, const Stream& stream) {
  const bool takes_all = panel == 0;
  const float* const limits = queries.panels().limits;
  if (!by_products_) {
    scan_to_lists({codes_.on_gpu(), queries.codes(), filter, order(), panel, count, overlaps_},
                  lists(queries), limits, takes_all, stream);
    return;
  }
  unpack_codes({codes_.on_gpu(), filter, order(), panel, count, number_}, slab_, stream);
  match_bits({.rows = slab_,
              .columns = slab_.columns,
              .row_panels = count,
              .first_place = panel * kPanelRows,
              .query_panels = query_panels_,
              .queries = queries.codes(),
              .chunks = code_chunks(codes_.dimension(), number_),
              .number = number_,
              .is_l2 = codes_.on_gpu().is_l2,
              .max_term = codes_.max_term(),
              .max_factor = codes_.max_factor(),
              .limits = limits,
              .lists = lists(queries),
              .takes_all = takes_all},
             stream);
}

void CodeRounds::run(const QueryImage& queries, const std::uint64_t* filter, bool trims,
                     const DeviceAnswers& nearest, const Stream& stream) {
  const std::uint32_t panels = order().panels();
  if (by_products_) {
    unpack_queries(queries.codes(), codes_.on_gpu(), number_, query_panels_, stream);
  }
  const double growth = rounds_.growth(panels);
  std::uint32_t end = std::min(rounds_.first_panels(), panels);  // of the round
  for (std::uint32_t panel = 0; panel < panels;) {
    const std::uint32_t count = std::min(slab_panels_, end - panel);
    match_part(queries, filter, panel, count, stream);
    const bool is_first = panel == 0;
    panel += count;
    if (panel < end) continue;
    // What the last round found is trimmed anyway.
    if (panel >= panels && !is_first) break;
    tighten({.lists = lists(queries),
             .query_count = queries.count(),
             .k = candidates_,
             .row_slacks = nullptr,
             .queries = queries.panels(),
             .given_count = is_first ? count * kPanelRows : 0,
             .overlaps = overlaps_},
            stream);
    end = std::min(panels, static_cast<std::uint32_t>(std::ceil(panel * (1 + growth))));
  }
  trim_lists({lists(queries), order(), trims ? queries.panels().slacks : nullptr,
              queries.panels().is_open, queries.count(), overlaps_},
             nearest, stream);
}

}  // namespace warpdex::vector
