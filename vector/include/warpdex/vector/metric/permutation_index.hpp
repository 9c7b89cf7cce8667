// The permutation index: objects that see a few chosen objects, the permutants, in the same order
// of distance are probably near. Chávez, Figueroa, Navarro, "Effective proximity retrieval by
// ordering permutations", 2008; many queries at once: Lopresti, Miranda, Barrionuevo, Piccoli,
// Reyes, "Evaluating tradeoff between recall and performance of GPU permutation index".
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "warpdex/vector/metric/metric_space.hpp"

namespace warpdex::metric {

/// Objects are named by 31 bits.
inline constexpr std::size_t kMaxObjects = (std::size_t{1} << 31) - 1;
/// The maximum number of permutants of an index.
inline constexpr std::size_t kMaxPermutants = 2048;

/// How permutants are chosen.
enum class Choice : std::uint8_t {
  kRandom,
  kFarthest,  ///< the first at random, then always the object farthest from those chosen
};

/// "random" or "farthest".
std::string_view choice_name(Choice choice);
/// Throws UsageError, which lists the names, for another.
Choice choice_from_name(std::string_view name);

/// How permutations are compared.
enum class RankDistance : std::uint8_t {
  kFootrule,  ///< Spearman's footrule: the sum of the differences of ranks
  kRho,       ///< Spearman's rho: the sum of their squares
  kTau,       ///< Kendall's tau: the pairs of permutants in opposite order
  kBits,      ///< ranks as numbers of 3 bits, by the scan of binary codes: a coarse rho
};

/// "footrule", "rho", "tau" or "bits".
std::string_view rank_distance_name(RankDistance distance);
/// Throws UsageError, which lists the names, for another.
RankDistance rank_distance_from_name(std::string_view name);

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

struct PermutationSettings {
  std::size_t permutants = 128;  ///< 1 to kMaxPermutants, and to the number of objects
  Choice choice = Choice::kRandom;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< 0: default_threads()
};

/// Called with the number of distances computed so far and of all; what it throws ends the work.
using MetricProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

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

struct MetricSearchSettings {
  /// The part of the objects, over 0 and up to 1, that is compared by the true distance: those
  /// whose permutations are the most similar to the query's, rounded up to a whole number, and at
  /// least k. None: all objects are compared, and the answers are exact.
  std::optional<double> share = 0.1;
  RankDistance compare = RankDistance::kFootrule;
  std::size_t threads = 0;  ///< 0: default_threads()
};

struct Match {
  std::uint32_t object;
  float distance;
};

/// What is found for each query: nearest first, equal distances in the order of objects.
using Matches = std::vector<std::vector<Match>>;

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
