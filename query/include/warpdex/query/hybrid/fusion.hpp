// How the answers of a text search and of a vector search become one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warpdex/query/search.hpp"
#include "warpdex/vector/metric.hpp"

namespace warpdex {

/// What the two halves do together. `depth` documents each half finds, N below.
enum class Fusion {
  kReciprocalRank,  ///< adds up 1 / (60 + rank) over the halves (reciprocal rank fusion)
  kConvex,          ///< adds up the halves' scores, each brought to 0 to 1 by its N best
  kRerank,          ///< the N best by text, ranked anew by their vectors
  kFilter,          ///< the nearest vectors among all documents that match the text query
  kNeighbors,       ///< the best by text among the documents of the N nearest vectors
};

/// "rrf", "convex", "rerank", "filter" or "neighbors"; UsageError for any other.
Fusion fusion_from_name(std::string_view name);

struct FusionSettings {
  Fusion fusion = Fusion::kReciprocalRank;
  float weight = 0.5F;         ///< of the text half, 0 to 1; of kReciprocalRank and kConvex
  std::uint32_t depth = 1000;  ///< 1 to kMaxK

  /// Throws UsageError where a setting is outside its range.
  void validate() const;
};

/// Joins the answers of the halves, each best first, by kReciprocalRank or kConvex: the k best
/// documents, equal scores by docID. A document that a half lacks gets nothing from it.
///
/// Reciprocal rank: twice weight / (60 + rank) by text, and twice (1 - weight) / (60 + rank) by
/// vectors; ranks count from 1. Convex: weight * score / best score, and (1 - weight) * (s - least)
/// / (largest - least), where s are products, or squared distances with their signs turned, and
/// least and largest those of the half's answer; 1 where all are equal. O(hits + k log k).
std::vector<Hit> fuse(std::span<const Hit> text, std::span<const Hit> vectors,
                      vector::Metric metric, const FusionSettings& settings, std::uint32_t k);

}  // namespace warpdex
