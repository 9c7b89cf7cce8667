// Chooses lists by exact search among the centroids, then takes query by query: a query's tables
// stay in a core's cache while codes pass by.
#include "warpdex/vector/ivf/ivf_pq_searcher.hpp"

#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "flat/nearest_keys.hpp"
#include "flat/search_input.hpp"
#include "ivf/code_scan.hpp"
#include "ivf/probes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {
namespace {

/// Vectors that a task scans are no fewer than this on average, unless there are no more.
constexpr std::size_t kMinTaskVectors = 16'384;
/// Tasks for each thread, so that none waits long for the last.
constexpr std::size_t kTasksPerThread = 4;

/// Into how many slices the lists of each query are cut: 1 where there are queries enough.
std::size_t count_slices(const IvfPqVectors& vectors, std::size_t queries, std::size_t probes,
                         std::size_t threads) {
  if (threads == 1 || queries == 0) return 1;
  const std::size_t wanted = (threads * kTasksPerThread + queries - 1) / queries;
  const std::size_t scanned = vectors.rows() / vectors.lists() * probes;
  return std::min({wanted, probes, scanned / kMinTaskVectors + 1});
}

template <class Work>
void run(std::size_t threads, std::size_t items, const Work& work) {
  oneapi::tbb::task_arena arena(
      std::min(static_cast<int>(threads), oneapi::tbb::info::default_concurrency()));
  arena.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, items, work); });
}

/// Calls take(scan, lists) for the lists of each query, nearest first, and returns the keys that it
/// gives: those of each query, from all its slices.
template <class Take>
std::vector<std::vector<std::uint64_t>> search_lists(const IvfPqVectors& vectors,
                                                     const PreparedQueries& prepared,
                                                     const Neighbors& probed,
                                                     const RowFilter* filter, std::size_t threads,
                                                     const Take& take) {
  const std::size_t slices = count_slices(vectors, prepared.count, probed.k, threads);
  std::vector<std::vector<std::uint64_t>> found(prepared.count * slices);
  run(threads, found.size(), [&](std::size_t item) {
    const std::size_t query = item / slices;
    const std::size_t first = item % slices * probed.k / slices;
    const std::size_t last = (item % slices + 1) * probed.k / slices;
    const CodeScan scan(vectors, prepared.query(query), filter);
    found[item] =
        take(scan, std::span(probed.rows).subspan(query * probed.k + first, last - first));
  });
  if (slices == 1) return found;
  std::vector<std::vector<std::uint64_t>> joined(prepared.count);
  for (std::size_t item = 0; item < found.size(); ++item) {
    std::vector<std::uint64_t>& keys = joined[item / slices];
    keys.insert(keys.end(), found[item].begin(), found[item].end());
  }
  return joined;
}

}  // namespace

IvfPqSearcher::IvfPqSearcher(const IvfPqVectors& vectors, std::size_t threads)
    : vectors_(vectors),
      coarse_(vectors.centroids, threads),
      threads_(threads == 0 ? default_threads() : threads) {}

Neighbors IvfPqSearcher::nearest(std::span<const float> queries, std::size_t k, std::size_t probes,
                                 std::size_t refine, const RowFilter* filter) const {
  check_k(k, vectors_.rows());
  check_probes(probes, vectors_.lists());
  check_filter(filter, vectors_.rows());
  check_refine(vectors_, refine);
  const PreparedQueries prepared =
      prepare_queries(vectors_.metric, vectors_.quantizer.dimension, queries);
  const Neighbors probed = choose_lists(coarse_, prepared, vectors_.quantizer.dimension, probes);
  const std::size_t candidates = std::min(std::max(k, refine), vectors_.rows());
  std::vector<std::vector<std::uint64_t>> found = search_lists(
      vectors_, prepared, probed, filter, threads_,
      [&](const CodeScan& scan, std::span<const std::int32_t> lists) {
        NearestKeys keys(candidates, vectors_.rows());
        scan.scan(
            lists, [&] { return keys.limit(); }, [&](std::uint64_t key) { keys.add(key); });
        return keys.take();
      });
  Neighbors result = make_neighbors(vectors_.metric, prepared.count, k);
  run(threads_, prepared.count, [&](std::size_t q) {
    keep_nearest(found[q], candidates);
    if (refine > 0) rescore_keys(vectors_.vectors, prepared.query(q), found[q]);
    keep_nearest(found[q], k);
    set_answers(vectors_.metric, q, found[q], result);
  });
  return result;
}

RangeNeighbors IvfPqSearcher::within(std::span<const float> queries, float radius,
                                     std::size_t probes, const RowFilter* filter) const {
  check_radius(radius);
  check_probes(probes, vectors_.lists());
  check_filter(filter, vectors_.rows());
  const PreparedQueries prepared =
      prepare_queries(vectors_.metric, vectors_.quantizer.dimension, queries);
  const Neighbors probed = choose_lists(coarse_, prepared, vectors_.quantizer.dimension, probes);
  const std::uint64_t limit = order_key(ascending(vectors_.metric, radius), ~std::uint32_t{0});
  std::vector<std::vector<std::uint64_t>> found = search_lists(
      vectors_, prepared, probed, filter, threads_,
      [&](const CodeScan& scan, std::span<const std::int32_t> lists) {
        std::vector<std::uint64_t> keys;
        scan.scan(
            lists, [&] { return limit; }, [&](std::uint64_t key) { keys.push_back(key); });
        return keys;
      });
  RangeNeighbors result;
  result.offsets.push_back(0);
  for (std::vector<std::uint64_t>& keys : found) {
    std::sort(keys.begin(), keys.end());
    add_answers(vectors_.metric, keys, result);
  }
  return result;
}

}  // namespace warpdex::vector
