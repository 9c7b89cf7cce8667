// Sets the roles, scales and thresholds of queries, and the block ranges of their lists.
#include "gpu/batch/query_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "gpu/layout/length_codes.hpp"
#include "plan/seed_threshold.hpp"

namespace warpdex::gpu {

static_assert(std::has_single_bit(kHistogramBins));

void QueryWriter::write(const PlannedQuery& plan, std::uint32_t slot, bool for_gpu) {
  Query& final_query = target_.host.final_queries[next_.queries];
  final_query = Query{};
  final_query.state = next_.queries;
  final_query.slot = slot;
  const QueryEntries entries =
      for_gpu ? entries_of(plan, rules_.of(slot).mode, index_.removed != nullptr) : QueryEntries{};
  std::uint32_t first_list = 0;
  for (const QueryEntry& entry : entries) {
    if (!entry.shares_lists) {
      first_list = next_.lists;
      write_lists(plan, entry);
    }
    Query query = start_query(entry, slot, first_list);
    set_scale(query, has_whole_weights(plan));
    set_known_threshold(query);
    if (entry.kind == EntryKind::kOr) {
      set_seed(plan, entry, query);
      write_or(query);
    } else if (entry.kind == EntryKind::kAnd) {
      write_and(query);
    } else {
      write_and_fallback(query);
    }
    final_query = query;
  }
  ++next_.queries;
}

Query QueryWriter::start_query(const QueryEntry& entry, std::uint32_t slot,
                               std::uint32_t first_list) const {
  const SearchSettings& settings = rules_.of(slot);
  Query query{};
  query.first_list = first_list;
  query.scoring_lists = entry.roles.scoring;
  query.list_count = entry.roles.scoring + entry.roles.prohibited;
  query.k = settings.k;
  query.state = next_.queries;
  query.slot = slot;
  query.flags = flags_of(entry, settings.count, rules_.ablation);
  query.min_matches = settings.mode == QueryMode::kAndOr ? settings.and_or_min_matches() : 0;
  query.candidate_capacity = target_.capacity;
  query.lengths_are_coded = index_.longest_document < kTooLong ? 1 : 0;
  query.first_candidate = next_.queries * target_.capacity;
  return query;
}

void QueryWriter::write_lists(const PlannedQuery& plan, const QueryEntry& entry) {
  const IndexCounts& counts = index_.index.counts();
  const CollectionStatistics statistics =
      plan.statistics.value_or(CollectionStatistics{counts.documents, counts.tokens});
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) continue;
    const bool required = is_required(term, entry.unsigned_is_required);
    write_list(term, statistics, required ? kRequired : 0U);
  }
  if (entry.roles.prohibited == 0) return;
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) write_list(term, statistics, kProhibited);
  }
}

void QueryWriter::write_list(const PlannedTerm& term, const CollectionStatistics& statistics,
                             std::uint32_t flags) {
  const std::size_t raw = std::size_t{next_.raw_lists} * kRawListEntries;
  lists_.write(term, statistics, flags, {target_.host.raw + raw, target_.device.raw + raw},
               target_.host.lists[next_.lists++]);
  if (term.entry.is_short()) ++next_.raw_lists;
}

/// An upper bound of the score of the k-th best document, without static scores. If fewer than k
/// documents have one of the rarest terms, then one of the k best has none of them, and its score
/// is at most the sum of the other lists' bounds.
double QueryWriter::max_kth_score(const Query& query) const {
  const std::span lists(target_.host.lists + query.first_list, query.scoring_lists);
  double rest = 0;
  for (const List& list : lists) rest += list.bound;
  double bound = rest;
  std::uint64_t documents = 0;  // that have one of the terms so far, at most
  for (const List& list : lists) {
    documents += list.size;
    rest -= list.bound;
    if (documents >= query.k || rest <= 0) break;
    bound = rest;
  }
  return bound;
}

