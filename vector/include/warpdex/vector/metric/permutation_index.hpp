// The permutation index: objects that see a few chosen objects, the permutants, in the same order
// of distance are probably near. Chávez, Figueroa, Navarro, "Effective proximity retrieval by
// ordering permutations", 2008; many queries at once: Lopresti, Miranda, Barrionuevo, Piccoli,
// Reyes, "Evaluating tradeoff between recall and performance of GPU permutation index".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/vector/metric/metric_settings.hpp"
#include "warpdex/vector/metric/metric_space.hpp"

namespace warpdex::metric {

/// The ranks of the permutants for each object: which place (from 0) each has among all, by its
/// distance from the object, equal distances in the order of permutants.
struct Permutations {
  std::size_t objects = 0;
  std::size_t permutants = 0;
  /// One entry a permutant, of 1 byte for up to 256 permutants, else of 2; rows are padded with
  /// zeros to a multiple of kRankPadding entries.
  const void* ranks = nullptr;
};

/// The number of entries of a row of ranks is a multiple of this.
inline constexpr std::size_t kRankPadding = 32;

/// Bytes of an entry: 1 or 2.
constexpr std::size_t rank_bytes(std::size_t permutants) { return permutants <= 256 ? 1 : 2; }
/// Entries from one row to the next.
constexpr std::size_t rank_stride(std::size_t permutants) {
  return (permutants + kRankPadding - 1) / kRankPadding * kRankPadding;
}

/// Objects of the space, each once. Throws UsageError for a number of permutants out of range.
/// kFarthest takes permutants · objects distances.
std::vector<std::uint32_t> choose_permutants(const MetricSpace& space,
                                             const PermutationSettings& settings,
                                             const MetricProgress& progress = {});

/// The rows of ranks, permutants · objects distances. Throws UsageError for permutants that are
/// not objects, or none, or too many.
std::vector<std::uint8_t> rank_permutants(const MetricSpace& space,
                                          std::span<const std::uint32_t> permutants,
                                          std::size_t threads = 0,
                                          const MetricProgress& progress = {});

/// Gives the distances from a query, by its number; from several threads at once.
using PrepareQuery = std::function<std::unique_ptr<DistanceFrom>(std::size_t query)>;

/// Searches a space by its permutations. Immutable; any number of threads may use it. The first
/// search by RankDistance::kBits makes codes of all permutations, which stay: 3 bits for each
/// permutant and object.
///
/// A query takes permutants + compared objects distances. Unless all objects are compared, its
/// permutation is compared with those of all objects, each in O(permutants), by kTau in
/// O(permutants * (1 + permutants / 64)).
class PermutationSearcher {
 public:
  /// The arguments must outlive it. Throws UsageError if their numbers of permutants or objects
  /// differ.
  PermutationSearcher(const MetricSpace& space, std::span<const std::uint32_t> permutants,
                      const Permutations& permutations);

  /// The k nearest of those compared, or all if there are fewer objects; k is 1 or more. Throws
  /// UsageError.
  Matches nearest(std::size_t queries, const PrepareQuery& prepare, std::size_t k,
                  const MetricSearchSettings& settings = {}) const;
  /// All of those compared that are at most `radius` away. Throws UsageError for a negative radius
  /// or NaN.
  Matches within(std::size_t queries, const PrepareQuery& prepare, float radius,
                 const MetricSearchSettings& settings = {}) const;

 private:
  struct Codes;

  const MetricSpace& space_;
  std::span<const std::uint32_t> permutants_;
  Permutations permutations_;
  std::shared_ptr<Codes> codes_;
};

}  // namespace warpdex::metric
