// Cuts a search into blocks of queries; chooses lists, scans, selects, and ranks anew.
#include "warpdex/vector/ivf/gpu_ivf_binary_searcher.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "binary/check_depth.hpp"
#include "flat/gpu/answers.hpp"
#include "flat/gpu/search_limits.hpp"
#include "flat/order_key.hpp"
#include "flat/rank_candidates.hpp"
#include "flat/search_input.hpp"
#include "ivf/gpu/binary/list_block.hpp"
#include "ivf/gpu/binary/scan_list_codes.hpp"
#include "ivf/gpu/pq/refine.hpp"
#include "ivf/probes.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

/// Bytes of distances and ids that are worth computing at a time.
constexpr std::size_t kBitValueBytes = std::size_t{1} << 30;

PreparedQueries take_queries(const PreparedQueries& queries,
                             const std::vector<std::uint32_t>& numbers) {
  PreparedQueries taken{numbers.size(), queries.stride, {}};
  for (const std::uint32_t number : numbers) {
    const float* const query = queries.query(number);
    taken.values.insert(taken.values.end(), query, query + queries.stride);
  }
  return taken;
}

}  // namespace

struct GpuIvfBinarySearcher::State {
  State(const IvfBinaryVectors& given, Resources& resources, const GpuIvfBinarySettings& settings)
      : metric(given.metric), lists(given, resources, settings.memory) {
    if (settings.keeps_vectors && given.keeps_vectors()) {
      copy_if_they_fit(given.vectors, resources, lists.memory(), vectors);
    }
    pool.emplace(vectors ? vectors->memory() : lists.memory(), lists.device());
  }

  /// Calls answer(first, count, block, workspace) for blocks of queries: list by list, what is
  /// nearest by codes is found then, else the distances by codes are there.
  template <class Answer>
  void for_each_block(const PreparedQueries& queries, const WantedLists& wanted,
                      const Answer& answer);
  void compute(const PreparedQueries& queries, const WantedLists& wanted, std::size_t first,
               std::size_t count, ListBlock& block, Workspace& workspace) const;
  void select(const WantedLists& wanted, std::size_t count, ListBlock& block,
              Workspace& workspace) const;
  /// Sets the answers, but those of the queries that it returns: lists had too few places for them.
  std::vector<std::uint32_t> search(const PreparedQueries& queries, const WantedLists& wanted,
                                    bool on_host, Neighbors& result);
  /// Ranks what was found for some queries by the vectors in the host's memory.
  void refine_on_host(const PreparedQueries& queries, std::size_t first, std::size_t count,
                      const ListBlock& block, const Stream& stream, Neighbors& result) const;

  Metric metric;
  GpuListCodes lists;
  std::optional<GpuRows> vectors;
  std::optional<WorkspacePool> pool;
};

template <class Answer>
void GpuIvfBinarySearcher::State::for_each_block(const PreparedQueries& queries,
                                                 const WantedLists& wanted, const Answer& answer) {
  const CurrentDevice current(lists.device());
  const auto bytes_for = [&](std::size_t some) {
    return ListBlock(lists, wanted, some).lay_out(nullptr, lists, wanted);
  };
  const auto fitting = [&](std::size_t some, std::size_t bytes) {
    while (some > 1 && bytes_for(some) > bytes) some = (some + 1) / 2;
    return some;
  };
  const std::size_t all = pool->memory();
  const std::size_t selection = selection_room(wanted.candidates, all);
  const std::size_t room = all - std::min(all, selection);
  const std::size_t worth =
      wanted.by_lists ? kMaxBlock : kBitValueBytes / (8 * ListBlock::places_of(lists, wanted));
  std::size_t size = std::min({queries.count, kMaxBlock, std::max<std::size_t>(1, worth)});
  size = fitting(size, std::min(room, kMaxScratch));
  const auto workspace = pool->take(bytes_for(1), bytes_for(size), selection);
  size = fitting(size, workspace->scratch.size());
  ListBlock block(lists, wanted, size);
  block.lay_out(workspace->scratch.data(), lists, wanted);
  if (wanted.filter != nullptr) {
    copy_to_gpu(block.filter, wanted.filter->words().data(), wanted.filter->words().size(),
                workspace->stream);
  }
  for (std::size_t first = 0; first < queries.count; first += size) {
    const std::size_t count = std::min(size, queries.count - first);
    compute(queries, wanted, first, count, block, *workspace);
    answer(first, count, block, *workspace);
  }
}

