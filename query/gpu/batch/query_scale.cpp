// Sets the scales and first thresholds of the queries that a QueryMeasurer measures.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "gpu/batch/query_measurer.hpp"
#include "scorers/scorers.hpp"
#include "warpdex/indexer/format/seeds.hpp"

namespace warpdex::gpu {

static_assert(std::has_single_bit(kHistogramBins));

/// An upper bound of the score of the k-th best document, without static scores. If fewer than k
/// documents have one of the rarest terms, then one of the k best has none of them, and its score
/// is at most the sum of the other lists' bounds.
double QueryMeasurer::max_kth_score(std::uint32_t k, std::span<const TermBound> terms) const {
  double rest = 0;
  for (const TermBound& term : terms) rest += term.bound;
  double bound = rest;
  std::uint64_t documents = 0;  // that have one of the terms so far, at most
  for (const TermBound& term : terms) {
    documents += term.documents;
    rest -= term.bound;
    if (documents >= k || rest <= 0) break;
    bound = rest;
  }
  return bound;
}

/// The most that a posting needs to count: infinite where that is not bounded. By live documents:
/// if removed ones counted, terms that have k of them together, but fewer live ones, would bound it
/// far too high. Then frequent terms, which decide in that case, would have few units.
double QueryMeasurer::max_counted(const SliceQuery& query, bool is_of_all) {
  const bool are_capped = facts_of(rules_.scorer.kind).units.are_capped;
  if (!are_capped || segments_.largest_static() != 0) {
    return std::numeric_limits<double>::infinity();
  }
  bounds_.clear();
  for (const SliceTerm& term : slice_.terms_of(query).first(query.roles.scoring.count())) {
    const std::uint64_t size = term.list(0).size;
    const std::uint64_t live = term.planned->document_frequency;  // in all segments
    bounds_.push_back({term.bound, is_of_all ? live : live == 0 ? size : std::min(size, live)});
  }
  return max_kth_score(query.common.k, bounds_) * 1.0001;
}

/// Chooses the scale so that the sum of the lists' bounds fits 16 bits; with static scores, which
/// are added for few documents only, it may take 31 bits. Of a huge query both fit 23 bits:
/// rounding adds so many units to its sums that coarse ones would leave most documents in doubt.
/// What a posting counts is capped at an upper bound of the k-th best score. Otherwise a rare term,
/// whose bound is high, would take the bits of the frequent terms that decide. Sums of impacts that
/// fit are units as they are, if the weights are whole.
void QueryMeasurer::set_scale(double max_counted, bool weights_are_whole, SliceQuery& of) const {
  Query& query = of.common;
  const UnitTraits& units = facts_of(rules_.scorer.kind).units;
  const double largest_static = segments_.largest_static();
  const bool is_capped = std::isfinite(max_counted);
  double bounds = 0;
  double weights = 0;
  double largest = 0;
  for (const SegmentRun& run : slice_.runs_of(of)) {
    double own_bounds = 0;
    double own_weights = 0;
    (run.present & of.roles.scoring).for_each([&](std::uint32_t number) {
      const SliceTerm& term = slice_.terms[of.first_term + number];
      own_bounds += std::min<double>(term.bound, max_counted);
      own_weights += term.weight;
      largest = std::max<double>(largest, term.bound);
    });
    bounds = std::max(bounds, own_bounds);
    weights = std::max(weights, own_weights);
  }
  double scale = 1;
  query.rounding_slack = 0;
  const bool is_huge = of.term_count > kMaxLists;
  if (!units.are_whole || !weights_are_whole || bounds > (is_huge ? kMaxHugeSum : 65'535)) {
    scale = bounds > 0 ? (is_huge ? kMaxHugeSum : kMaxSum) / bounds : 1.0;
    if (is_capped && largest > 0) scale = std::min(scale, (1U << 30) / largest);
    if (largest_static > 0) {
      scale = std::min(scale, (is_huge ? kMaxHugeSum : 1U << 30) / largest_static);
    }
    scale = std::min(scale, units.max_weights / std::max(weights, 1.0));
    // With few lists of a huge query, a posting may count so much that a float is off by units.
    query.rounding_slack = units.slack * (is_huge ? of.term_count : query.scoring_lists) + 2;
  }
  query.scale = static_cast<float>(scale);
  query.static_scale = segments_.has_static() ? query.scale : 0.F;
  query.weight_units = static_cast<float>(weights * scale);
  query.unit_cap =
      max_counted < largest ? static_cast<std::uint32_t>(max_counted * scale) + 2 : kNone;
  const double max_sum = (bounds + largest_static) * scale + 4 * query.rounding_slack;
  // The smallest shift with which the sums fit the histogram's bins.
  const auto bits = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(max_sum)));
  constexpr auto kBinBits = static_cast<std::uint32_t>(std::bit_width(kHistogramBins - 1));
  query.bin_shift = bits > kBinBits ? bits - kBinBits : 0;
}

