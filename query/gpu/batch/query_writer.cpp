// Roles, scales and thresholds of queries, and the stretches of their lists that kernels share out.
#include "gpu/batch/query_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <span>

#include "gpu/layout/length_codes.hpp"
#include "plan/seed_threshold.hpp"

namespace warpdex::gpu {

static_assert(std::has_single_bit(kBins));

void QueryWriter::write(const PlannedQuery& plan, std::uint32_t slot, bool for_gpu) {
  Query& final_query = target_.host.finals[next_.queries];
  final_query = Query{};
  final_query.state = next_.queries;
  final_query.slot = slot;
  const QueryEntries entries = for_gpu ? entries_of(plan, rules_.of(slot).mode) : QueryEntries{};
  std::uint32_t first_list = 0;
  for (const QueryEntry& entry : entries) {
    if (!entry.shares_lists) {
      first_list = next_.lists;
      write_lists(plan, entry);
    }
    Query query = start_query(entry, slot, first_list);
    set_scale(query);
    if (entry.kind == EntryKind::kOr) {
      set_seed(plan, entry, query);
      write_or(query);
    } else if (entry.kind == EntryKind::kAnd) {
      write_and(query);
    } else {
      write_second(query);
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
  query.scoring = entry.roles.scoring;
  query.lists = entry.roles.scoring + entry.roles.prohibited;
  query.k = settings.k;
  query.state = next_.queries;
  query.slot = slot;
  query.flags = flags_of(entry, settings.count, rules_.ablation);
  query.least = settings.mode == QueryMode::kAndOr ? settings.and_or_least() : 0;
  query.capacity = target_.capacity;
  query.lengths_are_coded = index_.longest_document < kTooLong ? 1 : 0;
  query.candidates = next_.queries * target_.capacity;
  return query;
}

void QueryWriter::write_lists(const PlannedQuery& plan, const QueryEntry& entry) {
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) continue;
    write_list(term, is_required(term, entry.unsigned_is_required) ? kRequired : 0U);
  }
  if (entry.roles.prohibited == 0) return;
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) write_list(term, kProhibited);
  }
}

void QueryWriter::write_list(const PlannedTerm& term, std::uint32_t flags) {
  const std::size_t raw = std::size_t{next_.raw_lists} * kRawListEntries;
  lists_.write(term, flags, {target_.host.raw + raw, target_.device.raw + raw},
               target_.host.lists[next_.lists++]);
  if (term.entry.is_short()) ++next_.raw_lists;
}

/// What the k-th best document scores at most, static scores aside, as far as that is known to be
/// less than the sum of all bounds. If fewer than k documents have one of the rarest terms, then
/// one of the k best has none of these, and scores no more than the bounds of the others.
double QueryWriter::most_of_last(const Query& query) const {
  const std::span lists(target_.host.lists + query.first_list, query.scoring);
  double rest = 0;
  for (const List& list : lists) rest += list.bound;
  double most = rest;
  std::uint64_t documents = 0;  // with one of the terms so far, or more
  for (const List& list : lists) {
    documents += list.size;
    rest -= list.bound;
    if (documents >= query.k || rest <= 0) break;
    most = rest;
  }
  return most;
}

