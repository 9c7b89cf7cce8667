// Checks weights, sums them up, and quantises them.
#include "build/weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::build {

void WeightSummary::add(float weight) {
  largest = std::max(largest, weight);
  are_whole = are_whole && weight >= 1 && weight <= kMaxImpact && std::trunc(weight) == weight;
}

void WeightSummary::add(const WeightSummary& other) {
  largest = std::max(largest, other.largest);
  are_whole = are_whole && other.are_whole;
  zeros += other.zeros;
}

ImpactSettings WeightSummary::settings() const {
  if (are_whole) return {.largest = kMaxImpact, .source = ImpactSource::kWholeWeights};
  return {.largest = largest, .source = ImpactSource::kQuantisedWeights};
}

void WeightSummary::check_fit(const ImpactSettings& known) const {
  if (known.source == ImpactSource::kWholeWeights && !are_whole) {
    throw InputError(
        "it has a weight that is no whole number from 1 to 255, and the index holds such; round "
        "its weights as those of the index were, or build the index again");
  }
  if (known.source != ImpactSource::kQuantisedWeights) return;
  if (static_cast<double>(largest) <= known.largest) return;
  std::array<char, 100> text{};
  std::snprintf(text.data(), text.size(), "its weight %.6g is above %.6g",
                static_cast<double>(largest), known.largest);
  throw InputError(std::string(text.data()) +
                   ", the largest that the index was built for; leave it out, or build the index "
                   "again");
}

void check_weight(const TermWeight& entry) {
  if (entry.term.empty()) throw InputError("the vector has an empty term; leave it out");
  const auto fail = [&](const std::string& what) {
    throw InputError("the weight of the term '" + excerpt(entry.term) + "' is " + what +
                     "; give a finite number of 0 or more");
  };
  if (std::isnan(entry.weight)) fail("not a number");
  if (entry.weight < 0) fail("negative");
  if (std::isinf(entry.weight)) fail("infinite or past 3.4e38, the largest 32-bit float");
}

std::uint64_t weights_to_impacts(const ImpactSettings& settings, std::span<std::uint32_t> codes) {
  if (settings.source == ImpactSource::kWholeWeights) return 0;  // the codes are the impacts
  const ImpactQuantizer quantizer(settings, {});
  const double half_a_step = settings.largest / (2 * kMaxImpact);
  std::uint64_t raised = 0;
  for (std::uint32_t& code : codes) {
    const float weight = decode_weight(code);
    if (static_cast<double>(weight) < half_a_step) ++raised;
    code = quantizer.impact(weight);
  }
  return raised;
}

}  // namespace warpdex::build
