// Chooses lists by exact search among the centroids, then searches them by products, or query by
// query.
#include "warpdex/vector/ivf/gpu_ivf_searcher.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "distance/distance_kernels.hpp"
#include "flat/gpu/answers.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/search_limits.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "ivf/gpu/gpu_lists.hpp"
#include "ivf/gpu/ivf_block.hpp"
#include "ivf/probes.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// Fewer queries are compared with their lists one by one.
constexpr std::size_t kMinProductQueries = 8;

}  // namespace

struct GpuIvfSearcher::State {
  State(const IvfVectors& vectors, Resources& resources, std::size_t memory)
      : metric(vectors.vectors.metric),
        lists(vectors, resources, memory),
        centroids(vectors.centroids, resources, {}),
        sizes(find_sizes(vectors.begins)),
        pool(lists.rows().memory(), lists.rows().device()) {
    if (!centroids.is_resident() && centroids.count() > 0) {
      throw Error("the centroids of this inverted file need " +
                  std::to_string(centroids.count() * centroids.row_bytes() >> 20) +
                  " MiB of GPU memory; give more, or search it on the CPU");
    }
  }

  static std::vector<std::size_t> find_sizes(std::span<const std::uint64_t> begins);
  /// Vectors of the `probes` longest lists.
  std::size_t max_rows(std::size_t probes) const { return std::max<std::size_t>(1, sizes[probes]); }

  /// Calls answer(first, count, block, workspace) for blocks of queries.
  template <class Answer>
  void for_each_block(std::size_t count, IvfBlockSizes wanted, const RowFilter* filter,
                      const Answer& answer) const;
  DeviceQueries prepare(IvfBlock& block, const float* queries, std::size_t count,
                        Workspace& workspace) const;
  void search(IvfBlock& block, const float* queries, std::size_t count, std::int32_t* rows,
              float* distances, Workspace& workspace) const;

  Metric metric;
  GpuLists lists;
  GpuRows centroids;
  std::vector<std::size_t> sizes;  ///< [p]: of the p longest lists together
  mutable WorkspacePool pool;
  mutable std::atomic<std::uint64_t> queries{0};
  mutable std::atomic<std::uint64_t> uncertified{0};
};

