// Cuts a search into blocks of queries, chooses how they are searched, and takes answers back.
#include "warpdex/vector/ivf/gpu_ivf_pq_searcher.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <vector>

#include "flat/gpu/answers.hpp"
#include "flat/gpu/product_search.hpp"
#include "flat/gpu/search_limits.hpp"
#include "flat/order_key.hpp"
#include "flat/rank_candidates.hpp"
#include "flat/search_input.hpp"
#include "ivf/gpu/pq/code_block.hpp"
#include "ivf/gpu/pq/refine.hpp"
#include "ivf/probes.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// Queries of a list from which on lists are searched one by one.
constexpr double kMinTableQueriesOfList = 10;
/// Queries of a list times bytes of a code from which on products are faster than tables.
constexpr double kMinProductWork = 4096;

}  // namespace

struct GpuIvfPqSearcher::State {
  State(const IvfPqVectors& given, Resources& resources, const GpuIvfPqSettings& settings)
      : metric(given.metric), way(settings.way), codes(given, resources, settings.memory) {
    if (settings.keeps_vectors && given.keeps_vectors()) {
      copy_if_they_fit(given.vectors, resources, codes.memory(), vectors);
    }
    pool.emplace(vectors ? vectors->memory() : codes.memory(), codes.device());
  }

  /// How lists are matched with so many queries; none: query by query.
  std::optional<ListMatch> choose_match(std::size_t count, std::size_t candidates,
                                        std::size_t probes) const;
  /// Calls answer(first, count, block, workspace) for blocks of queries.
  template <class Answer>
  void for_each_block(std::size_t count, CodeBlockSizes wanted, const RowFilter* filter,
                      const Answer& answer);
  /// Pads `count` queries, chooses the lists that they probe, and makes what tables are made of.
  CodeQueries prepare(CodeBlock& block, const float* given, std::size_t count,
                      Workspace& workspace) const;
  /// Sets block.found and, if the GPU refines, block.answers.
  void search(CodeBlock& block, const float* given, std::size_t count, Workspace& workspace);

  Metric metric;
  CodeWay way;
  GpuCodes codes;
  std::optional<GpuRows> vectors;
  std::optional<WorkspacePool> pool;
  std::atomic<std::uint64_t> searched{0};
  std::atomic<std::uint64_t> uncertified{0};
};

std::optional<ListMatch> GpuIvfPqSearcher::State::choose_match(std::size_t count,
                                                               std::size_t candidates,
                                                               std::size_t probes) const {
  if (candidates > kMaxProductNeighbors) return std::nullopt;
  const bool has_tables = CodeSearch::suits(codes, ListMatch::kTables);
  const bool has_products = CodeSearch::suits(codes, ListMatch::kProducts);
  const double queries =
      static_cast<double>(count) * static_cast<double>(probes) / static_cast<double>(codes.lists());
  const double by_products = has_tables ? kMinProductWork / codes.on_gpu().bytes : 0;
  CodeWay best = CodeWay::kQueries;
  if (has_tables && queries >= kMinTableQueriesOfList) best = CodeWay::kTables;
  if (has_products && queries >= std::max(kMinTableQueriesOfList, by_products)) {
    best = CodeWay::kProducts;
  }
  if (way != CodeWay::kAuto) best = way;
  if (best == CodeWay::kTables && has_tables) return ListMatch::kTables;
  if (best == CodeWay::kProducts && has_products) return ListMatch::kProducts;
  return std::nullopt;
}

