// Scan, select, join with the answers of earlier pages.
#include "flat/gpu/scan_search.hpp"

#include <algorithm>

#include "distance/distance_kernels.hpp"
#include "flat/gpu/answers.hpp"

namespace warpdex::vector {
namespace {

/// Bytes of values that are worth computing at a time.
constexpr std::size_t kValueBytes = std::size_t{512} << 20;
constexpr std::size_t kMaxQueries = 4096;

}  // namespace

ScanSearch::ScanSearch(const GpuRows& rows, std::size_t queries, std::size_t k,
                       std::size_t page_rows)
    : rows_(rows), queries_(queries), k_(std::min(k, page_rows)), page_rows_(page_rows) {
  joined_.k = static_cast<std::uint32_t>(k);
}

std::size_t ScanSearch::suitable_queries(std::size_t queries, std::size_t page_rows) {
  const std::size_t by_memory = kValueBytes / sizeof(float) / std::max<std::size_t>(1, page_rows);
  return std::clamp<std::size_t>(by_memory, 1, std::min(queries, kMaxQueries));
}

void ScanSearch::lay_out(Arena& arena) {
  values_ = arena.take<float>(queries_ * page_rows_);
  gathered_ = arena.take<float>(queries_ * padded(rows_.dimension()));
  found_values_ = arena.take<float>(queries_ * k_);
  found_ids_ = arena.take<std::uint32_t>(queries_ * k_);
  joined_.values = arena.take<float>(queries_ * joined_.k);
  joined_.ids = arena.take<std::uint32_t>(queries_ * joined_.k);
}

void ScanSearch::run(const RowPage& page, const DeviceQueries& queries, const std::uint32_t* list,
                     std::uint32_t count, const DeviceAnswers& answers, bool is_first_page,
                     Workspace& workspace) {
  const auto step = static_cast<std::uint32_t>(queries_);
  for (std::uint32_t first = 0; first < count; first += step) {
    const std::uint32_t some = std::min(step, count - first);
    if (list != nullptr) {
      gather_rows(queries.values, list + first, some, queries.stride, gathered_, workspace.stream);
      run_some(page, {gathered_, some, queries.stride}, list + first, answers, false, workspace);
    } else {
      const std::size_t answer = std::size_t{first} * answers.k;
      run_some(page, {queries.values + std::size_t{first} * queries.stride, some, queries.stride},
               nullptr, {answers.values + answer, answers.ids + answer, answers.k}, is_first_page,
               workspace);
    }
  }
}

void ScanSearch::compute_values(const RowPage& page, const DeviceQueries& query,
                                const Stream& stream) {
  scan_rows(page.rows, page.choice, query, rows_.is_l2(), values_, page.choice.count, stream);
}

void ScanSearch::select(const RowPage& page, std::uint32_t queries, std::size_t k, float* values,
                        std::uint32_t* ids, Workspace& workspace) {
  const DeviceChoice& choice = page.choice;
  const MatrixView<float> keys{values_, queries, choice.count, choice.count};
  if (choice.ids == nullptr) {
    select_k(keys, k, SelectOrder::kSmallest, values, ids, workspace.select, workspace.stream);
    return;
  }
  const MatrixView<std::uint32_t> all_ids{choice.ids, queries, choice.count, 0};
  select_k(keys, all_ids, k, SelectOrder::kSmallest, values, ids, workspace.select,
           workspace.stream);
}

void ScanSearch::run_some(const RowPage& page, const DeviceQueries& queries,
                          const std::uint32_t* list, const DeviceAnswers& answers,
                          bool is_first_page, Workspace& workspace) {
  const DeviceChoice& choice = page.choice;
  const std::size_t k = std::min<std::size_t>(answers.k, choice.count);
  scan_rows(page.rows, choice, queries, rows_.is_l2(), values_, choice.count, workspace.stream);
  const bool are_ids_final = choice.ids != nullptr || choice.first_id == 0;
  if (is_first_page && k == answers.k && are_ids_final) {
    select(page, queries.count, k, answers.values, answers.ids, workspace);
    return;
  }
  if (is_first_page) clear_answers(answers, queries.count, workspace.stream);
  select(page, queries.count, k, found_values_, found_ids_, workspace);
  join_answers(answers,
               {found_values_, found_ids_, static_cast<std::uint32_t>(k),
                choice.ids == nullptr ? choice.first_id : 0},
               list, queries.count, joined_, workspace.stream);
}

}  // namespace warpdex::vector
