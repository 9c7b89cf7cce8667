// Writes the entries of queries with their lists, and the block ranges of these.
#include "gpu/batch/query_writer.hpp"

#include <algorithm>
#include <span>

#include "gpu/layout/length_codes.hpp"

namespace warpdex::gpu {

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
