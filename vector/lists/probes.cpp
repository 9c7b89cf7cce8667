// Checks, exact search among centroids, and a counting sort of (query, list) pairs.
#include "lists/probes.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {

void check_probes(std::size_t probes, std::size_t lists) {
  if (probes >= 1 && probes <= lists) return;
  throw UsageError("the number of probes is " + std::to_string(probes) +
                   "; it is from 1 to the number of lists, " + std::to_string(lists));
}

void check_refine(bool keeps_vectors, std::size_t refine) {
  if (refine == 0 || keeps_vectors) return;
  throw UsageError(
      "the index keeps no vectors to refine answers by; search without refining, or build it "
      "again with its vectors");
}

Neighbors choose_lists(const FlatSearcher& coarse, const PreparedQueries& prepared,
                       std::size_t dimension, std::size_t probes) {
  std::vector<float> queries;
  queries.reserve(prepared.count * dimension);
  for (std::size_t q = 0; q < prepared.count; ++q) {
    queries.insert(queries.end(), prepared.query(q), prepared.query(q) + dimension);
  }
  return coarse.nearest(queries, probes);
}

ListProbes invert_probes(const Neighbors& nearest, std::size_t lists) {
  ListProbes probes{std::vector<std::uint64_t>(lists + 1),
                    std::vector<std::uint32_t>(nearest.rows.size())};
  for (const std::int32_t list : nearest.rows) {
    if (list >= 0) ++probes.begins[static_cast<std::size_t>(list) + 1];
  }
  for (std::size_t list = 0; list < lists; ++list) probes.begins[list + 1] += probes.begins[list];
  std::vector<std::uint64_t> next(probes.begins.begin(), probes.begins.end() - 1);
  for (std::size_t i = 0; i < nearest.rows.size(); ++i) {
    if (nearest.rows[i] < 0) continue;
    const auto list = static_cast<std::size_t>(nearest.rows[i]);
    probes.queries[next[list]++] = static_cast<std::uint32_t>(i / nearest.k);
  }
  return probes;
}

std::vector<std::uint32_t> order_by_work(const ListProbes& probes,
                                         std::span<const std::uint64_t> begins) {
  const auto work = [&](std::uint32_t list) {
    return (begins[list + 1] - begins[list]) * probes.of(list).size();
  };
  std::vector<std::uint32_t> order;
  for (std::uint32_t list = 0; list + 1 < begins.size(); ++list) {
    if (work(list) > 0) order.push_back(list);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return work(a) > work(b); });
  return order;
}

}  // namespace warpdex::vector
