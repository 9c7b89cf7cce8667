// Takes list by list, each with the queries that probe it.
#include "lists/row_list_search.hpp"

#include <oneapi/tbb/spin_mutex.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <limits>
#include <vector>

#include "flat/flat_task.hpp"
#include "flat/nearest_keys.hpp"
#include "flat/run_tasks.hpp"
#include "lists/list_searcher.hpp"
#include "lists/probes.hpp"

namespace warpdex::vector {
namespace {

using Lock = oneapi::tbb::spin_mutex::scoped_lock;

constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

/// The answers of one query so far; lists that are searched at the same time share it.
class SharedNearest {
 public:
  SharedNearest(std::size_t k, std::size_t count) : limit_(kAll), keys_(k, count) {}

  std::uint64_t limit() const { return limit_.load(std::memory_order_relaxed); }
  void add(std::span<const std::uint64_t> keys) {
    const Lock lock(mutex_);
    for (const std::uint64_t key : keys) {
      if (key <= keys_.limit()) keys_.add(key);
    }
    limit_.store(keys_.limit(), std::memory_order_relaxed);
  }
  std::vector<std::uint64_t> take() { return keys_.take(); }

 private:
  oneapi::tbb::spin_mutex mutex_;
  std::atomic<std::uint64_t> limit_;
  NearestKeys keys_;
};

/// Likewise all that is within a radius.
class SharedWithin {
 public:
  explicit SharedWithin(std::uint64_t limit) : limit_(limit) {}

  std::uint64_t limit() const { return limit_; }
  void add(std::span<const std::uint64_t> keys) {
    const Lock lock(mutex_);
    keys_.insert(keys_.end(), keys.begin(), keys.end());
  }
  std::vector<std::uint64_t> take() {
    std::sort(keys_.begin(), keys_.end());
    return std::move(keys_);
  }

 private:
  oneapi::tbb::spin_mutex mutex_;
  std::uint64_t limit_;
  std::vector<std::uint64_t> keys_;
};

/// Some queries beside each other, as a task takes them.
struct GatheredQueries {
  std::vector<float> values;
  std::vector<std::uint64_t> limits;
};

template <class Shared>
GatheredQueries gather(const PreparedQueries& prepared, std::span<const std::uint32_t> queries,
                       std::deque<Shared>& answers) {
  GatheredQueries gathered;
  gathered.values.reserve(queries.size() * prepared.stride);
  for (const std::uint32_t q : queries) {
    gathered.values.insert(gathered.values.end(), prepared.query(q),
                           prepared.query(q) + prepared.stride);
    gathered.limits.push_back(answers[q].limit());
  }
  return gathered;
}

/// Searches all lists for the queries that probe them. Where a list has many queries,
/// multiply(task) gives their keys.
template <class Shared, class Multiply>
void search_lists(const Lists<RowCoding>& vectors, const PreparedQueries& prepared,
                  const ListProbes& probes, const RowFilter* filter, std::size_t max_queries,
                  std::size_t threads, std::deque<Shared>& answers, const Multiply& multiply) {
  const auto search_list = [&](std::uint32_t list) {
    const std::span<const std::uint32_t> all = probes.of(list);
    for (std::size_t first = 0; first < all.size(); first += max_queries) {
      const std::span<const std::uint32_t> queries =
          all.subspan(first, std::min(max_queries, all.size() - first));
      const GatheredQueries gathered = gather(prepared, queries, answers);
      const FlatTask task{vectors.vectors,          filter,
                          gathered.values.data(),   prepared.stride,
                          queries.size(),           vectors.begins[list],
                          vectors.begins[list + 1], gathered.limits.data()};
      if (queries.size() < kMinProductQueries) {
        scan_keys(
            task, [&](std::size_t q) { return answers[queries[q]].limit(); },
            [&](std::size_t q, std::span<const std::uint64_t> keys) {
              answers[queries[q]].add(keys);
            });
        continue;
      }
      const TaskAnswers found = multiply(task);
      for (std::size_t i = 0; i < queries.size(); ++i) answers[queries[i]].add(found[i]);
    }
  };
  const std::vector<std::uint32_t> order = order_by_work(probes, vectors.begins);
  run_tasks(threads, order.size(), [&](std::size_t i) { search_list(order[i]); });
}

}  // namespace

Neighbors RowListSearch::nearest(std::size_t k) const {
  const FlatVectors& flat = lists_.vectors;
  std::deque<SharedNearest> answers;
  for (std::size_t q = 0; q < prepared_.count; ++q) answers.emplace_back(k, flat.vectors.rows);
  search_lists(lists_, prepared_, invert_probes(probed_, lists_.lists()), options_.filter,
               max_product_queries(flat, k), threads_, answers,
               [k](const FlatTask& task) { return multiply_nearest(task, k); });
  Neighbors result = make_neighbors(flat.metric, prepared_.count, k);
  for (std::size_t q = 0; q < prepared_.count; ++q) {
    set_answers(flat.metric, q, answers[q].take(), result);
  }
  return result;
}

RangeNeighbors RowListSearch::within(float radius) const {
  const FlatVectors& flat = lists_.vectors;
  const float limit = ascending(flat.metric, radius);
  std::deque<SharedWithin> answers;
  for (std::size_t q = 0; q < prepared_.count; ++q) {
    answers.emplace_back(order_key(limit, ~std::uint32_t{0}));
  }
  search_lists(lists_, prepared_, invert_probes(probed_, lists_.lists()), options_.filter,
               max_product_queries(flat, 1), threads_, answers,
               [limit](const FlatTask& task) { return multiply_within(task, limit); });
  RangeNeighbors result;
  result.offsets.push_back(0);
  for (SharedWithin& answer : answers) add_answers(flat.metric, answer.take(), result);
  return result;
}

template std::unique_ptr<VectorSearcher> make_cpu_searcher(const Lists<RowCoding>&, std::size_t);

}  // namespace warpdex::vector
