// Computes all distances, then selects.
#include "lists/gpu/list_scan.hpp"

#include <algorithm>

#include "flat/gpu/answers.hpp"
#include "flat/order_key.hpp"
#include "lists/gpu/kernels.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

/// Bytes of values that are worth computing at a time.
constexpr std::size_t kListValueBytes = std::size_t{256} << 20;
constexpr std::size_t kMaxListQueries = 4096;

}  // namespace

ListScan::ListScan(const GpuLists& lists, std::size_t queries, std::size_t k, std::size_t probes,
                   std::size_t max_rows)
    : lists_(lists),
      queries_(static_cast<std::uint32_t>(queries)),
      k_(static_cast<std::uint32_t>(std::min(k, max_rows))),
      probes_(static_cast<std::uint32_t>(probes)),
      max_rows_(static_cast<std::uint32_t>(max_rows)),
      step_(static_cast<std::uint32_t>(std::clamp<std::size_t>(
          kListValueBytes / sizeof(float) / max_rows, 1, std::min(queries, kMaxListQueries)))) {
  joined_.k = static_cast<std::uint32_t>(k);
}

void ListScan::lay_out(Arena& arena) {
  which_ = arena.take<std::uint32_t>(queries_);
  ends_ = arena.take<std::uint32_t>(std::size_t{step_} * probes_);
  values_ = arena.take<float>(std::size_t{step_} * max_rows_);
  ids_ = arena.take<std::uint32_t>(std::size_t{step_} * max_rows_);
  found_values_ = arena.take<float>(std::size_t{step_} * k_);
  found_ids_ = arena.take<std::uint32_t>(std::size_t{step_} * k_);
  joined_.values = arena.take<float>(std::size_t{step_} * joined_.k);
  joined_.ids = arena.take<std::uint32_t>(std::size_t{step_} * joined_.k);
}

void ListScan::compute(const std::uint32_t* which, std::uint32_t first, std::uint32_t count,
                       const DeviceQueries& queries, const DeviceProbes& probed,
                       const std::uint64_t* filter, const Stream& stream) {
  scan_lists({.rows = lists_.rows().rows(),
              .row_numbers = lists_.rows().row_numbers(),
              .begins = lists_.device_begins(),
              .queries = queries,
              .probed = probed,
              .which = which,
              .first = first,
              .count = count,
              .is_l2 = lists_.rows().is_l2(),
              .filter = filter,
              .ends = ends_,
              .values = values_,
              .ids = ids_,
              .stride = max_rows_},
             stream);
}

void ListScan::nearest(const DeviceQueries& queries, const DeviceProbes& probed,
                       const std::uint64_t* filter, const DeviceAnswers& answers,
                       Workspace& workspace) {
  const Stream& stream = workspace.stream;
  if (k_ < answers.k) clear_answers(answers, probed.count, stream);
  for (std::uint32_t first = 0; first < probed.count; first += step_) {
    const std::uint32_t some = std::min(step_, probed.count - first);
    compute(nullptr, first, some, queries, probed, filter, stream);
    const std::size_t at = std::size_t{first} * answers.k;
    const DeviceAnswers own{answers.values + at, answers.ids + at, answers.k};
    const bool is_whole = k_ == answers.k;
    select_k(MatrixView<float>{values_, some, max_rows_, max_rows_},
             MatrixView<std::uint32_t>{ids_, some, max_rows_, max_rows_}, k_,
             SelectOrder::kSmallest, is_whole ? own.values : found_values_,
             is_whole ? own.ids : found_ids_, workspace.select, stream);
    if (is_whole) continue;
    join_answers(own, {found_values_, found_ids_, k_, 0}, nullptr, some, joined_, stream);
  }
}

void ListScan::nearest_of(const std::vector<std::uint32_t>& some, const DeviceQueries& queries,
                          const DeviceProbes& probed, const std::uint64_t* filter,
                          const DeviceAnswers& answers, Workspace& workspace) {
  const Stream& stream = workspace.stream;
  copy_to_gpu(which_, some.data(), some.size(), stream);
  const auto count = static_cast<std::uint32_t>(some.size());
  for (std::uint32_t first = 0; first < count; first += step_) {
    const std::uint32_t now = std::min(step_, count - first);
    compute(which_ + first, 0, now, queries, probed, filter, stream);
    select_k(MatrixView<float>{values_, now, max_rows_, max_rows_},
             MatrixView<std::uint32_t>{ids_, now, max_rows_, max_rows_}, k_, SelectOrder::kSmallest,
             found_values_, found_ids_, workspace.select, stream);
    join_answers(answers, {found_values_, found_ids_, k_, 0}, which_ + first, now, joined_, stream);
  }
}

std::vector<std::uint64_t> ListScan::within(std::uint32_t query, const DeviceQueries& queries,
                                            const DeviceProbes& probed, const std::uint64_t* filter,
                                            float limit, Workspace& workspace) {
  const Stream& stream = workspace.stream;
  compute(nullptr, query, 1, queries, probed, filter, stream);
  std::vector<float> values(max_rows_);
  std::vector<std::uint32_t> ids(max_rows_);
  copy_to_host(values.data(), values_, values.size(), stream);
  copy_to_host(ids.data(), ids_, ids.size(), stream);
  stream.synchronize();
  const std::uint64_t last = order_key(limit, ~std::uint32_t{0});
  std::vector<std::uint64_t> keys;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t key = order_key(values[i], ids[i]);
    if (ids[i] != kNoEntry && key <= last) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace warpdex::vector
