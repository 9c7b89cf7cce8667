// Lists the vectors on the host, and scans them.
#include "ivf/gpu/query_scan.hpp"

#include <algorithm>

#include "flat/gpu/answers.hpp"
#include "flat/order_key.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
QueryScan::QueryScan(const GpuLists& lists, std::size_t k, std::size_t max_rows)
    : lists_(lists), max_rows_(max_rows), scan_(lists.rows(), 1, k, max_rows) {}

void QueryScan::lay_out(Arena& arena) {
  positions_ = arena.take<std::uint32_t>(max_rows_);
  ids_ = arena.take<std::uint32_t>(max_rows_);
  scan_.lay_out(arena);
}

RowPage QueryScan::choose(std::span<const std::int32_t> probed, const RowFilter* filter,
                          const Stream& stream) {
  stream.synchronize();  // what was copied from the vectors before
  chosen_.clear();
  numbers_.clear();
  const FlatVectors& host = lists_.rows().host();
  for (const std::int32_t list : probed) {
    const auto l = static_cast<std::size_t>(list);
    for (std::uint64_t row = lists_.begins()[l]; row < lists_.begins()[l + 1]; ++row) {
      const std::uint32_t number = host.row_number(row);
      if (filter != nullptr && !filter->contains(number)) continue;
      chosen_.push_back(static_cast<std::uint32_t>(row));
      numbers_.push_back(number);
    }
  }
  copy_to_gpu(positions_, chosen_.data(), chosen_.size(), stream);
  copy_to_gpu(ids_, numbers_.data(), numbers_.size(), stream);
  return {lists_.rows().rows(),
          {.count = static_cast<std::uint32_t>(chosen_.size()),
           .positions = positions_,
           .ids = ids_,
           .first_id = 0}};
}

void QueryScan::nearest(const RowPage& page, const DeviceQueries& query,
                        const DeviceAnswers& answers, Workspace& workspace) {
  if (page.choice.count == 0) {
    clear_answers(answers, 1, workspace.stream);
  } else {
    scan_.run(page, query, nullptr, 1, answers, true, workspace);
  }
}

std::vector<std::uint64_t> QueryScan::within(const RowPage& page, const DeviceQueries& query,
                                             float limit, Workspace& workspace) {
  std::vector<std::uint64_t> keys;
  if (page.choice.count == 0) return keys;
  scan_.compute_values(page, query, workspace.stream);
  std::vector<float> values(page.choice.count);
  copy_to_host(values.data(), scan_.values(), values.size(), workspace.stream);
  workspace.stream.synchronize();
  const std::uint64_t last = order_key(limit, ~std::uint32_t{0});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint64_t key = order_key(values[i], numbers_[i]);
    if (key <= last) keys.push_back(key);
  }
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace warpdex::vector
