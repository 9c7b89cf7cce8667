// Products, round by round.
#include "flat/gpu/product_search.hpp"

#include <algorithm>
#include <cmath>

#include "flat/gpu/products.hpp"

namespace warpdex::vector {
namespace {

/// Bytes of panels that are packed at a time, where they are not kept.
constexpr std::size_t kRowSlabBytes = std::size_t{512} << 20;

constexpr std::uint32_t kMaxGrowth = 16;  ///< of a round

std::uint32_t round_up_to_panel(std::size_t queries) {
  return static_cast<std::uint32_t>((queries + kPanelRows - 1) / kPanelRows) * kPanelRows;
}

}  // namespace

ProductSearch::ProductSearch(const GpuRows& rows, std::size_t queries, std::size_t k,
                             std::size_t page_rows, bool is_filtered)
    : rows_(rows),
      queries_(static_cast<std::uint32_t>(queries)),
      k_(static_cast<std::uint32_t>(k)),
      rounds_(queries, k, kMaxGrowth),
      page_panels_(round_up_to_panel(page_rows) / kPanelRows),
      has_panels_(!is_filtered && rows.panels().halves != nullptr) {
  loads_rows_ = queries <= kMaxFewQueries && rows.dimension() <= kMaxFewDimension;
  const std::size_t slab = kRowSlabBytes / panel_bytes(rows.dimension());
  slab_panels_ = static_cast<std::uint32_t>(std::clamp<std::size_t>(
      slab, rounds_.first_panels(), std::max(rounds_.first_panels(), page_panels_)));
  if (loads_rows_) slab_panels_ = std::max(rounds_.first_panels(), page_panels_);
}

void ProductSearch::lay_out(Arena& arena) {
  const std::uint32_t padded = round_up_to_panel(queries_);
  query_panels_.halves =
      arena.take<std::uint8_t>(padded / kPanelRows * panel_bytes(rows_.dimension()));
  query_panels_.limits = arena.take<float>(padded);
  query_panels_.slacks = arena.take<float>(queries_);
  query_panels_.shifts = arena.take<float>(queries_);
  query_panels_.scales = arena.take<float>(queries_);
  query_panels_.is_open = arena.take<std::uint32_t>(queries_);
  lists_.capacity = rounds_.capacity();
  lists_.candidates = arena.take<Candidate>(std::size_t{queries_} * lists_.capacity);
  lists_.counts = arena.take<std::uint32_t>(queries_);
  if (has_panels_ && !loads_rows_) {
    row_panels_ = rows_.panels();
    return;
  }
  if (!loads_rows_) {
    row_panels_.halves = arena.take<std::uint8_t>(slab_panels_ * panel_bytes(rows_.dimension()));
  }
  row_panels_.offsets = arena.take<float>(std::size_t{page_panels_} * kPanelRows);
  row_panels_.slacks = arena.take<float>(std::size_t{page_panels_} * kPanelRows);
}

RowPanels ProductSearch::part(std::uint32_t panel) const {
  const std::size_t place = std::size_t{panel} * kPanelRows;
  std::uint8_t* const halves = has_panels_
                                   ? row_panels_.halves + panel * panel_bytes(rows_.dimension())
                                   : row_panels_.halves;
  return {halves, row_panels_.offsets + place, row_panels_.slacks + place};
}

void ProductSearch::match_part(const RowPage& page, const TileOrder& order, std::uint32_t panel,
                               std::uint32_t count, std::uint32_t queries, bool takes_all,
                               const Stream& stream) {
  const RowPanels rows = part(panel);
  const MatchTask task{.rows = rows,
                       .row_panels = count,
                       .first_place = panel * kPanelRows,
                       .queries = query_panels_,
                       .query_count = queries,
                       .chunks = panel_chunks(rows_.dimension()),
                       .lists = lists_,
                       .takes_all = takes_all};
  if (loads_rows_) {
    match_few(task, {page.rows, page.choice, order, rows_.rules()}, stream);
    return;
  }
  if (!has_panels_) {
    pack_rows(page.rows, page.choice, order, rows_.rules(), panel, count, rows, stream);
  }
  match(task, stream);
}

void ProductSearch::run(const RowPage& page, const DeviceQueries& queries,
                        const DeviceAnswers& answers, bool has_answers, const Stream& stream) {
  const TileOrder order(page.choice.count, kPanelRows);
  // Answers of earlier pages make a limit from the start.
  pack_queries(queries, rows_.dimension(), rows_.rules(),
               has_answers ? answers.values + k_ - 1 : nullptr, k_, query_panels_, stream);
  if (has_answers) clear_counts(lists_, queries.count, stream);
  const double growth = rounds_.growth(order.panels());
  std::uint32_t panel = 0;
  while (panel < order.panels()) {
    const bool takes_all = panel == 0 && !has_answers;
    const std::uint32_t wanted =
        panel == 0 ? (takes_all ? rounds_.first_panels()
                                : std::max(rounds_.first_panels(), order.panels() / 2))
                   : static_cast<std::uint32_t>(std::ceil(panel * growth));
    const std::uint32_t count = std::min({wanted, slab_panels_, order.panels() - panel});
    match_part(page, order, panel, count, queries.count, takes_all, stream);
    tighten({.lists = lists_,
             .query_count = queries.count,
             .k = k_,
             .row_slacks = row_panels_.slacks,
             .queries = query_panels_,
             .given_count = takes_all ? count * kPanelRows : 0},
            stream);
    panel += count;
  }
  rescore({.rows = page.rows,
           .choice = page.choice,
           .order = order,
           .queries = queries,
           .is_l2 = rows_.is_l2(),
           .lists = lists_,
           .is_open = query_panels_.is_open},
          answers, has_answers, stream);
}

}  // namespace warpdex::vector
