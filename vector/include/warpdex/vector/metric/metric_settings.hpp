// What a permutation index is made of, how it is built and searched, and what is found: values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace warpdex::metric {

enum class DistanceKind : std::uint8_t {
  kLevenshtein,  ///< of texts: insertions, deletions and substitutions
  kHamming,      ///< of texts of one length: bytes that differ
  kJaccard,      ///< of sets of words: 1 - common words / all words; of two empty sets 0
  kL1,           ///< of vectors: the sum of the differences
  kL2,           ///< of vectors: Euclidean distance, the root of the sum of squares
  kAngular,      ///< of vectors: the angle between them, 0 to pi
};

/// "levenshtein", "hamming", "jaccard", "l1", "l2" or "angular".
std::string_view distance_name(DistanceKind kind);
/// Throws UsageError, which lists the names, for another.
DistanceKind distance_from_name(std::string_view name);
constexpr bool is_of_vectors(DistanceKind kind) { return kind >= DistanceKind::kL1; }

/// What one edit changes.
enum class TextUnit : std::uint8_t {
  kBytes,
  kCodePoints,  ///< of UTF-8; each byte that is no part of UTF-8 counts as one of its own
};

struct ObjectSettings {
  DistanceKind distance = DistanceKind::kLevenshtein;
  TextUnit unit = TextUnit::kBytes;  ///< of kLevenshtein
  std::size_t dimension = 0;         ///< of vectors
};

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

struct PermutationSettings {
  std::size_t permutants = 128;  ///< 1 to kMaxPermutants, and to the number of objects
  Choice choice = Choice::kRandom;
  std::uint64_t seed = 1;
  std::size_t threads = 0;  ///< 0: default_threads()
};

/// Called with the number of distances computed so far and of all; what it throws ends the work.
using MetricProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;

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

}  // namespace warpdex::metric