std::vector<std::size_t> GpuIvfSearcher::State::find_sizes(std::span<const std::uint64_t> begins) {
  std::vector<std::size_t> sizes;
  for (std::size_t list = 0; list + 1 < begins.size(); ++list) {
    sizes.push_back(begins[list + 1] - begins[list]);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.insert(sizes.begin(), 0);
  for (std::size_t i = 1; i < sizes.size(); ++i) sizes[i] += sizes[i - 1];
  return sizes;
}

template <class Answer>
void GpuIvfSearcher::State::for_each_block(std::size_t count, IvfBlockSizes wanted,
                                           const RowFilter* filter, const Answer& answer) const {
  const CurrentDevice current(lists.rows().device());
  wanted.max_rows = max_rows(wanted.probes);
  wanted.is_filtered = filter != nullptr;
  const auto bytes_for = [&](std::size_t some) {
    wanted.queries = some;
    return IvfBlock(lists, centroids, wanted).lay_out(nullptr, lists);
  };
  const auto fitting = [&](std::size_t some, std::size_t bytes) {
    while (some > 1 && bytes_for(some) > bytes) some = (some + 1) / 2;
    return some;
  };
  const std::size_t all = pool.memory();
  const std::size_t selection = selection_room(wanted.k, all);
  const std::size_t room = all - std::min(all, selection);
  const std::size_t size = fitting(std::min(count, kMaxBlock), std::min(room, kMaxScratch));
  const auto workspace = pool.take(bytes_for(1), bytes_for(size), selection);
  wanted.queries = fitting(size, workspace->scratch.size());
  IvfBlock block(lists, centroids, wanted);
  block.lay_out(workspace->scratch.data(), lists);
  if (filter != nullptr) {
    copy_to_gpu(block.allowed, filter->words().data(), filter->words().size(), workspace->stream);
  }
  for (std::size_t first = 0; first < count; first += wanted.queries) {
    answer(first, std::min(wanted.queries, count - first), block, *workspace);
  }
}

/// Pads `count` queries, and chooses the lists that they probe.
DeviceQueries GpuIvfSearcher::State::prepare(IvfBlock& block, const float* given, std::size_t count,
                                             Workspace& workspace) const {
  const std::uint32_t dimension = lists.rows().dimension();
  const auto stride = static_cast<std::uint32_t>(padded(dimension));
  const auto some = static_cast<std::uint32_t>(count);
  prepare_on_gpu(given, some, dimension, metric, block.prepared, stride, workspace.stream);
  if (metric == Metric::kCosine) {
    prepare_on_gpu(given, some, dimension, metric, block.scaled, dimension, workspace.stream);
    given = block.scaled;
  }
  block.coarse.run(given, count, block.probed, block.probe_distances, workspace);
  return {block.prepared, some, stride};
}

void GpuIvfSearcher::State::search(IvfBlock& block, const float* given, std::size_t count,
                                   std::int32_t* rows, float* distances,
                                   Workspace& workspace) const {
  const DeviceQueries prepared = prepare(block, given, count, workspace);
  const DeviceProbes probed{block.probed, prepared.count,
                            static_cast<std::uint32_t>(block.sizes.probes)};
  if (block.products) {
    const std::vector<std::uint32_t> open =
        block.products->run(prepared, probed, block.allowed, block.answers, workspace);
    queries += count;
    uncertified += open.size();
    if (!open.empty()) {
      block.scan.nearest_of(open, prepared, probed, block.allowed, block.answers, workspace);
    }
  } else {
    block.scan.nearest(prepared, probed, block.allowed, block.answers, workspace);
  }
  write_answers(block.answers, prepared.count, metric, rows, distances, workspace.stream);
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

bool takes_products(const GpuLists& lists, std::size_t queries, std::size_t k) {
  return queries >= kMinProductQueries && k <= kMaxProductNeighbors && lists.rows().is_bounded();
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
  state_->for_each_block(
      count,
      {.k = k,
       .probes = probes,
       .has_products = takes_products(lists, count, k),
       .is_from_host = true},
      filter, [&](std::size_t first, std::size_t some, IvfBlock& block, Workspace& workspace) {
        const Stream& stream = workspace.stream;
        copy_to_gpu(block.raw, queries.data() + first * dimension, some * dimension, stream);
        state_->search(block, block.raw, some, block.rows, block.distances, workspace);
        copy_to_host(result.rows.data() + first * k, block.rows, some * k, stream);
        copy_to_host(result.distances.data() + first * k, block.distances, some * k, stream);
        stream.synchronize();
      });
  return result;
}

void GpuIvfSearcher::nearest_on_gpu(const float* queries, std::size_t count, std::size_t k,
                                    std::size_t probes, std::int32_t* rows,
                                    float* distances) const {
  const GpuLists& lists = state_->lists;
  check_k(k, lists.rows().count());
  check_probes(probes, lists.lists());
  if (count == 0) return;
  state_->for_each_block(
      count, {.k = k, .probes = probes, .has_products = takes_products(lists, count, k)}, nullptr,
      [&](std::size_t first, std::size_t some, IvfBlock& block, Workspace& workspace) {
        state_->search(block, queries + first * lists.rows().dimension(), some, rows + first * k,
                       distances + first * k, workspace);
        workspace.stream.synchronize();
      });
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
  if (lists.rows().count() == 0) {
    result.offsets.resize(count + 1);
    return result;
  }
  if (count == 0) return result;
  const float limit = ascending(state_->metric, radius);
  state_->for_each_block(
      count, {.k = 1, .probes = probes, .is_from_host = true}, filter,
      [&](std::size_t first, std::size_t some, IvfBlock& block, Workspace& workspace) {
        copy_to_gpu(block.raw, queries.data() + first * dimension, some * dimension,
                    workspace.stream);
        const DeviceQueries prepared = state_->prepare(block, block.raw, some, workspace);
        const DeviceProbes probed{block.probed, prepared.count, static_cast<std::uint32_t>(probes)};
        for (std::uint32_t query = 0; query < some; ++query) {
          add_answers(state_->metric,
                      block.scan.within(query, prepared, probed, block.allowed, limit, workspace),
                      result);
        }
      });
  return result;
}

}  // namespace warpdex::vector
