// The checked arguments of a permutation index and its searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

struct SearchArguments {
  std::size_t k;         ///< 0: all within the radius
  float radius;          ///< where k is 0
  std::size_t compared;  ///< objects that are compared by the true distance; all: none is ranked
};

/// Throw UsageError as PermutationSearcher's functions do.
SearchArguments nearest_arguments(std::size_t objects, std::size_t k,
                                  const MetricSearchSettings& settings);
SearchArguments within_arguments(std::size_t objects, float radius,
                                 const MetricSearchSettings& settings);

/// Throw UsageError as choose_permutants() and rank_permutants() do.
void check_permutant_count(std::size_t objects, std::size_t permutants);
void check_permutants(std::size_t objects, std::span<const std::uint32_t> permutants);

/// Throws UsageError if the numbers of permutants or objects differ from those of the permutations.
void check_permutations(std::size_t objects, std::size_t permutants,
                        const Permutations& permutations);

/// The order of answers.
inline bool is_before(const Match& a, const Match& b) {
  return a.distance != b.distance ? a.distance < b.distance : a.object < b.object;
}

}  // namespace warpdex::metric