/// Chooses the scale so that the sum of the lists' bounds fits 16 bits; with static scores, which
/// are added for few documents only, it may take 31 bits. What a posting counts is capped at an
/// upper bound of the k-th best score. Otherwise a rare term, whose bound is high, would take the
/// bits of the frequent terms that decide. Sums of impacts that fit 16 bits are units as they are,
/// if the weights are whole.
void QueryWriter::set_scale(Query& query, bool weights_are_whole) const {
  const ScorerKind scorer = rules_.scorer.kind;
  const double largest_static = index_.largest_static;
  const bool is_capped = scorer == ScorerKind::kBm25 && largest_static == 0;
  const double max_counted =
      is_capped ? max_kth_score(query) * 1.0001 : std::numeric_limits<double>::infinity();
  double bounds = 0;
  double weights = 0;
  double largest = 0;
  for (std::uint32_t i = 0; i < query.scoring_lists; ++i) {
    const List& list = target_.host.lists[query.first_list + i];
    bounds += std::min<double>(list.bound, max_counted);
    weights += list.weight;
    largest = std::max<double>(largest, list.bound);
  }
  double scale = 1;
  query.rounding_slack = 0;
  if (scorer != ScorerKind::kImpact || !weights_are_whole || bounds > 65'535) {
    scale = bounds > 0 ? kMaxSum / bounds : 1.0;
    if (is_capped && largest > 0) scale = std::min(scale, (1U << 30) / largest);
    if (largest_static > 0) scale = std::min(scale, (1U << 30) / largest_static);
    query.rounding_slack = 2 * query.scoring_lists + 2;
    if (scorer == ScorerKind::kQueryLikelihood) {
      // __logf() is off by up to 2^-21: with this scale, by a unit of a posting at most.
      scale = std::min(scale, (1U << 20) / std::max(weights, 1.0));
      query.rounding_slack += 4 * query.scoring_lists;
    }
  }
  query.scale = static_cast<float>(scale);
  query.static_scale = index_.index.sections().static_scores.empty() ? 0.F : query.scale;
  query.weight_units = static_cast<float>(weights * scale);
  query.unit_cap =
      max_counted < largest ? static_cast<std::uint32_t>(max_counted * scale) + 2 : kNone;
  const double max_sum = (bounds + largest_static) * scale + 4 * query.rounding_slack;
  // The smallest shift with which the sums fit the histogram's bins.
  const auto bits = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(max_sum)));
  constexpr auto kBinBits = static_cast<std::uint32_t>(std::bit_width(kHistogramBins - 1));
  query.bin_shift = bits > kBinBits ? bits - kBinBits : 0;
}

/// A score that k matches reach, as the caller knows, in units. It is rounded down by more than
/// sums of scores are rounded: sums in units are never below scores. The k matches may be in other
/// segments, so it may be more than any document here has. Then the cap bounds it: a document with
/// a posting that is capped has so many units at least, and all others have all of theirs.
void QueryWriter::set_known_threshold(Query& query) const {
  constexpr double kShare = 1 - 1e-5;
  constexpr double kMaxThreshold = 1U << 31;  // more than any sum
  const double known = static_cast<double>(rules_.of(query.slot).start_threshold());
  const double units = known * kShare * static_cast<double>(query.scale);
  const double threshold = std::floor(units) - 1 - query.rounding_slack;
  query.seed_threshold = std::min(
      static_cast<std::uint32_t>(std::clamp(threshold, 0.0, kMaxThreshold)), query.unit_cap);
}

/// Sets a threshold to start with. Each term's seed is a lower bound of the k-th best score, since
/// no term is required, unless documents are prohibited. Removed documents may be among the best:
/// as many more bound k live ones. It is rounded down: sums in units are never below scores. A
/// query that runs again starts with its last threshold.
void QueryWriter::set_seed(const PlannedQuery& plan, const QueryEntry& entry, Query& query) const {
  if (!rules_.has_seeds) return;
  const Answer* const answers = target_.answers_so_far;
  if (answers != nullptr) {
    query.seed_threshold = std::max(query.seed_threshold, answers[query.slot].threshold);
  }
  if (entry.roles.prohibited > 0) return;
  const List* list = target_.host.lists + query.first_list;
  float seed = 0;
  for (const PlannedTerm& term : plan.terms) {
    seed = std::max(seed, seed_score(index_.index.sections(), term.entry, lists_.scorer_of(*list++),
                                     query.k + term.removed));
  }
  const bool is_exact = rules_.scorer.kind == ScorerKind::kImpact && query.rounding_slack == 0;
  query.seed_threshold =
      std::max(query.seed_threshold,
               static_cast<std::uint32_t>(
                   is_exact ? seed : std::max(0.F, std::floor(seed * query.scale) - 1.F)));
}

void QueryWriter::write_or(Query& query) {
  query.tile_row = next_.or_queries * rules_.tiles;
  const std::uint32_t step = target_.shape.range_blocks;
  for (std::uint32_t i = 0; i < query.list_count; ++i) {
    List& list = target_.host.lists[query.first_list + i];
    list.or_query = next_.or_queries;
    list.rank = i;
    list.tile_row = next_.or_lists++ * tile_row_entries(rules_.tiles);
    for (std::uint32_t block = 0; block < list.blocks; block += step) {
      target_.host.table_ranges[next_.table_ranges++] = {query.first_list + i, block,
                                                         std::min(step, list.blocks - block)};
    }
  }
  const std::uint32_t before = target_.shape.and_queries + target_.shape.and_fallback_queries;
  target_.host.queries[before + next_.or_queries++] = query;
}

void QueryWriter::write_and(const Query& query) {
  const std::uint32_t place = next_.and_queries++;
  and_ranges_.write(place - before_.and_queries, place, target_.host.and_ranges);
  target_.host.queries[place] = query;
}

void QueryWriter::write_and_fallback(const Query& query) {
  const std::uint32_t number = next_.and_fallback_queries++;
  const std::uint32_t place = target_.shape.and_queries + number;
  fallback_ranges_.write(number - before_.and_fallback_queries, place,
                         target_.host.and_ranges + target_.shape.and_ranges);
  target_.host.queries[place] = query;
}

}  // namespace warpdex::gpu
