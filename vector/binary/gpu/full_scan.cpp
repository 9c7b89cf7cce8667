// Collects distances and selects among them.
#include "binary/gpu/full_scan.hpp"

#include <algorithm>

#include "binary/gpu/kernels.hpp"
#include "flat/order_key.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {

FullScan::FullScan(const GpuBinaryCodes& codes, std::size_t candidates, std::size_t query_bits,
                   bool is_filtered)
    : codes_(codes),
      candidates_(candidates),
      is_filtered_(is_filtered),
      query_(codes, 1, query_bits) {}

void FullScan::lay_out(Arena& arena) {
  query_.lay_out(arena);
  if (is_filtered_) filter_ = arena.take<std::uint64_t>((std::size_t{codes_.count()} + 63) / 64);
  values_ = arena.take<float>(codes_.count());
  ids_ = arena.take<std::uint32_t>(codes_.count());
  count_ = arena.take<std::uint32_t>(1);
  best_values_ = arena.take<float>(candidates_);
  best_ids_ = arena.take<std::uint32_t>(candidates_);
}

void FullScan::set_filter(const RowFilter* filter, const Stream& stream) {
  used_filter_ = nullptr;
  if (filter == nullptr) return;
  copy_to_gpu(filter_, filter->words().data(), filter->words().size(), stream);
  used_filter_ = filter_;
}

void FullScan::set_query(const PreparedQueries& queries, std::size_t index, Workspace& workspace) {
  void* const pinned = workspace.pinned_bytes(query_.bytes());
  query_.encode(queries, index, 1, {}, pinned);
  query_.send(pinned, 1, workspace.stream);
}

std::uint32_t FullScan::collect(bool takes_all, float limit, Workspace& workspace) {
  const Stream& stream = workspace.stream;
  const TileOrder order = TileOrder::of_places(codes_.count(), kPanelRows);
  check_cuda(cudaMemsetAsync(count_, 0, sizeof(*count_), stream.handle()), "cudaMemsetAsync");
  scan_to_collect({codes_.on_gpu(), query_.codes(), used_filter_, order, 0, order.panels()},
                  {takes_all, limit, values_, ids_, count_}, stream);
  std::uint32_t count = 0;
  copy_to_host(&count, count_, 1, stream);
  stream.synchronize();
  return count;
}

std::vector<std::uint64_t> FullScan::fetch(const float* values, const std::uint32_t* ids,
                                           std::uint32_t count, const Stream& stream) const {
  std::vector<float> own_values(count);
  std::vector<std::uint32_t> own_ids(count);
  copy_to_host(own_values.data(), values, count, stream);
  copy_to_host(own_ids.data(), ids, count, stream);
  stream.synchronize();
  std::vector<std::uint64_t> keys(count);
  for (std::uint32_t i = 0; i < count; ++i) keys[i] = order_key(own_values[i], own_ids[i]);
  return keys;
}

std::vector<std::uint64_t> FullScan::within(float limit, Workspace& workspace) {
  const std::uint32_t count = collect(false, limit, workspace);
  return fetch(values_, ids_, count, workspace.stream);
}

std::vector<std::uint64_t> FullScan::nearest(std::size_t count, float margin,
                                             Workspace& workspace) {
  const std::uint32_t found = collect(true, 0, workspace);
  if (found <= count) return fetch(values_, ids_, found, workspace.stream);
  select_k(MatrixView<float>{values_, 1, found, found},
           MatrixView<std::uint32_t>{ids_, 1, found, found}, count, SelectOrder::kSmallest,
           best_values_, best_ids_, workspace.select, workspace.stream);
  std::vector<std::uint64_t> keys =
      fetch(best_values_, best_ids_, static_cast<std::uint32_t>(count), workspace.stream);
  if (margin == 0) return keys;
  const std::uint64_t last = *std::max_element(keys.begin(), keys.end());
  return within(key_value(last) + margin, workspace);
}

}  // namespace warpdex::vector