void GpuIvfBinarySearcher::State::compute(const PreparedQueries& queries, const WantedLists& wanted,
                                          std::size_t first, std::size_t count, ListBlock& block,
                                          Workspace& workspace) const {
  const Stream& stream = workspace.stream;
  block.queries.send(queries, first, count, workspace.pinned_bytes(block.queries.bytes()), stream);
  block.coarse.run(block.queries.plain(), count, block.probed, block.probe_distances, workspace);
  const DeviceProbes probed{block.probed, static_cast<std::uint32_t>(count),
                            static_cast<std::uint32_t>(wanted.probes)};
  if (block.list_search) {
    block.list_search->run(block.queries, probed, block.filter, block.found, stream);
    return;
  }
  scan_list_codes({.lists = lists.on_gpu(),
                   .queries = block.queries.padded_rows(),
                   .codes = block.queries.codes(),
                   .probed = probed,
                   .filter = block.filter,
                   .ends = block.ends,
                   .bases = block.bases,
                   .values = block.values,
                   .ids = block.ids,
                   .stride = static_cast<std::uint32_t>(block.stride)},
                  stream);
}

void GpuIvfBinarySearcher::State::select(const WantedLists& wanted, std::size_t count,
                                         ListBlock& block, Workspace& workspace) const {
  const Stream& stream = workspace.stream;
  if (!block.list_search) {
    select_k(MatrixView<float>{block.values, count, block.stride, block.stride},
             MatrixView<std::uint32_t>{block.ids, count, block.stride, block.stride},
             wanted.candidates, SelectOrder::kSmallest, block.found.values, block.found.ids,
             workspace.select, stream);
  }
  if (wanted.refines_on_gpu) {
    refine(vectors->rows(), vectors->is_l2(), block.queries.padded_rows(), block.found, block.exact,
           block.answers, workspace);
  }
  write_answers(wanted.refines_on_gpu ? block.answers : block.found,
                static_cast<std::uint32_t>(count), metric, block.rows, block.distances, stream);
}

void GpuIvfBinarySearcher::State::refine_on_host(const PreparedQueries& queries, std::size_t first,
                                                 std::size_t count, const ListBlock& block,
                                                 const Stream& stream, Neighbors& result) const {
  std::vector<std::int32_t> found(count * block.found.k);
  copy_to_host(found.data(), block.rows, found.size(), stream);
  stream.synchronize();
  rank_candidates(lists.host().vectors, queries, first, count, found, result);
}

std::vector<std::uint32_t> GpuIvfBinarySearcher::State::search(const PreparedQueries& queries,
                                                               const WantedLists& wanted,
                                                               bool on_host, Neighbors& result) {
  std::vector<std::uint32_t> all_open;
  for_each_block(
      queries, wanted,
      [&](std::size_t first, std::size_t count, ListBlock& block, Workspace& workspace) {
        const Stream& stream = workspace.stream;
        select(wanted, count, block, workspace);
        if (on_host) {
          refine_on_host(queries, first, count, block, stream, result);
        } else {
          const std::size_t k = result.k;
          copy_to_host(result.rows.data() + first * k, block.rows, count * k, stream);
          copy_to_host(result.distances.data() + first * k, block.distances, count * k, stream);
          stream.synchronize();
        }
        if (!block.list_search) return;
        for (const std::uint32_t query :
             find_open(block.queries.panels().is_open, block.queries.count(), workspace)) {
          all_open.push_back(static_cast<std::uint32_t>(first) + query);
        }
      });
  return all_open;
}

GpuIvfBinarySearcher::GpuIvfBinarySearcher(const IvfBinaryVectors& vectors, Resources& resources,
                                           const GpuIvfBinarySettings& settings)
    : state_(std::make_unique<State>(vectors, resources, settings)) {}
