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
  writer_.scorers().clear();
  const std::uint32_t first_list = next_.lists;
  if (for_gpu) {
    open_sources(plans, slot);
    write_all_lists(plans, slot);
  }
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
  make_lists(first_list);
  ++next_.queries;
}

/// Finds memory for the sources of a query's lists: the image's, or some of its own.
void QueryWriter::open_sources(const SegmentPlans& plans, std::uint32_t slot) {
  if (target_.shape.sends_sources) {
    sources_ = target_.host.sources;
    return;
  }
  constexpr std::size_t kMaxEntries = 2;  // that do not share lists
  std::size_t lists = 1;
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    lists += kMaxEntries * plans.in(slot, i).terms.size();
  }
  if (own_sources_.size() < lists) own_sources_.resize(lists);
  sources_ = own_sources_.data();
  first_source_ = next_.lists;
}

/// Makes the image's lists from the query's own sources, which start with list number `first`.
void QueryWriter::make_lists(std::uint32_t first) {
  if (target_.shape.sends_sources) return;
  for (std::uint32_t list = first; list < next_.lists; ++list) {
    target_.host.lists[list] = make_list(source(list), segments_[source(list).segment].tables);
  }
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
  CollectionStatistics statistics{};
  if (plan.statistics) {
    statistics = *plan.statistics;
  } else {
    statistics = {placed.index.counts().documents, placed.index.counts().tokens};
  }
  const auto write = [&](const PlannedTerm& term, std::uint32_t flags) {
    const RawPlace raw = needs_raw(placed, term.entry) ? next_raw(term.entry) : RawPlace{};
    writer_.write(placed, segment, term, statistics, flags, raw, source(next_.lists++));
  };
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) continue;
    write(term, is_required(term, entry.unsigned_is_required) ? kRequired : 0U);
  }
  if (entry.roles.prohibited == 0) return;
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) write(term, kProhibited);
  }
}

/// Room for the next raw list, which takes that room.
RawPlace QueryWriter::next_raw(const PostingsEntry& entry) {
  const std::size_t padded = std::size_t{next_.raw_lists++} * kRawListEntries;
  const std::uint32_t word = 2 * next_.raw_postings;
  next_.raw_postings += entry.document_frequency;
  const std::uint32_t* const device = target_.device.raw + padded;
  if (target_.shape.sends_sources) return {target_.host.packed + word, device, true, word};
  return {target_.host.raw + padded, device, false, 0};
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
  const std::uint32_t tiles = query.end_tile - query.first_tile;
  ListSource* const lists = &source(query.first_list);
  if (store_.place_lists(*written.plan, query, lists)) query.flags |= kStored;
  const std::uint32_t shift = target_.shape.row_shift - query.first_tile;
  query.tile_row = shift + next_.tile_entries;
  next_.tile_entries += tiles;
  const std::uint32_t step = target_.shape.range_blocks;
  const std::uint32_t or_query = next_.or_queries;
  std::uint32_t row = shift + next_.row_entries;
  BlockRange* range = target_.host.table_ranges + next_.table_ranges;
  for (std::uint32_t i = 0; i < query.list_count; ++i) {
    ListSource& list = lists[i];
    list.or_query = or_query;
    list.rank = static_cast<std::uint16_t>(i);
    list.tile_row = row;
    row += tile_row_entries(tiles);
    const std::uint32_t blocks = block_count(list.size);
    for (std::uint32_t block = 0; block < blocks; block += step) {
      *range++ = {query.first_list + i, block, std::min(step, blocks - block)};
    }
  }
  next_.row_entries = row - shift;
  next_.table_ranges = static_cast<std::uint32_t>(range - target_.host.table_ranges);
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
