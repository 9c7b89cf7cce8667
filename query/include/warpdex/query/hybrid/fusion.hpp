// Joins the answers of a text search and of a vector search.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/query/hybrid/fusion_settings.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/metric.hpp"

namespace warpdex {

/// Whether hits that `fusion` ranks have distances for scores, smaller ones better: those that are
/// ranked by their vectors (kRerank, kFilter), where the metric is a distance.
bool scores_are_distances(Fusion fusion, vector::Metric metric);

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
