// Cuts a search into blocks of queries, and finishes by full scans what rounds leave open. Searches
// by a bound go on from there, query by query.
#include "warpdex/vector/xfbq/gpu_xfbq_searcher.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "flat/canonical_distances.hpp"
#include "flat/gpu/answers.hpp"
#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/rescore.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/search_input.hpp"
#include "kmeans/parallel_parts.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "xfbq/check_depth.hpp"
#include "xfbq/gpu/binary_block.hpp"
#include "xfbq/gpu/bound_search.hpp"
#include "xfbq/gpu/full_scan.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kMaxScratch = std::size_t{4} << 30;
constexpr std::size_t kMaxBlock = 16384;  ///< queries

}  // namespace

struct GpuXfbqSearcher::State {
  State(const XfbqVectors& given, Resources& resources, const GpuXfbqSettings& settings)
      : metric(given.metric), codes(given, resources, settings.memory) {
    if (settings.keeps_vectors && given.keeps_vectors() && given.rows > 0) {
      vectors.emplace(given.vectors, resources,
                      GpuFlatSettings{.memory = std::max<std::size_t>(1, codes.memory().left())});
      if (!vectors->is_resident()) vectors.reset();
    }
    pool.emplace(pool_memory(), codes.device());
  }

  /// Answers by rounds; returns the queries that are left open.
  std::vector<std::uint32_t> search_in_rounds(const PreparedQueries& queries,
                                              const WantedCodes& wanted, Neighbors& result);
  std::vector<std::uint32_t> search_block(const PreparedQueries& queries, const WantedCodes& wanted,
                                          std::size_t first, std::size_t count, BinaryBlock& block,
                                          Workspace& workspace, Neighbors& result);
  void refine_block(const BinaryBlock& block, const Stream& stream) const;
  /// Ranks what was found for some queries by the vectors in the host's memory.
  void refine_on_host(const PreparedQueries& queries, const WantedCodes& wanted, std::size_t first,
                      const BinaryBlock& block, const Stream& stream, Neighbors& result) const;
  void finish_query(const PreparedQueries& queries, const WantedCodes& wanted, std::size_t query,
                    std::vector<std::uint64_t>& keys, Neighbors& result) const;
  /// Copies them when they are first needed.
  const DeviceBoundRows& rows_of_bounds() {
    std::call_once(has_bounds, [this] { bounds.emplace(codes, pool_memory()); });
    return bounds->on_gpu();
  }
  MemoryBudget& pool_memory() const { return vectors ? vectors->memory() : codes.memory(); }
  /// Calls answer(scan, workspace) with what full scans of single queries need.
  template <class Answer>
  void with_full_scan(std::size_t candidates, std::size_t query_bits, const RowFilter* filter,
                      const Answer& answer);

  Metric metric;
  GpuBinaryCodes codes;
  std::optional<GpuRows> vectors;
  std::once_flag has_bounds;
  std::optional<GpuBoundRows> bounds;
  std::optional<WorkspacePool> pool;
  std::atomic<std::uint64_t> searched{0};
  std::atomic<std::uint64_t> uncertified{0};
};

void GpuXfbqSearcher::State::refine_block(const BinaryBlock& block, const Stream& stream) const {
  rescore({.rows = vectors->rows(),
           .choice = {.count = codes.count()},
           .order = block.rounds.order(),
           .queries = block.image.floats(),
           .is_l2 = vectors->is_l2(),
           .lists = block.rounds.lists(block.image),
           .is_open = block.image.panels().is_open},
          block.answers, false, stream);
}

void GpuXfbqSearcher::State::finish_query(const PreparedQueries& queries, const WantedCodes& wanted,
                                          std::size_t query, std::vector<std::uint64_t>& keys,
                                          Neighbors& result) const {
  if (wanted.depth.refine > 0) rescore_keys(codes.host().vectors, queries.query(query), keys);
  keep_nearest(keys, wanted.k);
  set_answers(metric, query, keys, result);
}

void GpuXfbqSearcher::State::refine_on_host(const PreparedQueries& queries,
                                            const WantedCodes& wanted, std::size_t first,
                                            const BinaryBlock& block, const Stream& stream,
                                            Neighbors& result) const {
  const CandidateLists lists = block.rounds.lists(block.image);
  const std::size_t some = block.image.count();
  std::vector<std::uint32_t> counts(some);
  copy_to_host(counts.data(), lists.counts, some, stream);
  stream.synchronize();
  std::vector<std::vector<Candidate>> found(some);
  for (std::size_t q = 0; q < some; ++q) {
    found[q].resize(counts[q]);
    if (counts[q] == 0) continue;
    copy_to_host(found[q].data(), lists.candidates + q * lists.capacity, counts[q], stream);
  }
  stream.synchronize();
  const TileOrder order = block.rounds.order();
  for_each_part(some, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t q = begin; q < end; ++q) {
      std::vector<std::uint64_t> keys;
      for (const Candidate& one : found[q]) keys.push_back(order.row(one.place));
      finish_query(queries, wanted, first + q, keys, result);
    }
  });
}

