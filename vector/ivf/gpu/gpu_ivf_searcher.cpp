// Chooses lists by exact search among the centroids, then searches them by products, or query by
// query.
#include "warpdex/vector/ivf/gpu_ivf_searcher.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "distance/distance_kernels.hpp"
#include "flat/gpu/answers.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "ivf/gpu/gpu_lists.hpp"
#include "ivf/gpu/ivf_block.hpp"
#include "ivf/probes.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kMaxScratch = std::size_t{4} << 30;
constexpr std::size_t kMaxBlock = 16384;  ///< queries
/// Fewer queries are compared with their lists one by one.
constexpr std::size_t kMinProductQueries = 8;

}  // namespace

struct GpuIvfSearcher::State {
  State(const IvfVectors& vectors, Resources& resources, std::size_t memory)
      : metric(vectors.vectors.metric),
        lists(vectors, resources, memory),
        coarse(vectors.centroids, resources),
        pool(lists.rows().memory(), lists.rows().device()) {}

  /// The lists of each query, nearest first.
  Neighbors choose(std::span<const float> queries, std::size_t probes) const;
  /// Vectors of the `probes` longest lists.
  std::size_t most_rows(std::size_t probes) const;

  Metric metric;
  GpuLists lists;
  GpuFlatSearcher coarse;
  mutable WorkspacePool pool;
  mutable std::atomic<std::uint64_t> queries{0};
  mutable std::atomic<std::uint64_t> uncertified{0};
};

Neighbors GpuIvfSearcher::State::choose(std::span<const float> given, std::size_t probes) const {
  if (metric != Metric::kCosine) return coarse.nearest(given, probes);
  std::vector<float> scaled(given.begin(), given.end());
  const std::size_t dimension = lists.rows().dimension();
  for (std::size_t first = 0; first < scaled.size(); first += dimension) {
    normalize(std::span(scaled).subspan(first, dimension));
  }
  return coarse.nearest(scaled, probes);
}

std::size_t GpuIvfSearcher::State::most_rows(std::size_t probes) const {
  std::vector<std::size_t> sizes;
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    sizes.push_back(lists.begins()[list + 1] - lists.begins()[list]);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  std::size_t rows = 0;
  for (std::size_t i = 0; i < std::min(probes, sizes.size()); ++i) rows += sizes[i];
  return std::max<std::size_t>(1, rows);
}

GpuIvfSearcher::GpuIvfSearcher(const IvfVectors& vectors, Resources& resources, std::size_t memory)
    : state_(std::make_unique<State>(vectors, resources, memory)) {}
GpuIvfSearcher::~GpuIvfSearcher() = default;
GpuIvfSearcher::GpuIvfSearcher(GpuIvfSearcher&&) noexcept = default;
GpuIvfSearcher& GpuIvfSearcher::operator=(GpuIvfSearcher&&) noexcept = default;

GpuFlatFigures GpuIvfSearcher::figures() const {
  return {state_->queries.load(), state_->uncertified.load()};
}

namespace {

DeviceQueries prepare(IvfBlock& block, const GpuLists& lists, Metric metric,
                      std::span<const float> queries, const Stream& stream) {
  const auto dimension = lists.rows().dimension();
  const auto stride = static_cast<std::uint32_t>(padded(dimension));
  const auto count = static_cast<std::uint32_t>(queries.size() / dimension);
  copy_to_gpu(block.raw, queries.data(), queries.size(), stream);
  prepare_on_gpu(block.raw, count, dimension, metric, block.prepared, stride, stream);
  return {block.prepared, count, stride};
}

DeviceQueries one_query(const DeviceQueries& queries, std::size_t query) {
  return {queries.values + query * queries.stride, 1, queries.stride};
}

}  // namespace