template <class Answer>
void GpuIvfPqSearcher::State::for_each_block(std::size_t count, CodeBlockSizes wanted,
                                             const RowFilter* filter, const Answer& answer) {
  const CurrentDevice current(codes.device());
  wanted.is_filtered = filter != nullptr;
  const auto bytes_for = [&](std::size_t some) {
    wanted.queries = some;
    return CodeBlock(codes, wanted).lay_out(nullptr, codes);
  };
  const auto fitting = [&](std::size_t some, std::size_t bytes) {
    while (some > 1 && bytes_for(some) > bytes) some = (some + 1) / 2;
    return some;
  };
  const std::size_t all = pool->memory();
  const std::size_t selection = selection_room(wanted.candidates, all);
  const std::size_t room = all - std::min(all, selection);
  const std::size_t size = fitting(std::min(count, kMaxBlock), std::min(room, kMaxScratch));
  const auto workspace = pool->take(bytes_for(1), bytes_for(size), selection);
  wanted.queries = fitting(size, workspace->scratch.size());
  CodeBlock block(codes, wanted);
  block.lay_out(workspace->scratch.data(), codes);
  if (filter != nullptr) {
    copy_to_gpu(block.allowed, filter->words().data(), filter->words().size(), workspace->stream);
  }
  for (std::size_t first = 0; first < count; first += wanted.queries) {
    answer(first, std::min(wanted.queries, count - first), block, *workspace);
  }
}

CodeQueries GpuIvfPqSearcher::State::prepare(CodeBlock& block, const float* given,
                                             std::size_t count, Workspace& workspace) const {
  const Stream& stream = workspace.stream;
  const auto stride = static_cast<std::uint32_t>(padded(codes.dimension()));
  const auto some = static_cast<std::uint32_t>(count);
  prepare_on_gpu(given, some, codes.dimension(), metric, block.prepared, stride, stream);
  if (metric == Metric::kCosine) {
    prepare_on_gpu(given, some, codes.dimension(), metric, block.scaled, codes.dimension(), stream);
    given = block.scaled;
  }
  block.coarse.run(given, count, block.probed, block.probe_distances, workspace);
  const DeviceQueries queries{block.prepared, some, stride};
  make_query_vectors(codes.on_gpu(), queries, block.moved, block.vectors, stream);
  return {queries,
          block.vectors,
          {block.probed, some, static_cast<std::uint32_t>(block.sizes.probes)},
          block.allowed};
}

void GpuIvfPqSearcher::State::search(CodeBlock& block, const float* given, std::size_t count,
                                     Workspace& workspace) {
  const CodeQueries prepared = prepare(block, given, count, workspace);
  if (block.lists) {
    const std::vector<std::uint32_t> open = block.lists->run(prepared, block.found, workspace);
    searched += count;
    uncertified += open.size();
    if (!open.empty()) block.scan.nearest_of(open, prepared, block.found, workspace);
  } else {
    block.scan.nearest(prepared, prepared.probed.probes, block.found, workspace);
  }
  if (block.sizes.refines) {
    refine(vectors->rows(), codes.on_gpu().is_l2, prepared.queries, block.found, block.exact,
           block.answers, workspace);
  }
}

GpuIvfPqSearcher::GpuIvfPqSearcher(const IvfPqVectors& vectors, Resources& resources,
                                   const GpuIvfPqSettings& settings)
    : state_(std::make_unique<State>(vectors, resources, settings)) {}
GpuIvfPqSearcher::~GpuIvfPqSearcher() = default;
GpuIvfPqSearcher::GpuIvfPqSearcher(GpuIvfPqSearcher&&) noexcept = default;
GpuIvfPqSearcher& GpuIvfPqSearcher::operator=(GpuIvfPqSearcher&&) noexcept = default;

bool GpuIvfPqSearcher::has_vectors() const { return state_->vectors.has_value(); }
GpuFlatFigures GpuIvfPqSearcher::figures() const {
  return {state_->searched.load(), state_->uncertified.load()};
}

