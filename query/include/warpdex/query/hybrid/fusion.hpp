// Joins the answers of a text search and of a vector search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "warpdex/query/search.hpp"
#include "warpdex/vector/metric.hpp"

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

/// Whether hits that `fusion` ranks have distances for scores, smaller ones better: those that are
/// ranked by their vectors (kRerank, kFilter), where the metric is a distance.
bool scores_are_distances(Fusion fusion, vector::Metric metric);

struct FusionSettings {
  Fusion fusion = Fusion::kReciprocalRank;
  float weight = 0.5F;         ///< of the text half, 0 to 1; only for kReciprocalRank and kConvex
  std::uint32_t depth = 1000;  ///< documents that each half finds, 1 to kMaxK

  /// Throws UsageError where a setting is outside its range.
  void validate() const;
};

/// Joins the answers of the halves, each best first, by kReciprocalRank or kConvex. Returns the k
/// best documents, equal scores by docID. A half that lacks a document adds nothing to its score.
///
/// Reciprocal rank: 2 * weight / (60 + rank by text) + 2 * (1 - weight) / (60 + rank by vectors);
/// ranks count from 1. Convex: weight * score / best score + (1 - weight) * (s - smallest) /
/// (largest - smallest). Here s is the inner product, or the negative squared distance; smallest
/// and largest are those of the vector half's answer; if all are equal, the fraction is 1. O(hits +
/// k log k).
std::vector<Hit> fuse(std::span<const Hit> text, std::span<const Hit> vectors,
                      vector::Metric metric, const FusionSettings& settings, std::uint32_t k);

}  // namespace warpdex
