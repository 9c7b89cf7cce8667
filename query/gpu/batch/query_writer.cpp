// Writes the entries of queries with their lists, and counts what they need.
#include "gpu/batch/query_writer.hpp"

#include <algorithm>
#include <span>

#include "gpu/layout/length_codes.hpp"

namespace warpdex::gpu {
namespace {

/// With more terms, lookups may cost far more than accumulating. Over 25 million documents, 9 terms
/// take a third less time by lookups for ten answers, 16 terms a quarter more for a thousand.
constexpr std::uint32_t kLongQuery = 12;

std::uint32_t block_range_count(std::uint32_t blocks, std::uint32_t range_blocks) {
  return (blocks + range_blocks - 1) / range_blocks;
}

}  // namespace

void QueryWriter::write(const SegmentPlans& plans, std::uint32_t slot, bool for_gpu) {
  Query& final_query = piece_.final_queries.emplace_back();
  final_query.state = piece_.begin + piece_.shape.queries;
  final_query.slot = slot;
  piece_.list_matches.push_back(0);
  const bool are_several = segments_.size() > 1;
  if (are_several) piece_.list_spans.resize(piece_.list_spans.size() + segments_.size());
  written_.clear();
  writer_.scorers().clear();
  if (for_gpu) {
    write_all_lists(plans, slot);
  } else {
    piece_.unanswerable.push_back(slot);
  }
  if (!written_.empty()) {
    Query common = start_query(slot);
    const PlannedQuery& whole = plans[slot];
    set_scale(max_counted(whole, plans.are_of_all(), common.k), has_whole_weights(whole), common);
    set_known_threshold(common);
    const std::uint32_t or_threshold = seeded_threshold(common);
    const std::uint32_t or_queries = piece_.shape.or_queries;
    const std::uint32_t tile_entries = piece_.shape.tile_entries;
    for (const Written& each : written_) write_entry(each, common, or_threshold, final_query);
    if (piece_.shape.or_queries > or_queries) {
      ++piece_.shape.or_states;
      const QueryTiles tiles{or_queries, row_shift_ + tile_entries,
                             piece_.shape.tile_entries - tile_entries};
      if (are_several) piece_.query_tiles.push_back(tiles);
    }
  }
  ++piece_.shape.queries;
}

/// Writes the lists of a query's entries in all segments, and what is known of them.
void QueryWriter::write_all_lists(const SegmentPlans& plans, std::uint32_t slot) {
  const std::size_t first_span = piece_.list_spans.size() - segments_.size();
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const PlannedQuery& plan = plans.in(slot, i);
    std::uint32_t first_list = 0;
    const QueryEntries entries = segments_.entries(plans, slot, rules_.of(slot).mode, i);
    if (entries.count == 0) continue;
    for (const QueryEntry& entry : entries) {
      if (!entry.shares_lists) {
        first_list = static_cast<std::uint32_t>(piece_.lists.size());
        const std::uint64_t postings = write_lists(i, plan, entry);
        if (&entry == entries.begin()) piece_.shape.postings += postings;
      }
      written_.push_back({i, &plan, entry, first_list});
      if (entry.is_one_list) {
        const PlannedTerm& term = plan.terms[0];
        piece_.list_matches.back() += term.entry.document_frequency - term.removed;
      }
      if (segments_.size() > 1) {
        piece_.list_spans[first_span + i] = {first_list, entry.roles.scoring};
      }
    }
  }
}

/// Returns the number of their postings.
std::uint64_t QueryWriter::write_lists(std::size_t segment, const PlannedQuery& plan,
                                       const QueryEntry& entry) {
  const PlacedIndex& placed = segments_[segment];
  CollectionStatistics statistics{};
  if (plan.statistics) {
    statistics = *plan.statistics;
  } else {
    statistics = {placed.index.counts().documents, placed.index.counts().tokens};
  }
  std::uint64_t postings = 0;
  const auto write_list = [&](const PlannedTerm& term, std::uint32_t flags) {
    ListSource& list = piece_.lists.emplace_back();
    writer_.write(placed, segment, term, statistics, flags, piece_.packed, list);
    postings += list.size;
    if ((list.flags & kPacked) == 0) return;
    ++piece_.shape.raw_lists;
    piece_.shape.raw_postings += list.size;
  };
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) continue;
    write_list(term, is_required(term, entry.unsigned_is_required) ? kRequired : 0U);
  }
  for (const PlannedTerm& term : plan.terms) {
    if (entry.roles.prohibited == 0) break;
    if (term.is_prohibited) write_list(term, kProhibited);
  }
  piece_.shape.lists = static_cast<std::uint32_t>(piece_.lists.size());
  return postings;
}

