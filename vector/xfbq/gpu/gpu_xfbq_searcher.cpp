// Cuts a search into blocks of queries, and finishes by full scans what rounds leave open. Searches
// by a bound go on from there, query by query.
#include "warpdex/vector/xfbq/gpu_xfbq_searcher.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include "flat/canonical_distances.hpp"
#include "flat/gpu/fetched_answers.hpp"
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
/// Queries of a block that the host's threads rank anew while the GPU searches for the next ones.
constexpr std::size_t kHostBlock = 2048;
/// The number of a missing answer.
constexpr std::uint32_t kNoEntry = ~std::uint32_t{0};

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
  std::vector<std::uint32_t> search_blocks(const PreparedQueries& queries,
                                           const WantedCodes& wanted, BinaryBlock& block,
                                           Workspace& workspace, Neighbors& result) const;
  /// Ranks what was found by the vectors in the host's memory. While the host's threads do that,
  /// the GPU searches for the next queries.
  std::vector<std::uint32_t> search_and_refine_on_host(const PreparedQueries& queries,
                                                       const WantedCodes& wanted,
                                                       BinaryBlock& block, Workspace& workspace,
                                                       Neighbors& result) const;
  /// Queues all that the GPU does for queries [first, first + count).
  void start_block(const PreparedQueries& queries, const WantedCodes& wanted, std::size_t first,
                   std::size_t count, BinaryBlock& block, Workspace& workspace) const;
  void refine_block(const BinaryBlock& block, const Stream& stream) const;
  /// The rows that each query of a block is to be compared with. Waits for the stream.
  std::vector<std::vector<std::uint64_t>> fetch_candidates(const WantedCodes& wanted,
                                                           const BinaryBlock& block,
                                                           const Stream& stream) const;
  /// The open queries of a block that begins with query `first`.
  std::vector<std::uint32_t> find_open_of(const BinaryBlock& block, std::size_t first,
                                          Workspace& workspace) const;
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
           .is_open = block.image.panels().is_open,
           .overlaps = block.rounds.overlaps()},
          block.answers, false, stream);
}

void GpuXfbqSearcher::State::finish_query(const PreparedQueries& queries, const WantedCodes& wanted,
                                          std::size_t query, std::vector<std::uint64_t>& keys,
                                          Neighbors& result) const {
  if (wanted.depth.refine > 0) rescore_keys(codes.host().vectors, queries.query(query), keys);
  keep_nearest(keys, wanted.k);
  set_answers(metric, query, keys, result);
}

std::vector<std::vector<std::uint64_t>> GpuXfbqSearcher::State::fetch_candidates(
    const WantedCodes& wanted, const BinaryBlock& block, const Stream& stream) const {
  const std::size_t some = block.image.count();
  std::vector<std::vector<std::uint64_t>> found(some);
  if (wanted.depth.extra == 0) {
    const std::size_t each = block.nearest.k;
    std::vector<std::uint32_t> ids(some * each);
    copy_to_host(ids.data(), block.nearest.ids, ids.size(), stream);
    stream.synchronize();
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] != kNoEntry) found[i / each].push_back(ids[i]);
    }
    return found;
  }
  const CandidateLists lists = block.rounds.lists(block.image);
  std::vector<std::uint32_t> counts(some);
  copy_to_host(counts.data(), lists.counts, some, stream);
  stream.synchronize();
  std::vector<Candidate> list;
  for (std::size_t q = 0; q < some; ++q) {
    list.resize(counts[q]);
    if (list.empty()) continue;
    copy_to_host(list.data(), lists.candidates + q * lists.capacity, list.size(), stream);
    stream.synchronize();
    for (const Candidate& one : list) found[q].push_back(block.rounds.order().row(one.place));
  }
  return found;
}

void GpuXfbqSearcher::State::start_block(const PreparedQueries& queries, const WantedCodes& wanted,
                                         std::size_t first, std::size_t count, BinaryBlock& block,
                                         Workspace& workspace) const {
  const Stream& stream = workspace.stream;
  block.image.send(queries, first, count, wanted.depth, workspace.pinned_bytes(block.image.bytes()),
                   stream);
  const bool trims = wanted.refines_on_gpu || (wanted.refines_on_host() && wanted.depth.extra > 0);
  block.rounds.run(block.image, block.filter, trims, block.nearest, stream);
  if (wanted.refines_on_gpu) refine_block(block, stream);
}

std::vector<std::uint32_t> GpuXfbqSearcher::State::find_open_of(const BinaryBlock& block,
                                                                std::size_t first,
                                                                Workspace& workspace) const {
  std::vector<std::uint32_t> open =
      find_open(block.image.panels().is_open, block.image.count(), workspace);
  for (std::uint32_t& query : open) query += static_cast<std::uint32_t>(first);
  return open;
}

std::vector<std::uint32_t> GpuXfbqSearcher::State::search_blocks(const PreparedQueries& queries,
                                                                 const WantedCodes& wanted,
                                                                 BinaryBlock& block,
                                                                 Workspace& workspace,
                                                                 Neighbors& result) const {
  const FetchedAnswers answers(block.last(wanted), block.queries, workspace);
  std::vector<std::uint32_t> open;
  for (std::size_t first = 0; first < queries.count; first += block.queries) {
    const std::size_t count = std::min(block.queries, queries.count - first);
    start_block(queries, wanted, first, count, block, workspace);
    if (!answers.fetch(metric, first, count, result)) continue;
    const std::vector<std::uint32_t> some = find_open_of(block, first, workspace);
    open.insert(open.end(), some.begin(), some.end());
  }
  return open;
}

std::vector<std::uint32_t> GpuXfbqSearcher::State::search_and_refine_on_host(
    const PreparedQueries& queries, const WantedCodes& wanted, BinaryBlock& block,
    Workspace& workspace, Neighbors& result) const {
  std::vector<std::uint32_t> open;
  std::vector<std::vector<std::uint64_t>> found;  // of the block before
  std::size_t first = 0;
  const auto refine = [&] {
    for_each_part(found.size(), 1, 0, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) {
        finish_query(queries, wanted, first - found.size() + q, found[q], result);
      }
    });
  };
  while (first < queries.count) {
    const std::size_t count = std::min(block.queries, queries.count - first);
    start_block(queries, wanted, first, count, block, workspace);
    refine();
    found = fetch_candidates(wanted, block, workspace.stream);
    if (std::any_of(found.begin(), found.end(), [](const auto& one) { return one.empty(); })) {
      const std::vector<std::uint32_t> some = find_open_of(block, first, workspace);
      open.insert(open.end(), some.begin(), some.end());
    }
    first += count;
  }
  refine();
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
  const std::size_t most = wanted.refines_on_host() ? kHostBlock : kMaxBlock;
  std::size_t size = fitting(std::min(queries.count, most), std::min(pool->memory(), kMaxScratch));
  const auto workspace = pool->take(bytes_for(1), bytes_for(size));
  size = fitting(size, workspace->scratch.size());
  BinaryBlock block(codes, wanted, size);
  block.lay_out(workspace->scratch.data(), codes, wanted);
  if (wanted.filter != nullptr) {
    copy_to_gpu(block.filter, wanted.filter->words().data(), wanted.filter->words().size(),
                workspace->stream);
  }
  if (wanted.refines_on_host()) {
    return search_and_refine_on_host(queries, wanted, block, *workspace, result);
  }
  return search_blocks(queries, wanted, block, *workspace, result);
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
