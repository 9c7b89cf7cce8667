// Finishes by full scans what rounds leave open.
#include "warpdex/vector/binary/gpu_binary_searcher.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "binary/check_depth.hpp"
#include "binary/gpu/block_search.hpp"
#include "binary/gpu/full_scan.hpp"
#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/order_key.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::vector {

struct GpuBinarySearcher::State {
  State(const BinaryVectors& given, Resources& resources, const GpuBinarySettings& settings)
      : metric(given.metric), codes(given, resources, settings.memory) {
    if (settings.keeps_vectors && given.keeps_vectors()) {
      copy_if_they_fit(given.vectors, resources, codes.memory(), vectors);
    }
    pool.emplace(pool_memory(), codes.device());
  }

  /// Answers by rounds; returns the queries that are left open.
  std::vector<std::uint32_t> search_in_rounds(const PreparedQueries& queries,
                                              const WantedCodes& wanted, Neighbors& result) {
    return BlockSearch(codes, vectors ? &*vectors : nullptr, *pool).run(queries, wanted, result);
  }
  MemoryBudget& pool_memory() const { return vectors ? vectors->memory() : codes.memory(); }
  /// Calls answer(scan, workspace) with what full scans of single queries need.
  template <class Answer>
  void with_full_scan(std::size_t candidates, std::size_t query_bits, const RowFilter* filter,
                      const Answer& answer);

  Metric metric;
  GpuBinaryCodes codes;
  std::optional<GpuRows> vectors;
  std::optional<WorkspacePool> pool;
  std::atomic<std::uint64_t> searched{0};
  std::atomic<std::uint64_t> uncertified{0};
};

template <class Answer>
void GpuBinarySearcher::State::with_full_scan(std::size_t candidates, std::size_t query_bits,
                                              const RowFilter* filter, const Answer& answer) {
  FullScan scan(codes, candidates, query_bits, filter != nullptr);
  Arena measure(nullptr);
  scan.lay_out(measure);
  const std::size_t selection = selection_room(candidates, pool->memory());
  const auto workspace = pool->take(measure.used(), measure.used(), selection);
  Arena arena(workspace->scratch.data());
  scan.lay_out(arena);
  scan.set_filter(filter, workspace->stream);
  answer(scan, *workspace);
}

GpuBinarySearcher::GpuBinarySearcher(const BinaryVectors& vectors, Resources& resources,
                                     const GpuBinarySettings& settings)
    : state_(std::make_unique<State>(vectors, resources, settings)) {}
GpuBinarySearcher::~GpuBinarySearcher() = default;
GpuBinarySearcher::GpuBinarySearcher(GpuBinarySearcher&&) noexcept = default;
GpuBinarySearcher& GpuBinarySearcher::operator=(GpuBinarySearcher&&) noexcept = default;

bool GpuBinarySearcher::has_vectors() const { return state_->vectors.has_value(); }
GpuFlatFigures GpuBinarySearcher::figures() const {
  return {state_->searched.load(), state_->uncertified.load()};
}

Neighbors GpuBinarySearcher::nearest(std::span<const float> queries, std::size_t k,
                                     const BinaryDepth& depth, const RowFilter* filter) const {
  State& state = *state_;
  const BinaryVectors& host = state.codes.host();
  check_k(k, host.rows);
  check_filter(filter, host.rows);
  WantedCodes wanted{k, depth, candidate_count(depth, k, host.rows), filter,
                     depth.refine > 0 && state.vectors.has_value()};
  wanted.depth.query_bits = check_depth(host, depth);
  const PreparedQueries prepared = prepare_queries(state.metric, host.quantizer.dimension, queries);
  Neighbors result = make_neighbors(state.metric, prepared.count, k);
  if (prepared.count == 0) return result;
  const CurrentDevice current(state.codes.device());
  std::vector<std::uint32_t> open(prepared.count);
  if (wanted.candidates <= kMaxProductNeighbors) {
    open = state.search_in_rounds(prepared, wanted, result);
    state.searched += prepared.count;
    state.uncertified += open.size();
  } else {
    for (std::uint32_t q = 0; q < prepared.count; ++q) open[q] = q;
  }
  if (open.empty()) return result;
  state.with_full_scan(
      wanted.candidates, wanted.depth.query_bits, filter,
      [&](FullScan& scan, Workspace& workspace) {
        for (const std::uint32_t query : open) {
          scan.set_query(prepared, query, workspace);
          const float margin = candidate_margin(
              depth, encode_query(host, wanted.depth.query_bits, prepared.query(query)));
          std::vector<std::uint64_t> keys = scan.nearest(wanted.candidates, margin, workspace);
          finish_query(host, prepared, wanted, query, keys, result);
        }
      });
  return result;
}

RangeNeighbors GpuBinarySearcher::within(std::span<const float> queries, float radius,
                                         const BinaryDepth& depth, const RowFilter* filter) const {
  State& state = *state_;
  const BinaryVectors& host = state.codes.host();
  check_radius(radius);
  check_filter(filter, host.rows);
  const std::size_t query_bits = check_depth(host, depth);
  const PreparedQueries prepared = prepare_queries(state.metric, host.quantizer.dimension, queries);
  RangeNeighbors result;
  result.offsets.push_back(0);
  if (host.rows == 0) result.offsets.resize(prepared.count + 1);
  if (host.rows == 0 || prepared.count == 0) return result;
  const CurrentDevice current(state.codes.device());
  const float limit = ascending(state.metric, radius);
  state.with_full_scan(1, query_bits, filter, [&](FullScan& scan, Workspace& workspace) {
    for (std::size_t query = 0; query < prepared.count; ++query) {
      scan.set_query(prepared, query, workspace);
      std::vector<std::uint64_t> keys = scan.within(limit, workspace);
      std::sort(keys.begin(), keys.end());
      add_answers(state.metric, keys, result);
    }
  });
  return result;
}

}  // namespace warpdex::vector