/// Sums of lists' bounds fit 16 bits; static scores, which are added to few documents, 31. A
/// posting counts no more than the k-th best document may have: so a rare term leaves frequent
/// ones, which decide then, their share of the bits.
void QueryWriter::set_scale(Query& query) const {
  const ScorerKind scorer = rules_.scorer.kind;
  const double largest_static = index_.largest_static;
  const bool is_capped = scorer == ScorerKind::kBm25 && largest_static == 0;
  const double most_counted =
      is_capped ? most_of_last(query) * 1.0001 : std::numeric_limits<double>::infinity();
  double bounds = 0;
  double weights = 0;
  double largest = 0;
  for (std::uint32_t i = 0; i < query.scoring; ++i) {
    const List& list = target_.host.lists[query.first_list + i];
    bounds += std::min<double>(list.bound, most_counted);
    weights += list.weight;
    largest = std::max<double>(largest, list.bound);
  }
  double scale = 1;
  query.slack = 0;
  if (scorer != ScorerKind::kImpact || bounds > 65'535) {
    scale = bounds > 0 ? kLargestSum / bounds : 1.0;
    if (is_capped && largest > 0) scale = std::min(scale, (1U << 30) / largest);
    if (largest_static > 0) scale = std::min(scale, (1U << 30) / largest_static);
    query.slack = 2 * query.scoring + 2;
    if (scorer == ScorerKind::kQueryLikelihood) {
      // The GPU's logarithms are off by up to 2^-21: by a unit of a posting at most then.
      scale = std::min(scale, (1U << 20) / std::max(weights, 1.0));
      query.slack += 4 * query.scoring;
    }
  }
  query.scale = static_cast<float>(scale);
  query.static_scale = index_.index.sections().static_scores.empty() ? 0.F : query.scale;
  query.weights = static_cast<float>(weights * scale);
  query.cap = most_counted < largest ? static_cast<std::uint32_t>(most_counted * scale) + 2 : kNone;
  const double most = (bounds + largest_static) * scale + 4 * query.slack;
  // The fewest bits to shift by so that the sums fit the histogram's bins.
  const auto bits = static_cast<std::uint32_t>(std::bit_width(static_cast<std::uint64_t>(most)));
  constexpr auto kBinBits = static_cast<std::uint32_t>(std::bit_width(kBins - 1));
  query.bin_shift = bits > kBinBits ? bits - kBinBits : 0;
}

/// A threshold that a sum in units must reach: sums are not below scores, but rounding may be. No
/// term is required: each alone is a lower bound, unless documents are prohibited. A query that
/// runs again starts where it ended.
void QueryWriter::set_seed(const PlannedQuery& plan, const QueryEntry& entry, Query& query) const {
  if (!rules_.has_seeds) return;
  const Answer* const answers = target_.answers_so_far;
  if (answers != nullptr) query.seed = answers[query.slot].threshold;
  if (entry.roles.prohibited > 0) return;
  const List* list = target_.host.lists + query.first_list;
  float seed = 0;
  for (const PlannedTerm& term : plan.terms) {
    seed = std::max(
        seed, seed_score(index_.index.sections(), term.entry, lists_.scorer_of(*list++), query.k));
  }
  const bool is_exact = rules_.scorer.kind == ScorerKind::kImpact && query.slack == 0;
  query.seed = std::max(query.seed,
                        static_cast<std::uint32_t>(
                            is_exact ? seed : std::max(0.F, std::floor(seed * query.scale) - 1.F)));
}

void QueryWriter::write_or(Query& query) {
  query.row = next_.or_queries * rules_.tiles;
  const std::uint32_t step = target_.shape.stretch_blocks;
  for (std::uint32_t i = 0; i < query.lists; ++i) {
    List& list = target_.host.lists[query.first_list + i];
    list.owner = next_.or_queries;
    list.place = i;
    list.row = next_.or_lists++ * tile_row(rules_.tiles);
    for (std::uint32_t block = 0; block < list.blocks; block += step) {
      target_.host.table_stretches[next_.table_stretches++] = {query.first_list + i, block,
                                                               std::min(step, list.blocks - block)};
    }
  }
  const std::uint32_t before = target_.shape.and_queries + target_.shape.second_queries;
  target_.host.queries[before + next_.or_queries++] = query;
}

void QueryWriter::write_and(const Query& query) {
  const std::uint32_t place = next_.and_queries++;
  first_.write(place - before_.and_queries, place, target_.host.and_stretches);
  target_.host.queries[place] = query;
}

void QueryWriter::write_second(const Query& query) {
  const std::uint32_t number = next_.second_queries++;
  const std::uint32_t place = target_.shape.and_queries + number;
  second_.write(number - before_.second_queries, place,
                target_.host.and_stretches + target_.shape.and_stretches);
  target_.host.queries[place] = query;
}

}  // namespace warpdex::gpu