Neighbors GpuIvfPqSearcher::nearest(std::span<const float> queries, std::size_t k,
                                    std::size_t probes, std::size_t refine,
                                    const RowFilter* filter) const {
  const GpuCodes& codes = state_->codes;
  const std::size_t dimension = codes.dimension();
  check_k(k, codes.count());
  check_probes(probes, codes.lists());
  check_filter(filter, codes.count());
  check_refine(codes.host().keeps_vectors(), refine);
  const std::size_t count = check_queries(dimension, queries);
  Neighbors result = make_neighbors(state_->metric, count, k);
  if (count == 0) return result;
  const std::size_t candidates = std::min<std::size_t>(std::max(k, refine), codes.count());
  const bool on_host = refine > 0 && !state_->vectors;
  PreparedQueries prepared;
  if (on_host) prepared = prepare_queries(state_->metric, dimension, queries);
  const auto answer = [&](std::size_t first, std::size_t some, CodeBlock& block,
                          Workspace& workspace) {
    const Stream& stream = workspace.stream;
    const std::span<const float> own = queries.subspan(first * dimension, some * dimension);
    copy_to_gpu(block.raw, own.data(), own.size(), stream);
    state_->search(block, block.raw, some, workspace);
    write_answers(block.sizes.refines ? block.answers : block.found,
                  static_cast<std::uint32_t>(some), state_->metric, block.rows, block.distances,
                  stream);
    if (on_host) {
      std::vector<std::int32_t> found(some * candidates);
      copy_to_host(found.data(), block.rows, found.size(), stream);
      stream.synchronize();
      rank_candidates(codes.host().vectors, prepared, first, some, found, result);
      return;
    }
    copy_to_host(result.rows.data() + first * k, block.rows, some * k, stream);
    copy_to_host(result.distances.data() + first * k, block.distances, some * k, stream);
    stream.synchronize();
  };
  state_->for_each_block(count,
                         {.k = k,
                          .probes = probes,
                          .candidates = candidates,
                          .match = state_->choose_match(count, candidates, probes),
                          .refines = refine > 0 && !on_host,
                          .is_from_host = true},
                         filter, answer);
  return result;
}

void GpuIvfPqSearcher::nearest_on_gpu(const float* queries, std::size_t count, std::size_t k,
                                      std::size_t probes, std::int32_t* rows,
                                      float* distances) const {
  const GpuCodes& codes = state_->codes;
  check_k(k, codes.count());
  check_probes(probes, codes.lists());
  if (count == 0) return;
  state_->for_each_block(
      count,
      {.k = k, .probes = probes, .candidates = k, .match = state_->choose_match(count, k, probes)},
      nullptr, [&](std::size_t first, std::size_t some, CodeBlock& block, Workspace& workspace) {
        state_->search(block, queries + first * codes.dimension(), some, workspace);
        write_answers(block.found, static_cast<std::uint32_t>(some), state_->metric,
                      rows + first * k, distances + first * k, workspace.stream);
        workspace.stream.synchronize();
      });
}

RangeNeighbors GpuIvfPqSearcher::within(std::span<const float> queries, float radius,
                                        std::size_t probes, const RowFilter* filter) const {
  const GpuCodes& codes = state_->codes;
  const std::size_t dimension = codes.dimension();
  check_radius(radius);
  check_probes(probes, codes.lists());
  check_filter(filter, codes.count());
  const std::size_t count = check_queries(dimension, queries);
  RangeNeighbors result;
  result.offsets.push_back(0);
  if (codes.count() == 0) result.offsets.resize(count + 1);
  if (codes.count() == 0 || count == 0) return result;
  const float limit = ascending(state_->metric, radius);
  state_->for_each_block(
      count, {.k = 1, .probes = probes, .candidates = 1, .collects = true, .is_from_host = true},
      filter, [&](std::size_t first, std::size_t some, CodeBlock& block, Workspace& workspace) {
        copy_to_gpu(block.raw, queries.data() + first * dimension, some * dimension,
                    workspace.stream);
        const CodeQueries prepared = state_->prepare(block, block.raw, some, workspace);
        for (std::uint32_t query = 0; query < some; ++query) {
          add_answers(state_->metric, block.scan.within(query, prepared, limit, workspace), result);
        }
      });
  return result;
}

}  // namespace warpdex::vector
