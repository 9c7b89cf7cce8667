// Impacts: BM25 or learned weights in whole numbers from 1 to 255, in one unit for all lists of an
// index, so that a search only adds them up.
#pragma once

#include <cstdint>
#include <span>

#include "warpdex/indexer/format/bm25.hpp"
#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// The largest impact. The smallest is 1: 0 would look like no match.
inline constexpr std::uint32_t kMaxImpact = 255;
/// The largest static score of an index of impacts, in the impacts' unit.
inline constexpr std::uint32_t kMaxStaticImpact = 1U << 20;

/// Quantises scores linearly: `largest` becomes kMaxImpact, others the nearest whole number.
class ImpactQuantizer {
 public:
  /// Scores by BM25 (lucene) with the settings' k1 and b, where `settings.largest` is not read; or
  /// takes weights, of which 255 (kWholeWeights) or `settings.largest` becomes kMaxImpact. Throws
  /// UsageError as check_impact_settings() does.
  ImpactQuantizer(const ImpactSettings& settings, const CollectionStatistics& statistics);

  /// An upper bound of all scores that is known before any list: of BM25, the limit of the score of
  /// a term in a single document as its frequency grows.
  double largest() const { return largest_; }

  /// 1 to kMaxImpact; NaN becomes 1.
  std::uint8_t impact(double score) const;

  /// A document's static score (finite, 0 or more) in the same unit: whole, 0 to kMaxStaticImpact.
  /// Throws UsageError for one above largest_static().
  float static_impact(float static_score) const;

  /// The largest static score that static_impact() takes.
  double largest_static() const;

  /// BM25's impacts of a term's whole list: docIDs, frequencies, and the lengths of all documents.
  /// `impacts` has room for as many; it may be `frequencies`.
  void quantize(std::span<const std::uint32_t> docids, std::span<const std::uint32_t> frequencies,
                std::span<const std::uint32_t> lengths, std::span<std::uint32_t> impacts) const;

 private:
  ImpactSettings settings_;
  CollectionStatistics statistics_;
  double largest_;
};

}  // namespace warpdex
