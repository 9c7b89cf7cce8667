// Query by query.
#include "flat/rank_candidates.hpp"

#include <oneapi/tbb/parallel_for.h>

#include <vector>

#include "flat/canonical_distances.hpp"

namespace warpdex::vector {

void rank_candidates(const FlatVectors& vectors, const PreparedQueries& queries, std::size_t first,
                     std::size_t count, std::span<const std::int32_t> found, Neighbors& answers) {
  const std::size_t each = count == 0 ? 0 : found.size() / count;
  oneapi::tbb::parallel_for(std::size_t{0}, count, [&](std::size_t q) {
    std::vector<std::uint64_t> keys;
    for (const std::int32_t row : found.subspan(q * each, each)) {
      if (row >= 0) keys.push_back(static_cast<std::uint32_t>(row));
    }
    rescore_keys(vectors, queries.query(first + q), keys);
    keep_nearest(keys, answers.k);
    set_answers(vectors.metric, first + q, keys, answers);
  });
}

}  // namespace warpdex::vector
