// Queries over a generated collection.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "generate/collection_model.hpp"
#include "generate/vocabulary.hpp"

namespace warpdex::generate {

/// A query: ranks of its distinct terms. Those from Vocabulary::terms() on are unknown.
using RankQuery = std::vector<std::uint32_t>;

/// Draws queries whose numbers of terms and document frequencies are distributed as the model says,
/// shifted such that the document frequencies of a query's known terms add up to `mean_postings` on
/// average, as near as that can be (within 1 % from some hundred queries on). Terms of a query tend
/// to share a topic; popular topics and terms repeat.
std::vector<RankQuery> draw_queries(std::uint64_t seed, const QueryModel& model,
                                    const Vocabulary& vocabulary, std::uint32_t documents,
                                    std::size_t queries, double mean_postings);

}  // namespace warpdex::generate
