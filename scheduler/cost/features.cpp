// Computes the features of queries from their plans.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "cost/feature_value.hpp"
#include "warpdex/query/plan/plan_bounds.hpp"
#include "warpdex/scheduler/cost_model.hpp"

namespace warpdex {
namespace {

double length_of(const PlannedTerm& term) {
  return static_cast<double>(term.entry.document_frequency);
}

double blocks_of(const PlannedTerm& term) {
  const std::uint64_t postings = term.entry.document_frequency;
  return static_cast<double>((postings + kBlockSize - 1) / kBlockSize);
}

/// How many of a list's blocks hold one of `documents` documents, if these are spread at random.
double touched_blocks(const PlannedTerm& term, double documents) {
  const double blocks = blocks_of(term);
  return blocks * (1 - std::exp(-documents / blocks));
}

bool can_match(const PlannedQuery& plan, const SearchSettings& settings) {
  if (plan.terms.empty() || plan.misses_must) return false;
  return settings.mode != QueryMode::kAnd || !plan.misses_unsigned;
}

/// Bytes of a list that the GPU reads over the bus.
double missing_bytes(const PostingsEntry& list, std::size_t segment, const HasList& has_list) {
  if (!has_list || list.is_short() || has_list(segment, list)) return 0;
  return static_cast<double>(list.docid_bytes) + list.frequency_bytes;
}

void add_lists(Features& features, const PlannedQuery& plan, std::size_t segment,
               const HasList& has_list) {
  const auto terms = static_cast<double>(plan.terms.size());
  for (const PlannedTerm& term : plan.terms) {
    at(features, Feature::kSum) += length_of(term);
    at(features, Feature::kBlocks) += blocks_of(term);
    at(features, Feature::kMissingBytes) += missing_bytes(term.entry, segment, has_list);
  }
  const double shortest = length_of(plan.terms.front());
  at(features, Feature::kTerms) = terms;
  at(features, Feature::kShortest) = shortest;
  at(features, Feature::kSecondShortest) = length_of(plan.terms[plan.terms.size() > 1 ? 1 : 0]);
  at(features, Feature::kLongest) = length_of(plan.terms.back());
  at(features, Feature::kProbes) = shortest * (terms - 1);
  at(features, Feature::kRootOfProbes) = std::sqrt(shortest * at(features, Feature::kSum));
}

/// OR: the shortest lists are essential, until they have as many postings as `essential`.
void add_essential(Features& features, const PlannedQuery& plan, double essential,
                   double documents) {
  at(features, Feature::kEssential) = essential;
  at(features, Feature::kRootOfEssential) = std::sqrt(essential);
  double postings = 0;
  double without = 1;  // the share of documents that are in none of them
  std::size_t lists = 0;
  for (; lists < plan.terms.size(); ++lists) {
    const double length = length_of(plan.terms[lists]);
    if (postings + length > essential) break;
    postings += length;
    without *= 1 - length / documents;
    at(features, Feature::kTouchedBlocks) += blocks_of(plan.terms[lists]);
    at(features, Feature::kLongestEssential) = length;
  }
  const double candidates = documents * (1 - without);
  at(features, Feature::kEssentialLists) = static_cast<double>(lists);
  at(features, Feature::kCandidates) = candidates;
  if (lists < plan.terms.size()) {
    at(features, Feature::kShortestOther) = length_of(plan.terms[lists]);
  }
  for (; lists < plan.terms.size(); ++lists) {
    at(features, Feature::kTouchedBlocks) += touched_blocks(plan.terms[lists], candidates);
  }
}

/// AND: the documents of the shortest list are looked up in one list after the other. Those that a
/// list lacks drop out.
void add_intersection(Features& features, const PlannedQuery& plan, double documents, double k) {
  const double shortest = length_of(plan.terms.front());
  double left = shortest;
  double blocks = blocks_of(plan.terms.front());
  for (std::size_t i = 1; i < plan.terms.size(); ++i) {
    blocks += touched_blocks(plan.terms[i], left);
    left *= length_of(plan.terms[i]) / documents;
  }
  at(features, Feature::kMatches) = left;
  at(features, Feature::kFirstMatches) = shortest * std::min(1.0, k / std::max(left, 1e-9));
  at(features, Feature::kProbedBlocks) = blocks;
}

/// The natural logarithm of a number of 1 or more. It has neither a branch nor a call, so that the
/// compiler computes several at once: with std::log() a prediction takes a fifth longer.
float rough_log(float number) {
  // number = 2^exponent * mantissa, with a mantissa between the square roots of 1/2 and of 2.
  constexpr std::int32_t kRootOfHalf = 0x3F3504F3;
  const auto bits = std::bit_cast<std::int32_t>(number);
  const std::int32_t exponent = (bits - kRootOfHalf) >> 23;
  const auto mantissa = std::bit_cast<float>(bits - (exponent << 23));
  // log((1 + x) / (1 - x)) = 2 * (x + x^3 / 3 + x^5 / 5 + ...), with x of 0.172 at most.
  const float x = (mantissa - 1) / (mantissa + 1);
  const float square = x * x;
  const float series = 1 + square * (1 / 3.F + square * (1 / 5.F + square * (1 / 7.F)));
  return static_cast<float>(exponent) * 0.693147181F + 2 * x * series;
}

/// The features that depend on the segment. The others are 0.
Features features_in(const Snapshot& snapshot, std::size_t segment, const PlannedQuery& plan,
                     const SearchSettings& settings, const HasList& has_list) {
  Features features{};
  if (!can_match(plan, settings)) return features;
  const Index& index = *snapshot.segments()[segment].index;
  const auto documents = static_cast<double>(index.counts().documents);
  const PlanBounds bounds = plan_bounds(index, plan, settings);
  add_lists(features, plan, segment, has_list);
  add_essential(features, plan, static_cast<double>(bounds.essential_postings), documents);
  add_intersection(features, plan, documents, settings.k);
  if (bounds.max_score > 0) {
    at(features, Feature::kSeedShare) = static_cast<double>(bounds.seed / bounds.max_score);
  }
  return features;
}

/// Segments are searched one after the other, so their work is summed.
Features sum_over_segments(const Snapshot& snapshot, const PlannedQuery& plan,
                           const SearchSettings& settings, const HasList& has_list) {
  Features sum{};
  double seed_share = 0;
  for (std::size_t segment = 0; segment < plan.segments.size(); ++segment) {
    Features one = features_in(snapshot, segment, plan.segments[segment], settings, has_list);
    seed_share = std::max(seed_share, at(one, Feature::kSeedShare));
    for (std::size_t feature = 0; feature < kFeatures; ++feature) sum[feature] += one[feature];
  }
  at(sum, Feature::kSeedShare) = seed_share;
  return sum;
}

}  // namespace

Features features_of(const Snapshot& snapshot, const PlannedQuery& plan,
                     const SearchSettings& settings, const HasList& has_list) {
  Features features{};
  if (can_match(plan, settings)) {
    features = plan.segments.empty() ? features_in(snapshot, 0, plan, settings, has_list)
                                     : sum_over_segments(snapshot, plan, settings, has_list);
  }
  at(features, Feature::kConstant) = 1;
  at(features, Feature::kK) = settings.k;
  at(features, Feature::kRootOfK) = std::sqrt(settings.k);
  if (at(features, Feature::kTerms) == 0) return features;
  at(features, Feature::kTerms) = static_cast<double>(plan.terms.size());
  at(features, Feature::kKTerms) = settings.k * at(features, Feature::kTerms);
  return features;
}

Features logs_of(const Features& features) {
  Features logs;
  for (std::size_t i = 0; i < kFeatures; ++i) {
    logs[i] = static_cast<double>(rough_log(1 + static_cast<float>(features[i])));
  }
  at(logs, Feature::kConstant) = features[static_cast<std::size_t>(Feature::kConstant)];
  return logs;
}

}  // namespace warpdex