/// Sets the threshold to the score that, as the caller knows, k matches reach; in units. It is
/// rounded down by more than sums of scores are rounded, since sums in units are never below
/// scores. The k matches may be in other segments, so the score may be above those of all documents
/// here. So the threshold is at most the cap of a posting's units: a document with a capped posting
/// has at least that many units, and the units of all others are complete.
void QueryMeasurer::set_known_threshold(Query& query) const {
  constexpr double kShare = 1 - 1e-5;
  constexpr double kMaxThreshold = 1U << 31;  // more than any sum
  const double known = static_cast<double>(rules_.of(query.slot).start_threshold());
  const double units = known * kShare * static_cast<double>(query.scale);
  const double threshold = std::floor(units) - 1 - query.rounding_slack;
  query.seed_threshold = std::min(
      static_cast<std::uint32_t>(std::clamp(threshold, 0.0, kMaxThreshold)), query.unit_cap);
}

/// The lists of OR's entries that have seeds, in segments without prohibited terms.
std::span<const SeededList> QueryMeasurer::seeded_lists(const SliceQuery& query) {
  seeded_.clear();
  const SliceTerm* const terms = slice_.terms.data() + query.first_term;
  for (const SegmentRun& run : slice_.runs_of(query)) {
    if (!run.entries.any_of_or() || !(run.present & query.roles.prohibited).is_empty()) continue;
    for (std::uint32_t segment = run.begin; segment < run.end; ++segment) {
      run.present.for_each([&](std::uint32_t number) {
        const SliceTerm& term = terms[number];
        const TermList& list = term.row.lists[segment];
        if (list.source.flags & kRaw) return;  // it has no seeds
        const TermScorer scorer{rules_.scorer.kind, term.weight, term.c0, term.c1, term.c2};
        seeded_.push_back({segment, &list, scorer, term.bound});
      });
    }
  }
  return seeded_;
}

/// How many documents a list's seed is to be reached by. With a filter, so many that three times k
/// of them pass if these are spread evenly; 0 if no seed is of so many.
std::uint32_t QueryMeasurer::seed_rank(std::uint32_t k) const {
  if (!rules_.is_filtered) return k;
  constexpr double kSpare = 3;
  const double rank = kSpare * k / std::max(rules_.passing_share, 1e-9);
  return rank > kSeedRanks.back() ? 0 : static_cast<std::uint32_t>(std::ceil(rank));
}

/// The threshold that OR starts with. Each term's seed is a lower bound of the k-th best score,
/// since no term is required, unless documents are prohibited. The seed is rounded down, since sums
/// in units are never below scores. A query that runs again starts with its last threshold.
std::uint32_t QueryMeasurer::seeded_threshold(SliceQuery& of) {
  const Query& query = of.common;
  std::uint32_t threshold = query.seed_threshold;
  if (answers_so_far_ != nullptr) {
    threshold = std::max(threshold, answers_so_far_[query.slot].threshold);
  }
  if (!rules_.has_seeds) return threshold;
  const std::uint32_t rank = seed_rank(query.k);
  if (rank == 0) return threshold;
  const float seed = start_seed(seeded_lists(of), rank);
  of.guess = rules_.is_filtered ? seed : 0;
  if (query.rounding_slack == 0) return std::max(threshold, static_cast<std::uint32_t>(seed));
  // A sum of many floats may be above its units.
  const std::uint32_t less = of.term_count > kMaxLists ? 1 + query.rounding_slack : 1;
  const float units = std::floor(seed * query.scale) - static_cast<float>(less);
  return std::max(threshold, static_cast<std::uint32_t>(std::max(0.F, units)));
}

}  // namespace warpdex::gpu
