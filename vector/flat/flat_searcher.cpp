// Checks the arguments, cuts a search into tasks for the threads, and joins their answers.
#include "warpdex/vector/flat/flat_searcher.hpp"

#include <algorithm>
#include <vector>

#include "flat/flat_task.hpp"
#include "flat/run_tasks.hpp"
#include "flat/search_input.hpp"
#include "flat/searchers.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {
namespace {

/// Rows of a task are no fewer than this, unless there are no more.
constexpr std::size_t kMinTaskRows = 512;
/// Tasks for each thread, so that none waits long for the last.
constexpr std::size_t kTasksPerThread = 4;

/// How a search is cut: blocks of queries times slices of rows.
struct Cut {
  std::size_t block_queries;
  std::size_t blocks;
  std::size_t slice_rows;
  std::size_t slices;
};

std::size_t divide_up(std::size_t a, std::size_t b) { return (a + b - 1) / b; }

Cut cut_search(std::size_t queries, std::size_t rows, std::size_t block_queries,
               std::size_t threads) {
  Cut cut{};
  cut.block_queries = block_queries;
  cut.blocks = divide_up(queries, block_queries);
  const std::size_t wanted =
      divide_up(threads * kTasksPerThread, std::max<std::size_t>(1, cut.blocks));
  const std::size_t slices =
      threads == 1
          ? 1
          : std::clamp<std::size_t>(wanted, 1, std::max<std::size_t>(1, rows / kMinTaskRows));
  cut.slice_rows = divide_up(rows, slices);
  cut.slices = divide_up(rows, std::max<std::size_t>(1, cut.slice_rows));
  return cut;
}

/// Runs answer(task) for all parts of the search; result[block][slice].
template <class Answer>
std::vector<std::vector<TaskAnswers>> search_parts(const FlatVectors& vectors,
                                                   const RowFilter* filter,
                                                   const PreparedQueries& queries, const Cut& cut,
                                                   std::size_t threads, const Answer& answer) {
  std::vector<std::vector<TaskAnswers>> results(cut.blocks, std::vector<TaskAnswers>(cut.slices));
  run_tasks(threads, cut.blocks * cut.slices, [&](std::size_t part) {
    const std::size_t block = part / cut.slices;
    const std::size_t slice = part % cut.slices;
    const std::size_t first_query = block * cut.block_queries;
    const std::size_t first_row = slice * cut.slice_rows;
    const FlatTask task{vectors,
                        filter,
                        queries.values.data() + first_query * queries.stride,
                        queries.stride,
                        std::min(cut.block_queries, queries.count - first_query),
                        first_row,
                        std::min(first_row + cut.slice_rows, vectors.vectors.rows)};
    results[block][slice] = answer(task);
  });
  return results;
}

/// The answers of one query from all slices.
std::vector<std::uint64_t> join(std::vector<TaskAnswers>& slices, std::size_t query) {
  std::vector<std::uint64_t> keys = std::move(slices[0][query]);
  for (std::size_t slice = 1; slice < slices.size(); ++slice) {
    const std::vector<std::uint64_t>& more = slices[slice][query];
    keys.insert(keys.end(), more.begin(), more.end());
  }
  return keys;
}

}  // namespace

FlatSearcher::FlatSearcher(const FlatVectors& vectors, std::size_t threads)
    : vectors_(vectors), threads_(threads == 0 ? default_threads() : threads) {
  check_vectors(vectors.vectors);
}

std::unique_ptr<VectorSearcher> make_cpu_searcher(const FlatVectors& vectors, std::size_t threads) {
  return std::make_unique<FlatSearcher>(vectors, threads);
}

Neighbors FlatSearcher::nearest(std::span<const float> queries, std::size_t k,
                                const SearchOptions& options) const {
  const std::size_t rows = vectors_.vectors.rows;
  check_k(k, rows);
  check_filter(options.filter, rows);
  const PreparedQueries prepared =
      prepare_queries(vectors_.metric, vectors_.vectors.dimension, queries);
  Neighbors result = make_neighbors(vectors_.metric, prepared.count, k);
  const bool is_scan = prepared.count < kMinProductQueries;
  const std::size_t block = is_scan ? kMinProductQueries : max_product_queries(vectors_, k);
  const Cut cut = cut_search(prepared.count, rows, block, threads_);
  const auto answer = [&](const FlatTask& task) {
    return is_scan ? scan_nearest(task, k) : multiply_nearest(task, k);
  };
  auto parts = search_parts(vectors_, options.filter, prepared, cut, threads_, answer);
  for (std::size_t q = 0; q < prepared.count; ++q) {
    std::vector<std::uint64_t> keys = join(parts[q / block], q % block);
    if (cut.slices > 1) keep_nearest(keys, k);
    set_answers(vectors_.metric, q, keys, result);
  }
  return result;
}

RangeNeighbors FlatSearcher::within(std::span<const float> queries, float radius,
                                    const SearchOptions& options) const {
  check_radius(radius);
  check_filter(options.filter, vectors_.vectors.rows);
  const PreparedQueries prepared =
      prepare_queries(vectors_.metric, vectors_.vectors.dimension, queries);
  const float limit = ascending(vectors_.metric, radius);
  const bool is_scan = prepared.count < kMinProductQueries;
  const std::size_t block = is_scan ? kMinProductQueries : max_product_queries(vectors_, 1);
  const Cut cut = cut_search(prepared.count, vectors_.vectors.rows, block, threads_);
  const auto answer = [&](const FlatTask& task) {
    return is_scan ? scan_within(task, limit) : multiply_within(task, limit);
  };
  auto parts = search_parts(vectors_, options.filter, prepared, cut, threads_, answer);
  RangeNeighbors result;
  result.offsets.push_back(0);
  for (std::size_t q = 0; q < prepared.count; ++q) {
    std::vector<std::uint64_t> keys;
    if (cut.slices > 0) keys = join(parts[q / block], q % block);
    if (cut.slices > 1) std::sort(keys.begin(), keys.end());
    add_answers(vectors_.metric, keys, result);
  }
  return result;
}

}  // namespace warpdex::vector
