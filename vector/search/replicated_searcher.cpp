// Shares out the queries, and puts the answers one after the other.
#include "warpdex/vector/search/replicated_searcher.hpp"

#include <algorithm>

#include "flat/search_input.hpp"
#include "search/parts.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

ReplicatedSearcher::ReplicatedSearcher(std::vector<Shard> replicas)
    : JointSearcher(std::move(replicas)) {
  if (parts_.empty()) throw UsageError("there is no replica to search; give one or more");
  for (const Shard& replica : parts_) {
    if (replica.searcher->metric() != metric() || replica.searcher->dimension() != dimension() ||
        replica.searcher->rows() != rows()) {
      throw UsageError("replicas are of the same vectors; '" + replica.name +
                       "' is not of those of '" + parts_.front().name + "'");
    }
  }
}

/// Calls take(part, searcher, first, queries) for each part of the queries, where `first` is the
/// number of its first query.
template <class Take>
void ReplicatedSearcher::share_out(std::span<const float> queries, const Take& take) const {
  if (queries.size() % dimension() != 0) check_queries(dimension(), queries);
  const std::size_t count = queries.size() / dimension();
  const std::size_t parts = std::max<std::size_t>(1, std::min(count, parts_.size()));
  const std::size_t first_replica = next_.fetch_add(parts, std::memory_order_relaxed);
  try {
    threads_.parallel_for(parts, parts, [&](std::size_t /*thread*/, std::size_t part) {
      const Shard& replica = parts_[(first_replica + part) % parts_.size()];
      const std::size_t first = count * part / parts;
      const std::size_t last = count * (part + 1) / parts;
      with_name(replica.name, [&] {
        take(part, *replica.searcher, first,
             queries.subspan(first * dimension(), (last - first) * dimension()));
      });
    });
  } catch (const UsageError&) {
    check_queries(dimension(), queries);  // says which query it is, of all of them
    throw;
  }
}

Neighbors ReplicatedSearcher::nearest(std::span<const float> queries, std::size_t k,
                                      const SearchOptions& options) const {
  check_k(k, rows());
  Neighbors all = make_neighbors(metric(), queries.size() / dimension(), k);
  share_out(queries, [&](std::size_t /*part*/, const VectorSearcher& replica, std::size_t first,
                         std::span<const float> some) {
    const Neighbors found = replica.nearest(some, k, options);
    std::copy(found.rows.begin(), found.rows.end(),
              all.rows.begin() + static_cast<std::ptrdiff_t>(first * k));
    std::copy(found.distances.begin(), found.distances.end(),
              all.distances.begin() + static_cast<std::ptrdiff_t>(first * k));
  });
  return all;
}

RangeNeighbors ReplicatedSearcher::within(std::span<const float> queries, float radius,
                                          const SearchOptions& options) const {
  std::vector<RangeNeighbors> parts(parts_.size());
  share_out(queries, [&](std::size_t part, const VectorSearcher& replica, std::size_t /*first*/,
                         std::span<const float> some) {
    parts[part] = replica.within(some, radius, options);
  });
  RangeNeighbors all = std::move(parts.front());
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    const std::uint64_t begin = all.rows.size();
    for (std::size_t i = 1; i < part->offsets.size(); ++i) {
      all.offsets.push_back(begin + part->offsets[i]);
    }
    all.rows.insert(all.rows.end(), part->rows.begin(), part->rows.end());
    all.distances.insert(all.distances.end(), part->distances.begin(), part->distances.end());
  }
  return all;
}

}  // namespace warpdex::vector