Neighbors GpuIvfSearcher::nearest(std::span<const float> queries, std::size_t k, std::size_t probes,
                                  const RowFilter* filter) const {
  const GpuLists& lists = state_->lists;
  const std::size_t dimension = lists.rows().dimension();
  check_k(k, lists.rows().count());
  check_probes(probes, lists.lists());
  check_filter(filter, lists.rows().count());
  const std::size_t count = check_queries(dimension, queries);
  Neighbors result = make_neighbors(state_->metric, count, k);
  if (count == 0) return result;
  const CurrentDevice current(lists.rows().device());
  const Neighbors probed = state_->choose(queries, probes);
  const bool has_products =
      count >= kMinProductQueries && k <= kMaxProductNeighbors && lists.rows().is_bounded();
  const std::size_t max_rows = state_->most_rows(probes);
  const auto bytes_for = [&](std::size_t some) {
    return IvfBlock(lists, some, k, max_rows, has_products).lay_out(nullptr, lists);
  };
  std::size_t size = std::min(count, kMaxBlock);
  const std::size_t room = std::min(state_->pool.memory(), kMaxScratch);
  while (size > 1 && bytes_for(size) > room) size = (size + 1) / 2;
  const auto workspace = state_->pool.take(bytes_for(1), bytes_for(size));
  while (size > 1 && bytes_for(size) > workspace->scratch.size()) size = (size + 1) / 2;
  IvfBlock block(lists, size, k, max_rows, has_products);
  block.lay_out(workspace->scratch.data(), lists);
  const Stream& stream = workspace->stream;
  if (filter != nullptr) {
    copy_to_gpu(block.allowed, filter->words().data(), filter->words().size(), stream);
  }
  for (std::size_t first = 0; first < count; first += size) {
    const std::size_t some = std::min(size, count - first);
    const DeviceQueries prepared = prepare(
        block, lists, state_->metric, queries.subspan(first * dimension, some * dimension), stream);
    std::vector<std::uint32_t> open(some);
    for (std::uint32_t query = 0; query < some; ++query) open[query] = query;
    if (has_products) {
      open =
          block.products->run(prepared, probed, first, filter == nullptr ? nullptr : block.allowed,
                              block.answers, *workspace);
      state_->queries += some;
      state_->uncertified += open.size();
    }
    for (const std::uint32_t query : open) {
      const RowPage page = block.scan.choose(
          std::span(probed.rows).subspan((first + query) * probes, probes), filter, stream);
      block.scan.nearest(
          page, one_query(prepared, query),
          {block.answers.values + query * k, block.answers.ids + query * k, block.answers.k},
          *workspace);
    }
    write_answers(block.answers, static_cast<std::uint32_t>(some), state_->metric, block.rows,
                  block.distances, stream);
    copy_to_host(result.rows.data() + first * k, block.rows, some * k, stream);
    copy_to_host(result.distances.data() + first * k, block.distances, some * k, stream);
    stream.synchronize();
  }
  return result;
}

RangeNeighbors GpuIvfSearcher::within(std::span<const float> queries, float radius,
                                      std::size_t probes, const RowFilter* filter) const {
  const GpuLists& lists = state_->lists;
  const std::size_t dimension = lists.rows().dimension();
  check_radius(radius);
  check_probes(probes, lists.lists());
  check_filter(filter, lists.rows().count());
  const std::size_t count = check_queries(dimension, queries);
  RangeNeighbors result;
  result.offsets.push_back(0);
  if (count == 0) return result;
  const CurrentDevice current(lists.rows().device());
  const Neighbors probed = state_->choose(queries, probes);
  IvfBlock block(lists, 1, 1, state_->most_rows(probes), false);
  const std::size_t bytes = block.lay_out(nullptr, lists);
  const auto workspace = state_->pool.take(bytes, bytes);
  block.lay_out(workspace->scratch.data(), lists);
  const float limit = ascending(state_->metric, radius);
  for (std::size_t query = 0; query < count; ++query) {
    const DeviceQueries prepared =
        prepare(block, lists, state_->metric, queries.subspan(query * dimension, dimension),
                workspace->stream);
    const RowPage page = block.scan.choose(std::span(probed.rows).subspan(query * probes, probes),
                                           filter, workspace->stream);
    add_answers(state_->metric, block.scan.within(page, prepared, limit, *workspace), result);
  }
  return result;
}

}  // namespace warpdex::vector
