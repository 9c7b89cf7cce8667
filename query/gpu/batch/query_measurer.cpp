// Finds the entries of queries, and counts what they need.
#include "gpu/batch/query_measurer.hpp"

#include <algorithm>
#include <utility>

#include "gpu/choice/or_choice.hpp"
#include "gpu/layout/length_codes.hpp"
#include "scorers/scorers.hpp"

namespace warpdex::gpu {
namespace {

/// The terms that a segment has.
TermSet present_terms(std::span<const SliceTerm> terms, std::size_t segment) {
  TermSet present;
  for (std::uint32_t i = 0; i < terms.size(); ++i) {
    if (terms[i].list(segment).size != 0) present.insert(i);
  }
  return present;
}

}  // namespace

void QueryMeasurer::measure_query(const SegmentPlans& plans, SliceQuery& query) {
  Query& common = query.common;
  const std::uint32_t or_queries = slice_.shape.or_queries;
  const PlannedQuery& whole = plans[common.slot];
  ++slice_.shape.queries;
  if (query.term_count == 0) return;
  find_runs(plans, query);
  if (query.run_count == 0) return;
  set_scorers(whole, query);
  const SearchSettings& settings = rules_.of(common.slot);
  common.k = settings.k;
  common.min_matches = settings.mode == QueryMode::kAndOr ? settings.and_or_min_matches() : 0;
  common.flags = rules_.flags;
  const bool is_huge = query.term_count > kMaxLists;
  if (is_huge || (rules_.adds_up_long && common.scoring_lists > kLongQuery)) {
    common.flags |= kNoLookups;
  }
  slice_.shape.are_huge |= is_huge;
  if (segments_.longest_document() < kTooLong) common.flags |= kCodedLengths;
  query.counts = settings.count;
  set_scale(max_counted(query, plans.are_of_all()), has_whole_weights(whole), query);
  set_known_threshold(common);
  query.or_threshold = seeded_threshold(query);
  for (SegmentRun& run : std::span(slice_.runs).subspan(query.first_run)) count_run(query, run);
  if (slice_.shape.or_queries > or_queries) ++slice_.shape.or_states;
}

/// Finds the segments that have the same of the query's terms, and the entries there.
void QueryMeasurer::find_runs(const SegmentPlans& plans, SliceQuery& query) {
  const std::span<const SliceTerm> terms = slice_.terms_of(query);
  const auto all = static_cast<std::uint32_t>(segments_.size());
  query.first_run = static_cast<std::uint32_t>(slice_.runs.size());
  const bool have_all = std::ranges::all_of(
      terms, [all](const SliceTerm& term) { return term.row.sums.lists == all; });
  if (have_all) {
    add_run(plans, query, query.roles.scoring | query.roles.prohibited, 0, all);
  } else {
    std::uint32_t begin = 0;
    TermSet before = present_terms(terms, 0);
    for (std::uint32_t segment = 1; segment < all; ++segment) {
      TermSet present = present_terms(terms, segment);
      if (present == before) continue;
      add_run(plans, query, std::move(before), begin, segment);
      begin = segment;
      before = std::move(present);
    }
    add_run(plans, query, std::move(before), begin, all);
  }
  query.run_count = static_cast<std::uint32_t>(slice_.runs.size()) - query.first_run;
}

/// The live documents of the only list of a query in each segment.
std::uint32_t QueryMeasurer::live_postings(const SegmentPlans& plans, std::uint32_t slot) const {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    for (const PlannedTerm& term : plans.in(slot, i).terms) {
      sum += term.entry.document_frequency - term.removed;
    }
  }
  return sum;
}

/// Adds a run of segments, if something can match there.
void QueryMeasurer::add_run(const SegmentPlans& plans, SliceQuery& query, TermSet present,
                            std::uint32_t begin, std::uint32_t end) {
  // Of several terms, a segment may know only one.
  const bool knows_matches = !rules_.is_filtered && segments_.knows_live() &&
                             (segments_.size() == 1 || query.term_count == 1);
  const QueryMode mode = rules_.of(query.common.slot).mode;
  const QueryEntries entries = entries_of(query.roles, present, mode, knows_matches);
  if (entries.count == 0) return;
  slice_.runs.push_back({std::move(present), begin, end, entries, {}});
  for (const QueryEntry& entry : entries) {
    query.common.scoring_lists = std::max(query.common.scoring_lists, entry.roles.scoring);
    if (!entry.is_one_list) continue;
    query.list_matches = live_postings(plans, query.common.slot);
  }
}

/// The lists of a query in a run of segments.
ListSums QueryMeasurer::sum_lists(const SliceQuery& query, const SegmentRun& run) const {
  const SliceTerm* const terms = slice_.terms.data() + query.first_term;
  const bool is_of_all = run.end - run.begin == segments_.size();
  ListSums sums;
  run.present.for_each([&](std::uint32_t number) {
    const SliceTerm& term = terms[number];
    if (is_of_all) return sums.add(term.row.sums);
    for (std::uint32_t i = run.begin; i < run.end; ++i) sums.add(term.list(i));
  });
  return sums;
}

void QueryMeasurer::count_run(const SliceQuery& query, SegmentRun& run) {
  BatchShape& shape = slice_.shape;
  run.sums = sum_lists(query, run);
  shape.postings += run.sums.postings;
  shape.entries += run.entries.count;
  for (const QueryEntry& entry : run.entries) {
    shape.has_fallback |= entry.is_fallback;
    if (!entry.shares_lists) {
      shape.lists += run.sums.lists;
      shape.raw_lists += run.sums.raw_lists;
      shape.uses += run.present.count();
    }
    if (entry.kind == EntryKind::kOr) {
      count_or(query, run, entry);
    } else {
      count_and(query, run, entry);
    }
  }
}

void QueryMeasurer::count_and(const SliceQuery& query, const SegmentRun& run,
                              const QueryEntry& entry) {
  const std::uint32_t number = driver_of(query.roles, run.present, entry);
  const SliceTerm& driver = slice_.terms_of(query)[number];
  const bool is_second = entry.kind == EntryKind::kAndFallback;
  AndBlockRanges& ranges = is_second ? slice_.and_fallback_ranges : slice_.and_ranges;
  for (std::uint32_t i = run.begin; i < run.end; ++i) ranges.add(block_count(driver.list(i).size));
  (is_second ? slice_.shape.and_fallback_queries : slice_.shape.and_queries) += run.end - run.begin;
}

void QueryMeasurer::count_or(const SliceQuery& query, const SegmentRun& run,
                             const QueryEntry& entry) {
  BatchShape& shape = slice_.shape;
  const ListSums& sums = run.sums;
  shape.or_postings += sums.postings;
  shape.or_blocks += sums.blocks;
  shape.table_ranges += sums.ranges;
  slice_.short_ranges += sums.short_ranges;
  shape.or_queries += run.end - run.begin;
  shape.or_lists += sums.lists;
  shape.row_entries += run.present.count() * segments_.row_entries(run.begin, run.end);
  shape.tile_entries += segments_.tiles(run.begin, run.end);
  const std::uint32_t flags = query.common.flags | flags_of(entry, query.counts);
  shape.adds_up_only &= (flags & kAddsUpOnly) != 0;
  shape.some_add_up |= (flags & kAddsUpOnly) != 0;
  shape.some_read_all |= (flags & (kCount | kExhaustive)) != 0;
  shape.longest_or = std::max(shape.longest_or, entry.roles.scoring);
}

}  // namespace warpdex::gpu
