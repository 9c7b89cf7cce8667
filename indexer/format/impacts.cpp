// Quantises scores to impacts, in double, rounded once.
#include "warpdex/indexer/format/impacts.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"

namespace warpdex {

ImpactQuantizer::ImpactQuantizer(const ImpactSettings& settings,
                                 const CollectionStatistics& statistics)
    : settings_(settings), statistics_(statistics) {
  check_impact_settings(settings);
  if (settings.source != ImpactSource::kBm25) {
    largest_ = settings.source == ImpactSource::kWholeWeights ? kMaxImpact : settings.largest;
    return;
  }
  const double weight =
      bm25_constants(Bm25Form::kLucene, settings.k1, settings.b, statistics, 1).weight;
  largest_ = statistics.documents == 0 ? 1.0 : weight;  // without documents there is no score
}

std::uint8_t ImpactQuantizer::impact(double score) const {
  const double nearest = std::floor(kMaxImpact * (score / largest_) + 0.5);
  // Written so that NaN becomes 1.
  return static_cast<std::uint8_t>(nearest > 1.0 ? std::min<double>(nearest, kMaxImpact) : 1.0);
}

float ImpactQuantizer::static_impact(float static_score) const {
  const double nearest = std::floor(kMaxImpact * (static_score / largest_) + 0.5);
  if (nearest > kMaxStaticImpact) {
    throw UsageError("a static score of " + std::to_string(static_score) +
                     " is too large for impacts, which take at most " +
                     std::to_string(largest_static()) +
                     " here; divide all static scores by one number");
  }
  return static_cast<float>(nearest);
}

double ImpactQuantizer::largest_static() const { return kMaxStaticImpact * largest_ / kMaxImpact; }

void ImpactQuantizer::quantize(std::span<const std::uint32_t> docids,
                               std::span<const std::uint32_t> frequencies,
                               std::span<const std::uint32_t> lengths,
                               std::span<std::uint32_t> impacts) const {
  const Bm25Constants score =
      bm25_constants(Bm25Form::kLucene, settings_.k1, settings_.b, statistics_, docids.size());
  for (std::size_t i = 0; i < docids.size(); ++i) {
    impacts[i] = impact(score(frequencies[i], lengths[docids[i]]));
  }
}

void check_bm25_settings(double k1, double b) {
  // Written so that NaN fails each of them.
  if (!(k1 >= 0.0) || !std::isfinite(static_cast<float>(k1))) {
    throw UsageError("k1 is " + shortest(k1) + "; give a number of 0 or more, up to 3.4e38");
  }
  if (!(b >= 0.0 && b <= 1.0)) {
    throw UsageError("b is " + shortest(b) + "; give a number from 0 to 1");
  }
}

void check_impact_settings(const ImpactSettings& settings) {
  if (settings.source == ImpactSource::kBm25) {
    check_bm25_settings(settings.k1, settings.b);
  } else if (settings.source == ImpactSource::kQuantisedWeights &&
             !(settings.largest > 0.0 && std::isfinite(settings.largest))) {
    throw UsageError("the weight that 255 stands for is " + shortest(settings.largest) +
                     "; give the largest weight, a finite number above 0");
  }
}

}  // namespace warpdex
