// How the two halves of a search by words and vectors are joined.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpdex {

/// How the two halves, text and vectors, are combined. N is FusionSettings::depth, the number of
/// documents that each half finds.
enum class Fusion {
  kReciprocalRank,  ///< adds up 1 / (60 + rank) over the halves (reciprocal rank fusion)
  kConvex,          ///< adds up the halves' scores, each scaled to 0 to 1 over its N best
  kRerank,          ///< the N best by text, ranked again by their vectors
  kFilter,          ///< the nearest vectors among all documents that match the text query
  kNeighbors,       ///< the best by text among the documents of the N nearest vectors
};

/// "rrf", "convex", "rerank", "filter" or "neighbors"; UsageError for any other.
Fusion fusion_from_name(std::string_view name);

struct FusionSettings {
  Fusion fusion = Fusion::kReciprocalRank;
  float weight = 0.5F;         ///< of the text half, 0 to 1; only for kReciprocalRank and kConvex
  std::uint32_t depth = 1000;  ///< documents that each half finds, 1 to kMaxK
  // Of the search for the nearest vectors, where the index has lists or codes of them.
  std::size_t probes = 16;   ///< lists that it looks into, 1 or more; at most all of a segment's
  std::size_t refine = 100;  ///< so many of the best by codes, or all that it finds if these are
                             ///< more, are ranked again by their vectors; 0: none

  /// Throws UsageError where a setting is outside its range.
  void validate() const;
};

}  // namespace warpdex
