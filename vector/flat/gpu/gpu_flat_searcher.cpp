// Cuts a search into blocks of queries that memory holds, and takes their answers back.
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"

#include <algorithm>
#include <atomic>

#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/nearest_search.hpp"
#include "flat/gpu/range_search.hpp"
#include "flat/gpu/search_limits.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

/// Queries and answers of a block, where they come from the host.
struct RowBuffers {
  float* queries = nullptr;
  std::int32_t* rows = nullptr;
  float* distances = nullptr;

  void lay_out(Arena& arena, std::size_t count, std::size_t dimension, std::size_t k) {
    queries = arena.take<float>(count * dimension);
    rows = arena.take<std::int32_t>(count * k);
    distances = arena.take<float>(count * k);
  }
};

}  // namespace

struct GpuFlatSearcher::State {
  State(const FlatVectors& vectors, Resources& resources, const GpuFlatSettings& settings)
      : rows(vectors, resources, settings), pool(rows.memory(), rows.device()) {}

  template <class Answer>
  void for_each_block(std::size_t count, std::size_t k, const RowFilter* filter, bool from_host,
                      const Answer& answer);

  GpuRows rows;
  WorkspacePool pool;
  std::atomic<std::uint64_t> queries{0};
  std::atomic<std::uint64_t> uncertified{0};
};

/// Calls answer(first, count, search, buffers, workspace) for blocks of queries.
template <class Answer>
void GpuFlatSearcher::State::for_each_block(std::size_t count, std::size_t k,
                                            const RowFilter* filter, bool from_host,
                                            const Answer& answer) {
  const CurrentDevice current(rows.device());
  const std::size_t all = pool.memory();
  const std::size_t selection = selection_room(k, all);
  const std::size_t memory = all - std::min(all, selection);
  RowPages pages(rows, filter, choose_page_rows(rows, memory));
  const auto measure = [&](std::size_t block, void* begin, NearestSearch& search,
                           RowBuffers& buffers) {
    Arena arena(begin);
    search.lay_out(arena);
    if (from_host) buffers.lay_out(arena, block, rows.dimension(), k);
    return arena.used();
  };
  const auto bytes_for = [&](std::size_t block) {
    NearestSearch search(rows, pages, block, k, filter != nullptr);
    RowBuffers buffers;
    return measure(block, nullptr, search, buffers);
  };
  const auto fitting = [&](std::size_t block, std::size_t bytes) {
    while (block > 1 && bytes_for(block) > bytes) block = (block + 1) / 2;
    return block;
  };
  const std::size_t most = std::min(count, kMaxBlock);
  const std::size_t page_bytes = rows.is_resident() ? 0 : memory / 2;
  const std::size_t wanted = fitting(most, std::min(memory, kMaxScratch + page_bytes));
  const auto workspace = pool.take(bytes_for(1), bytes_for(wanted), selection);
  const std::size_t block = fitting(wanted, workspace->scratch.size());
  NearestSearch search(rows, pages, block, k, filter != nullptr);
  RowBuffers buffers;
  measure(block, workspace->scratch.data(), search, buffers);
  for (std::size_t first = 0; first < count; first += block) {
    const GpuFlatFigures found =
        answer(first, std::min(block, count - first), search, buffers, *workspace);
    queries += found.queries;
    uncertified += found.uncertified;
  }
}

GpuFlatSearcher::GpuFlatSearcher(const FlatVectors& vectors, Resources& resources,
                                 const GpuFlatSettings& settings)
    : state_(std::make_unique<State>(vectors, resources, settings)) {}
GpuFlatSearcher::~GpuFlatSearcher() = default;
GpuFlatSearcher::GpuFlatSearcher(GpuFlatSearcher&&) noexcept = default;
GpuFlatSearcher& GpuFlatSearcher::operator=(GpuFlatSearcher&&) noexcept = default;

bool GpuFlatSearcher::is_resident() const { return state_->rows.is_resident(); }
GpuFlatFigures GpuFlatSearcher::figures() const {
  return {state_->queries.load(), state_->uncertified.load()};
}

Neighbors GpuFlatSearcher::nearest(std::span<const float> queries, std::size_t k,
                                   const RowFilter* filter) const {
  const GpuRows& rows = state_->rows;
  check_k(k, rows.count());
  check_filter(filter, rows.count());
  const std::size_t count = check_queries(rows.dimension(), queries);
  Neighbors result = make_neighbors(rows.host().metric, count, k);
  if (count == 0) return result;
  state_->for_each_block(
      count, k, filter, true,
      [&](std::size_t first, std::size_t some, NearestSearch& search, RowBuffers& buffers,
          Workspace& workspace) {
        const Stream& stream = workspace.stream;
        copy_to_gpu(buffers.queries, queries.data() + first * rows.dimension(),
                    some * rows.dimension(), stream);
        const GpuFlatFigures figures =
            search.run(buffers.queries, some, buffers.rows, buffers.distances, workspace);
        copy_to_host(result.rows.data() + first * k, buffers.rows, some * k, stream);
        copy_to_host(result.distances.data() + first * k, buffers.distances, some * k, stream);
        stream.synchronize();
        return figures;
      });
  return result;
}

void GpuFlatSearcher::nearest_on_gpu(const float* queries, std::size_t count, std::size_t k,
                                     std::int32_t* rows, float* distances) const {
  check_k(k, state_->rows.count());
  if (count == 0) return;
  state_->for_each_block(count, k, nullptr, false,
                         [&](std::size_t first, std::size_t some, NearestSearch& search,
                             RowBuffers&, Workspace& workspace) {
                           const GpuFlatFigures figures =
                               search.run(queries + first * state_->rows.dimension(), some,
                                          rows + first * k, distances + first * k, workspace);
                           workspace.stream.synchronize();
                           return figures;
                         });
}

RangeNeighbors GpuFlatSearcher::within(std::span<const float> queries, float radius,
                                       const RowFilter* filter) const {
  check_radius(radius);
  check_filter(filter, state_->rows.count());
  check_queries(state_->rows.dimension(), queries);
  return search_range(state_->rows, state_->pool, queries, radius, filter);
}

}  // namespace warpdex::vector
