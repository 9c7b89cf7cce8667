// Cuts a search into blocks of queries that memory holds, and takes their answers back.
#include <algorithm>
#include <atomic>

#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/nearest_search.hpp"
#include "flat/gpu/range_search.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/search_input.hpp"
#include "flat/searchers.hpp"
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

/// A few queries are compared with all vectors in the canonical order of arithmetic
/// (docs/vector.md). More are multiplied with the vectors on the tensor cores, in half precision.
/// The error of such a product is bounded: rows that may be among the k nearest are computed again
/// in the canonical order, and where there are too many of those, all rows are. *Billion-scale
/// similarity search with GPUs*, section 5.1.
class GpuFlatSearcher final : public VectorSearcher {
 public:
  GpuFlatSearcher(const FlatVectors& vectors, Resources& resources,
                  const GpuSearchSettings& settings)
      : rows_(vectors, resources, settings), pool_(rows_.memory(), rows_.device()) {}

  Metric metric() const override { return rows_.host().metric; }
  std::size_t dimension() const override { return rows_.dimension(); }
  std::size_t rows() const override { return rows_.count(); }
  bool is_resident() const override { return rows_.is_resident(); }
  GpuFigures figures() const override { return {queries_.load(), uncertified_.load()}; }

  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options) const override;
  bool nearest_on_gpu(const float* queries, std::size_t count, std::size_t k, std::int32_t* rows,
                      float* distances, const SearchOptions& options) const override;

 private:
  template <class Answer>
  void for_each_block(std::size_t count, std::size_t k, const RowFilter* filter, bool from_host,
                      const Answer& answer) const;

  GpuRows rows_;
  mutable WorkspacePool pool_;
  mutable std::atomic<std::uint64_t> queries_{0};
  mutable std::atomic<std::uint64_t> uncertified_{0};
};

/// Calls answer(first, count, search, buffers, workspace) for blocks of queries.
template <class Answer>
void GpuFlatSearcher::for_each_block(std::size_t count, std::size_t k, const RowFilter* filter,
                                     bool from_host, const Answer& answer) const {
  const CurrentDevice current(rows_.device());
  const std::size_t all = pool_.memory();
  const std::size_t selection = selection_room(k, all);
  const std::size_t memory = all - std::min(all, selection);
  RowPages pages(rows_, filter, choose_page_rows(rows_, memory));
  const auto measure = [&](std::size_t block, void* begin, NearestSearch& search,
                           RowBuffers& buffers) {
    Arena arena(begin);
    search.lay_out(arena);
    if (from_host) buffers.lay_out(arena, block, rows_.dimension(), k);
    return arena.used();
  };
  const auto bytes_for = [&](std::size_t block) {
    NearestSearch search(rows_, pages, block, k, filter != nullptr);
    RowBuffers buffers;
    return measure(block, nullptr, search, buffers);
  };
  const auto fitting = [&](std::size_t block, std::size_t bytes) {
    while (block > 1 && bytes_for(block) > bytes) block = (block + 1) / 2;
    return block;
  };
  const std::size_t most = std::min(count, kMaxBlock);
  const std::size_t page_bytes = rows_.is_resident() ? 0 : memory / 2;
  const std::size_t wanted = fitting(most, std::min(memory, kMaxScratch + page_bytes));
  const auto workspace = pool_.take(bytes_for(1), bytes_for(wanted), selection);
  const std::size_t block = fitting(wanted, workspace->scratch.size());
  NearestSearch search(rows_, pages, block, k, filter != nullptr);
  RowBuffers buffers;
  measure(block, workspace->scratch.data(), search, buffers);
  for (std::size_t first = 0; first < count; first += block) {
    const GpuFigures found =
        answer(first, std::min(block, count - first), search, buffers, *workspace);
    queries_ += found.queries;
    uncertified_ += found.uncertified;
  }
}

Neighbors GpuFlatSearcher::nearest(std::span<const float> queries, std::size_t k,
                                   const SearchOptions& options) const {
  check_k(k, rows());
  check_filter(options.filter, rows());
  const std::size_t count = check_queries(dimension(), queries);
  Neighbors result = make_neighbors(metric(), count, k);
  if (count == 0) return result;
  for_each_block(
      count, k, options.filter, true,
      [&](std::size_t first, std::size_t some, NearestSearch& search, RowBuffers& buffers,
          Workspace& workspace) {
        const Stream& stream = workspace.stream;
        copy_to_gpu(buffers.queries, queries.data() + first * dimension(), some * dimension(),
                    stream);
        const GpuFigures figures =
            search.run(buffers.queries, some, buffers.rows, buffers.distances, workspace);
        copy_to_host(result.rows.data() + first * k, buffers.rows, some * k, stream);
        copy_to_host(result.distances.data() + first * k, buffers.distances, some * k, stream);
        stream.synchronize();
        return figures;
      });
  return result;
}

bool GpuFlatSearcher::nearest_on_gpu(const float* queries, std::size_t count, std::size_t k,
                                     std::int32_t* rows, float* distances,
                                     const SearchOptions& /*options*/) const {
  check_k(k, this->rows());
  if (count == 0) return true;
  for_each_block(count, k, nullptr, false,
                 [&](std::size_t first, std::size_t some, NearestSearch& search, RowBuffers&,
                     Workspace& workspace) {
                   const GpuFigures figures =
                       search.run(queries + first * dimension(), some, rows + first * k,
                                  distances + first * k, workspace);
                   workspace.stream.synchronize();
                   return figures;
                 });
  return true;
}

/// Rows are counted, then listed.
RangeNeighbors GpuFlatSearcher::within(std::span<const float> queries, float radius,
                                       const SearchOptions& options) const {
  check_radius(radius);
  check_filter(options.filter, rows());
  check_queries(dimension(), queries);
  return search_range(rows_, pool_, queries, radius, options.filter);
}

}  // namespace

std::unique_ptr<VectorSearcher> make_gpu_searcher(const FlatVectors& vectors, Resources& resources,
                                                  const GpuSearchSettings& settings) {
  return std::make_unique<GpuFlatSearcher>(vectors, resources, settings);
}

}  // namespace warpdex::vector