std::vector<std::uint32_t> GpuXfbqSearcher::State::search_block(
    const PreparedQueries& queries, const WantedCodes& wanted, std::size_t first, std::size_t count,
    BinaryBlock& block, Workspace& workspace, Neighbors& result) {
  const Stream& stream = workspace.stream;
  const bool refines = wanted.depth.refine > 0;
  block.image.send(queries, first, count, wanted.depth, workspace.pinned_bytes(block.image.bytes()),
                   stream);
  block.rounds.run(block.image, block.filter, refines, block.nearest, stream);
  if (wanted.refines_on_gpu) refine_block(block, stream);
  if (refines && !wanted.refines_on_gpu) {
    refine_on_host(queries, wanted, first, block, stream, result);
  } else {
    const DeviceAnswers& answers = wanted.refines_on_gpu ? block.answers : block.nearest;
    const std::size_t k = wanted.k;
    write_answers(answers, static_cast<std::uint32_t>(count), metric, block.rows, block.distances,
                  stream);
    copy_to_host(result.rows.data() + first * k, block.rows, count * k, stream);
    copy_to_host(result.distances.data() + first * k, block.distances, count * k, stream);
  }
  std::vector<std::uint32_t> open =
      find_open(block.image.panels().is_open, static_cast<std::uint32_t>(count), workspace);
  for (std::uint32_t& query : open) query += static_cast<std::uint32_t>(first);
  return open;
}

std::vector<std::uint32_t> GpuXfbqSearcher::State::search_in_rounds(const PreparedQueries& queries,
                                                                    const WantedCodes& wanted,
                                                                    Neighbors& result) {
  const auto bytes_for = [&](std::size_t some) {
    return BinaryBlock(codes, wanted, some).lay_out(nullptr, codes, wanted);
  };
  const auto fitting = [&](std::size_t some, std::size_t bytes) {
    while (some > 1 && bytes_for(some) > bytes) some = (some + 1) / 2;
    return some;
  };
  std::size_t size =
      fitting(std::min(queries.count, kMaxBlock), std::min(pool->memory(), kMaxScratch));
  const auto workspace = pool->take(bytes_for(1), bytes_for(size));
  size = fitting(size, workspace->scratch.size());
  BinaryBlock block(codes, wanted, size);
  block.lay_out(workspace->scratch.data(), codes, wanted);
  if (wanted.filter != nullptr) {
    copy_to_gpu(block.filter, wanted.filter->words().data(), wanted.filter->words().size(),
                workspace->stream);
  }
  std::vector<std::uint32_t> open;
  for (std::size_t first = 0; first < queries.count; first += size) {
    const std::size_t count = std::min(size, queries.count - first);
    for (const std::uint32_t query :
         search_block(queries, wanted, first, count, block, *workspace, result)) {
      open.push_back(query);
    }
  }
  return open;
}

template <class Answer>
void GpuXfbqSearcher::State::with_full_scan(std::size_t candidates, std::size_t query_bits,
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

GpuXfbqSearcher::GpuXfbqSearcher(const XfbqVectors& vectors, Resources& resources,
                                 const GpuXfbqSettings& settings)
    : state_(std::make_unique<State>(vectors, resources, settings)) {}
GpuXfbqSearcher::~GpuXfbqSearcher() = default;
GpuXfbqSearcher::GpuXfbqSearcher(GpuXfbqSearcher&&) noexcept = default;
GpuXfbqSearcher& GpuXfbqSearcher::operator=(GpuXfbqSearcher&&) noexcept = default;

bool GpuXfbqSearcher::has_vectors() const { return state_->vectors.has_value(); }
GpuFlatFigures GpuXfbqSearcher::figures() const {
  return {state_->searched.load(), state_->uncertified.load()};
}

Neighbors GpuXfbqSearcher::nearest(std::span<const float> queries, std::size_t k,
                                   const XfbqDepth& depth, const RowFilter* filter) const {
  if (depth.bound != XfbqBound::kNone) {
    return nearest_by_bound(queries, k, depth, filter).answers;
  }
  State& state = *state_;
  const XfbqVectors& host = state.codes.host();
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
          state.finish_query(prepared, wanted, query, keys, result);
        }
      });
  return result;
}

BoundedNeighbors GpuXfbqSearcher::nearest_by_bound(std::span<const float> queries, std::size_t k,
                                                   const XfbqDepth& depth,
                                                   const RowFilter* filter) const {
  State& state = *state_;
  const XfbqVectors& host = state.codes.host();
  check_k(k, host.rows);
  const std::size_t query_bits = check_depth(host, depth);
  const std::size_t candidates = candidate_count(depth, k, host.rows);
  const Neighbors by_codes = nearest(queries, candidates, {.query_bits = query_bits}, filter);
  const PreparedQueries prepared = prepare_queries(state.metric, host.quantizer.dimension, queries);
  BoundedNeighbors result{make_neighbors(state.metric, prepared.count, k),
                          std::vector<std::uint32_t>(prepared.count)};
  if (prepared.count == 0) return result;
  const CurrentDevice current(state.codes.device());
  BoundSearch search(state.codes, state.rows_of_bounds(), state.vectors ? &*state.vectors : nullptr,
                     {query_bits, depth.bound}, filter != nullptr);
  Arena measure(nullptr);
  search.lay_out(measure);
  const auto workspace = state.pool->take(measure.used(), measure.used());
  Arena arena(workspace->scratch.data());
  search.lay_out(arena);
  search.set_filter(filter, workspace->stream);
  for (std::size_t q = 0; q < prepared.count; ++q) {
    const BoundRanking ranking = search.rank(
        prepared, q, std::span(by_codes.rows).subspan(q * candidates, candidates), k, *workspace);
    result.refined[q] = ranking.refined();
    set_answers(state.metric, q, ranking.nearest(), result.answers);
  }
  return result;
}

RangeNeighbors GpuXfbqSearcher::within(std::span<const float> queries, float radius,
                                       const XfbqDepth& depth, const RowFilter* filter) const {
  State& state = *state_;
  const XfbqVectors& host = state.codes.host();
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