GpuIvfBinarySearcher::~GpuIvfBinarySearcher() = default;
GpuIvfBinarySearcher::GpuIvfBinarySearcher(GpuIvfBinarySearcher&&) noexcept = default;
GpuIvfBinarySearcher& GpuIvfBinarySearcher::operator=(GpuIvfBinarySearcher&&) noexcept = default;

bool GpuIvfBinarySearcher::has_vectors() const { return state_->vectors.has_value(); }

Neighbors GpuIvfBinarySearcher::nearest(std::span<const float> queries, std::size_t k,
                                        std::size_t probes, const BinaryDepth& depth,
                                        const RowFilter* filter) const {
  State& state = *state_;
  const IvfBinaryVectors& host = state.lists.host();
  check_k(k, host.rows());
  check_probes(probes, host.lists());
  check_filter(filter, host.rows());
  check_refine(host.keeps_vectors(), depth.refine);
  const bool on_host = depth.refine > 0 && !state.vectors;
  const PreparedQueries prepared = prepare_queries(state.metric, host.quantizer.dimension, queries);
  const std::size_t query_bits = check_list_depth(host.quantizer, depth);
  const std::size_t candidates = candidate_count(depth, k, host.rows());
  WantedLists wanted{.k = k,
                     .probes = probes,
                     .query_bits = query_bits,
                     .candidates = candidates,
                     .filter = filter,
                     .refines_on_gpu = depth.refine > 0 && !on_host,
                     .by_lists = ListCodeSearch::suits(state.lists, prepared.count, candidates,
                                                       probes, query_bits)};
  Neighbors result = make_neighbors(state.metric, prepared.count, k);
  if (prepared.count == 0) return result;
  const std::vector<std::uint32_t> open = state.search(prepared, wanted, on_host, result);
  if (open.empty()) return result;
  wanted.by_lists = false;
  const PreparedQueries left = take_queries(prepared, open);
  Neighbors found = make_neighbors(state.metric, left.count, k);
  state.search(left, wanted, on_host, found);
  for (std::size_t i = 0; i < open.size(); ++i) {
    std::copy_n(found.rows.begin() + static_cast<std::ptrdiff_t>(i * k), k,
                result.rows.begin() + static_cast<std::ptrdiff_t>(open[i] * k));
    std::copy_n(found.distances.begin() + static_cast<std::ptrdiff_t>(i * k), k,
                result.distances.begin() + static_cast<std::ptrdiff_t>(open[i] * k));
  }
  return result;
}

RangeNeighbors GpuIvfBinarySearcher::within(std::span<const float> queries, float radius,
                                            std::size_t probes, const BinaryDepth& depth,
                                            const RowFilter* filter) const {
  State& state = *state_;
  const IvfBinaryVectors& host = state.lists.host();
  check_radius(radius);
  check_probes(probes, host.lists());
  check_filter(filter, host.rows());
  const WantedLists wanted{1,     probes, check_list_depth(host.quantizer, depth), 1, filter,
                           false, false};
  const PreparedQueries prepared = prepare_queries(state.metric, host.quantizer.dimension, queries);
  RangeNeighbors result;
  result.offsets.push_back(0);
  if (host.rows() == 0) result.offsets.resize(prepared.count + 1);
  if (host.rows() == 0 || prepared.count == 0) return result;
  const std::uint64_t limit = order_key(ascending(state.metric, radius), ~std::uint32_t{0});
  std::vector<float> values;
  std::vector<std::uint32_t> ids;
  state.for_each_block(
      prepared, wanted,
      [&](std::size_t /*first*/, std::size_t count, ListBlock& block, Workspace& workspace) {
        values.resize(block.stride);
        ids.resize(block.stride);
        for (std::size_t q = 0; q < count; ++q) {
          copy_to_host(values.data(), block.values + q * block.stride, block.stride,
                       workspace.stream);
          copy_to_host(ids.data(), block.ids + q * block.stride, block.stride, workspace.stream);
          workspace.stream.synchronize();
          std::vector<std::uint64_t> keys;
          for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::uint64_t key = order_key(values[i], ids[i]);
            if (ids[i] != kNoEntry && key <= limit) keys.push_back(key);
          }
          std::sort(keys.begin(), keys.end());
          add_answers(state.metric, keys, result);
        }
      });
  return result;
}

}  // namespace warpdex::vector
