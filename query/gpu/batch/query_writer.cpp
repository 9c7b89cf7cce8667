// Sets the roles, scales and thresholds of queries, and the block ranges of their lists.
#include "gpu/batch/query_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "gpu/layout/length_codes.hpp"

namespace warpdex::gpu {

static_assert(std::has_single_bit(kHistogramBins));

void QueryWriter::write(const SegmentPlans& plans, std::uint32_t slot, bool for_gpu) {
  const std::uint32_t state = next_.queries;
  Query& final_query = target_.host.final_queries[state];
  final_query = Query{};
  final_query.state = state;
  final_query.slot = slot;
  target_.host.list_matches[state] = 0;
  if (segments_.size() > 1) {
    std::fill_n(target_.host.list_spans + state * segments_.size(), segments_.size(), ListSpan{});
  }
  written_.clear();
  scorers_.clear();
  if (for_gpu) write_all_lists(plans, slot);
  if (!written_.empty()) {
    Query common = start_query(slot);
    const PlannedQuery& whole = plans[slot];
    set_scale(max_counted(whole, plans.are_of_all(), common.k), has_whole_weights(whole), common);
    set_known_threshold(common);
    const std::uint32_t or_threshold = seeded_threshold(common);
    const BatchShape before = next_;
    for (const Written& each : written_) write_entry(each, common, or_threshold, final_query);
    if (next_.or_queries > before.or_queries && segments_.size() > 1) {
      target_.host.query_tiles[next_.or_states] = {before.or_queries,
                                                   target_.shape.row_shift + before.tile_entries,
                                                   next_.tile_entries - before.tile_entries};
    }
    if (next_.or_queries > before.or_queries) ++next_.or_states;
  }
  ++next_.queries;
}

/// Writes the lists of a query's entries in all segments, and what is known of them.
void QueryWriter::write_all_lists(const SegmentPlans& plans, std::uint32_t slot) {
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const PlannedQuery& plan = plans.in(slot, i);
    std::uint32_t first_list = 0;
    for (const QueryEntry& entry : segments_.entries(plans, slot, rules_.of(slot).mode, i)) {
      if (!entry.shares_lists) {
        first_list = next_.lists;
        write_lists(i, plan, entry);
      }
      written_.push_back({i, &plan, entry, first_list});
      if (entry.is_one_list) {
        const PlannedTerm& term = plan.terms[0];
        target_.host.list_matches[next_.queries] += term.entry.document_frequency - term.removed;
      }
      if (segments_.size() > 1) {
        target_.host.list_spans[next_.queries * segments_.size() + i] = {first_list,
                                                                         entry.roles.scoring};
      }
    }
  }
}

void QueryWriter::write_lists(std::size_t segment, const PlannedQuery& plan,
                              const QueryEntry& entry) {
  const PlacedIndex& placed = segments_[segment];
  ListWriter writer(placed, rules_.scorer, scorers_);
  const IndexCounts& counts = placed.index.counts();
  const CollectionStatistics statistics =
      plan.statistics.value_or(CollectionStatistics{counts.documents, counts.tokens});
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) continue;
    const bool required = is_required(term, entry.unsigned_is_required);
    write_list(writer, term, statistics, required ? kRequired : 0U);
  }
  if (entry.roles.prohibited == 0) return;
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) write_list(writer, term, statistics, kProhibited);
  }
}

void QueryWriter::write_list(ListWriter& writer, const PlannedTerm& term,
                             const CollectionStatistics& statistics, std::uint32_t flags) {
  const std::size_t raw = std::size_t{next_.raw_lists} * kRawListEntries;
  if (needs_raw(writer.index(), term.entry)) ++next_.raw_lists;
  writer.write(term, statistics, flags, {target_.host.raw + raw, target_.device.raw + raw},
               target_.host.lists[next_.lists++]);
}

/// What a query has in common in all segments.
Query QueryWriter::start_query(std::uint32_t slot) const {
  const SearchSettings& settings = rules_.of(slot);
  Query query{};
  for (const Written& each : written_) {
    query.scoring_lists = std::max(query.scoring_lists, each.entry.roles.scoring);
  }
  query.k = settings.k;
  query.state = next_.queries;
  query.slot = slot;
  query.min_matches = settings.mode == QueryMode::kAndOr ? settings.and_or_min_matches() : 0;
  query.candidate_capacity = target_.capacity;
  query.first_candidate = next_.queries * target_.capacity;
  if (segments_.longest_document() < kTooLong) query.flags |= kCodedLengths;
  return query;
}

void QueryWriter::write_entry(const Written& written, const Query& common,
                              std::uint32_t or_threshold, Query& final_query) {
  const PlacedIndex& placed = segments_[written.segment];
  const QueryEntry& entry = written.entry;
  Query query = common;
  query.first_list = written.first_list;
  query.scoring_lists = entry.roles.scoring;
  query.list_count = entry.roles.scoring + entry.roles.prohibited;
  query.flags |= flags_of(entry, rules_.of(common.slot).count, rules_.ablation);
  query.first_tile = placed.first_tile();
  query.end_tile = query.first_tile + placed.tiles();
  if (entry.kind == EntryKind::kOr) {
    query.seed_threshold = or_threshold;
    write_or(written, query);
  } else if (entry.kind == EntryKind::kAnd) {
    write_and(query);
  } else {
    write_and_fallback(query);
  }
  final_query = query;
  final_query.scoring_lists = common.scoring_lists;
}