/// What a query has in common in all segments.
Query QueryWriter::start_query(std::uint32_t slot) const {
  const SearchSettings& settings = rules_.of(slot);
  Query query{};
  for (const Written& each : written_) {
    query.scoring_lists = std::max(query.scoring_lists, each.entry.roles.scoring);
  }
  query.k = settings.k;
  query.state = piece_.begin + piece_.shape.queries;
  query.slot = slot;
  query.min_matches = settings.mode == QueryMode::kAndOr ? settings.and_or_min_matches() : 0;
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
  piece_.shape.has_fallback |= entry.is_fallback;
  if (entry.kind == EntryKind::kOr) {
    query.seed_threshold = or_threshold;
    write_or(written, query);
  } else {
    write_and(written, query);
  }
  final_query = query;
  final_query.scoring_lists = common.scoring_lists;
}

void QueryWriter::write_or(const Written& written, Query& query) {
  BatchShape& shape = piece_.shape;
  const std::uint32_t tiles = query.end_tile - query.first_tile;
  const std::uint32_t shift = row_shift_ - query.first_tile;
  query.tile_row = shift + shape.tile_entries;
  shape.tile_entries += tiles;
  // What is counted for each list is kept in registers.
  std::uint32_t row = shift + shape.row_entries;
  const std::uint32_t or_query = shape.or_queries;
  std::uint64_t postings = 0;
  std::uint32_t all_blocks = 0;
  std::uint32_t max_blocks = 0;
  std::uint32_t ranges = 0;
  std::uint32_t short_ranges = 0;
  ListSource* list = piece_.lists.data() + query.first_list;
  for (std::uint32_t i = 0; i < query.list_count; ++i, ++list) {
    list->or_query = or_query;
    list->rank = static_cast<std::uint16_t>(i);
    list->tile_row = row;
    row += tile_row_entries(tiles);
    const std::uint32_t blocks = block_count(list->size);
    postings += list->size;
    all_blocks += blocks;
    max_blocks = std::max(max_blocks, blocks);
    ranges += block_range_count(blocks, kRangeBlocks);
    short_ranges += block_range_count(blocks, kShortRangeBlocks);
  }
  piece_.short_ranges += short_ranges;
  shape.or_postings += postings;
  shape.or_blocks += all_blocks;
  shape.max_list_blocks = std::max(shape.max_list_blocks, max_blocks);
  shape.table_ranges += ranges;
  shape.row_entries = row - shift;
  shape.or_lists += query.list_count;
  shape.adds_up_only &= (query.flags & kAddsUpOnly) != 0;
  shape.needs_rounds |= (query.flags & (kAddsUpOnly | kNoTiles)) != 0;
  shape.needs_rounds |= written.entry.roles.scoring > kLongQuery;
  ++shape.or_queries;
  piece_.or_queries.push_back(query);
}

void QueryWriter::write_and(const Written& written, const Query& query) {
  const PlannedTerm& driver = driver_of(*written.plan, written.entry);
  const std::uint32_t blocks = block_count(driver.entry.document_frequency);
  const bool is_second = written.entry.kind == EntryKind::kAndFallback;
  ++(is_second ? piece_.shape.and_fallback_queries : piece_.shape.and_queries);
  (is_second ? piece_.and_fallback_ranges : piece_.and_ranges).add(blocks);
  (is_second ? piece_.and_fallback_queries : piece_.and_queries).push_back(query);
}

}  // namespace warpdex::gpu