/// An upper bound of the score of the k-th best document, without static scores. If fewer than k
/// documents have one of the rarest terms, then one of the k best has none of them, and its score
/// is at most the sum of the other lists' bounds.
double QueryWriter::max_kth_score(std::uint32_t k, std::span<const TermBound> terms) const {
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

/// The most that a posting needs to count: infinite where that is not bounded. Of a snapshot, by
/// the live documents of all segments.
double QueryWriter::max_counted(const PlannedQuery& whole, bool is_of_all, std::uint32_t k) {
  if (rules_.scorer.kind != ScorerKind::kBm25 || segments_.largest_static() != 0) {
    return std::numeric_limits<double>::infinity();
  }
  bounds_.clear();
  if (is_of_all) {
    for (const PlannedTerm& term : whole.terms) {
      if (term.is_prohibited) continue;
      bounds_.push_back(
          {scorers_.of(term, whole.statistics.value()).weight, term.document_frequency});
    }
  } else {
    for (const List& list : scoring_lists(written_[0])) bounds_.push_back({list.bound, list.size});
  }
  return max_kth_score(k, bounds_) * 1.0001;
}

/// Chooses the scale so that the sum of the lists' bounds fits 16 bits; with static scores, which
/// are added for few documents only, it may take 31 bits. What a posting counts is capped at an
/// upper bound of the k-th best score. Otherwise a rare term, whose bound is high, would take the
/// bits of the frequent terms that decide. Sums of impacts that fit 16 bits are units as they are,
/// if the weights are whole.
void QueryWriter::set_scale(double max_counted, bool weights_are_whole, Query& query) const {
  const ScorerKind scorer = rules_.scorer.kind;
  const double largest_static = segments_.largest_static();
  const bool is_capped = std::isfinite(max_counted);
  double bounds = 0;
  double weights = 0;
  double largest = 0;
  for (const Written& each : written_) {
    double own_bounds = 0;
    double own_weights = 0;
    for (const List& list : scoring_lists(each)) {
      own_bounds += std::min<double>(list.bound, max_counted);
      own_weights += list.weight;
      largest = std::max<double>(largest, list.bound);
    }
    bounds = std::max(bounds, own_bounds);
    weights = std::max(weights, own_weights);
  }
  double scale = 1;
  query.rounding_slack = 0;
  if (scorer != ScorerKind::kImpact || !weights_are_whole || bounds > 65'535) {
    scale = bounds > 0 ? kMaxSum / bounds : 1.0;
    if (is_capped && largest > 0) scale = std::min(scale, (1U << 30) / largest);
    if (largest_static > 0) scale = std::min(scale, (1U << 30) / largest_static);
    query.rounding_slack = 4 * query.scoring_lists + 2;
    if (scorer == ScorerKind::kQueryLikelihood) {
      // __logf() is off by up to 2^-21: with this scale, by a unit of a posting at most.
      scale = std::min(scale, (1U << 20) / std::max(weights, 1.0));
      query.rounding_slack += 4 * query.scoring_lists;
    }
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

/// The lists of OR's entries without prohibited terms.
std::span<const SeededList> QueryWriter::seeded_lists() {
  seeded_.clear();
  for (const Written& each : written_) {
    if (each.entry.kind != EntryKind::kOr || each.entry.roles.prohibited > 0) continue;
    const PlacedIndex& placed = segments_[each.segment];
    const List* list = target_.host.lists + each.first_list;
    for (const PlannedTerm& term : each.plan->terms) {
      const TermScorer scorer{rules_.scorer.kind, list->weight, list->c0, list->c1};
      seeded_.push_back({each.segment, &placed, &term, scorer});
      ++list;
    }
  }
  return seeded_;
}

/// The threshold that OR starts with. Each term's seed is a lower bound of the k-th best score,
/// since no term is required, unless documents are prohibited. It is rounded down: sums in units
/// are never below scores. A query that runs again starts with its last threshold.
std::uint32_t QueryWriter::seeded_threshold(const Query& query) {
  std::uint32_t threshold = query.seed_threshold;
  if (!rules_.has_seeds) return threshold;
  const Answer* const answers = target_.answers_so_far;
  if (answers != nullptr) threshold = std::max(threshold, answers[query.slot].threshold);
  const float seed = start_seed(seeded_lists(), query.k);
  const bool is_exact = rules_.scorer.kind == ScorerKind::kImpact && query.rounding_slack == 0;
  return std::max(threshold,
                  static_cast<std::uint32_t>(
                      is_exact ? seed : std::max(0.F, std::floor(seed * query.scale) - 1.F)));
}

void QueryWriter::write_or(const Written& written, Query& query) {
  const PlacedIndex& placed = segments_[written.segment];
  if (store_.place_lists(*written.plan, query, target_.host.lists)) query.flags |= kStored;
  const std::uint32_t shift = target_.shape.row_shift - query.first_tile;
  query.tile_row = shift + next_.tile_entries;
  next_.tile_entries += placed.tiles();
  const std::uint32_t step = target_.shape.range_blocks;
  for (std::uint32_t i = 0; i < query.list_count; ++i) {
    List& list = target_.host.lists[query.first_list + i];
    list.or_query = next_.or_queries;
    list.rank = static_cast<std::uint16_t>(i);
    list.tile_row = shift + next_.row_entries;
    next_.row_entries += tile_row_entries(placed.tiles());
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
