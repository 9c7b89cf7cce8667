// Goes through a piece's entries as they were counted.
#include "gpu/batch/image_writer.hpp"

#include <algorithm>
#include <bit>

#include "gpu/batch/short_lists.hpp"

namespace warpdex::gpu {
namespace {

/// The block ranges of a list. Returns where the next go.
BlockRange* write_ranges(std::uint32_t list, std::uint32_t blocks, std::uint32_t step,
                         BlockRange* range) {
  for (std::uint32_t block = 0; block < blocks; block += step) {
    *range++ = {list, block, std::min(step, blocks - block)};
  }
  return range;
}

}  // namespace

void QueryPiece::clear() {
  shape = {};
  before = {};
  short_ranges = 0;
  queries.clear();
  terms.clear();
  runs.clear();
  own_lists.clear();
  own_packed.clear();
  and_ranges.clear();
  and_fallback_ranges.clear();
  unanswerable.clear();
  stored.clear();
}

ImageWriter::ImageWriter(const PlacedSegments& segments, PostingStore& store,
                         const ImageTarget& target, QueryPiece& piece)
    : segments_(segments),
      store_(store),
      target_(target),
      piece_(piece),
      next_(piece.before),
      row_shift_(target.shape.row_shift),
      are_sources_(target.shape.sends_sources) {}

void ImageWriter::write() {
  for (const PieceQuery& query : piece_.queries) write_query(query);
}

void ImageWriter::write_query(const PieceQuery& query) {
  const ImageParts& host = target_.host;
  const std::size_t segments = segments_.size();
  const std::uint32_t first_or = next_.or_queries;
  const std::uint32_t first_tile = next_.tile_entries;
  if (segments > 1) {
    std::fill_n(host.list_spans + std::size_t{next_.queries} * segments, segments, ListSpan{});
  }
  const Query* last = &query.common;
  for (const SegmentRun& run : piece_.runs_of(query)) {
    for (std::uint32_t segment = run.begin; segment < run.end; ++segment) {
      for (std::uint32_t i = 0; i < run.entries.count; ++i) {
        last = write_entry(query, run, segment, i);
      }
    }
  }
  Query& final_query = host.final_queries[next_.queries];
  final_query = *last;
  final_query.scoring_lists = query.common.scoring_lists;
  host.list_matches[next_.queries] = query.list_matches;
  ++next_.queries;
  if (next_.or_queries == first_or) return;
  if (segments > 1) {
    host.query_tiles[next_.or_states] = {first_or, row_shift_ + first_tile,
                                         next_.tile_entries - first_tile};
  }
  ++next_.or_states;
}

/// Entry number `i` of a run, in one of its segments. Returns it as it was written.
const Query* ImageWriter::write_entry(const PieceQuery& query, const SegmentRun& run,
                                      std::uint32_t segment, std::uint32_t i) {
  const QueryEntry& entry = run.entries.entries[i];
  if (!entry.shares_lists) {
    // The entry behind it may use the same lists.
    const bool are_shared = i + 1 < run.entries.count && run.entries.entries[i + 1].shares_lists;
    const bool is_or = entry.kind == EntryKind::kOr || are_shared;
    first_list_ = next_.lists;
    are_stored_ =
        write_lists(query, run.present, entry, segment, is_or ? place_of(segment) : OrPlace{});
  }
  Query own = query.common;
  own.first_list = first_list_;
  own.scoring_lists = entry.roles.scoring;
  own.list_count = entry.roles.scoring + entry.roles.prohibited;
  own.flags |= flags_of(entry, query.counts);
  own.first_tile = segments_[segment].first_tile();
  own.end_tile = own.first_tile + segments_.tiles(segment);
  own.first_candidate = own.state * target_.capacity;
  own.candidate_capacity = target_.capacity;
  const ImageParts& host = target_.host;
  if (segments_.size() > 1) {
    host.list_spans[std::size_t{next_.queries} * segments_.size() + segment] = {
        first_list_, entry.roles.scoring};
  }
  Query* to = nullptr;
  if (entry.kind == EntryKind::kOr) {
    own.seed_threshold = query.or_threshold;
    if (are_stored_) own.flags |= kStored;
    to = place_or(own);
  } else if (entry.kind == EntryKind::kAnd) {
    piece_.and_ranges.write(next_and_++, next_.and_queries, host.and_ranges);
    to = host.queries + next_.and_queries++;
  } else {
    const std::uint32_t number = target_.shape.and_queries + next_.and_fallback_queries++;
    piece_.and_fallback_ranges.write(next_fallback_++, number,
                                     host.and_ranges + target_.shape.and_ranges);
    to = host.queries + number;
  }
  *to = own;
  return to;
}

ImageWriter::OrPlace ImageWriter::place_of(std::uint32_t segment) const {
  return {next_.or_queries, row_shift_ - segments_[segment].first_tile() + next_.row_entries,
          tile_row_entries(segments_.tiles(segment))};
}

/// The lists of an entry, and the block ranges of those of OR. Returns whether OR may read them
/// decoded: they are decoded once, not too many, and no weight is too large for that.
bool ImageWriter::write_lists(const PieceQuery& query, TermSet present, const QueryEntry& entry,
                              std::uint32_t segment, const OrPlace& place) {
  const TermSet required = query.roles.required(entry.unsigned_is_required);
  const TermSet prohibited = query.roles.prohibited;
  const PieceTerm* const terms = piece_.terms.data() + query.first_term;
  const bool is_or = place.tile_row != kNone;
  bool are_stored = !store_.is_empty() && is_or;
  // Numbers are kept in registers: what is written might be any of them to the compiler.
  std::uint32_t number = next_.lists;
  std::uint32_t rank = 0;
  ListSource own;  // where the image has lists
  ListSource* source = are_sources_ ? target_.host.sources + number : &own;
  BlockRange* range = target_.host.table_ranges + next_.table_ranges;
  const std::uint32_t step = target_.shape.range_blocks;
  for (TermSet left = present; left != 0; left &= left - 1) {
    const int bit = std::countr_zero(left);
    const PieceTerm& term = terms[bit];
    // Copied whole and then changed: the other way round, the copy would wait for the changes.
    *source = term.list(segment);
    source->weight = term.weight;
    source->c0 = term.c0;
    source->c1 = term.c1;
    source->bound = term.bound;
    const auto role = (required >> bit & 1) * kRequired | (prohibited >> bit & 1) * kProhibited;
    source->flags |= static_cast<std::uint16_t>(role);
    if (is_or) {
      source->or_query = place.number;
      source->tile_row = place.tile_row + rank * place.row_entries;
      source->rank = static_cast<std::uint16_t>(rank);
      range = write_ranges(number, block_count(source->size), step, range);
    }
    if (are_stored) store_.place(term.planned->entry, number, *source);
    if (source->flags & kPacked) write_packed(term, *source);
    if (!are_sources_) {
      target_.host.lists[number] = make_list(own, segments_[segment].tables);
    } else {
      ++source;
    }
    ++number;
    ++rank;
  }
  next_.lists = number;
  next_.table_ranges = static_cast<std::uint32_t>(range - target_.host.table_ranges);
  const std::uint32_t max_lists = target_.shape.adds_stored ? kMaxLists : kMaxSearchedLists;
  if (!are_stored || rank > max_lists) return false;
  return std::ranges::all_of(piece_.terms_of(query), [&](const PieceTerm& term) {
    return term.weight * query.common.scale <= kMaxStoredWeight;
  });
}

/// The numbers of a list that is decoded for its query.
void ImageWriter::write_packed(const PieceTerm& term, ListSource& source) {
  const std::size_t place = std::size_t{next_.raw_lists++} * kRawListEntries;
  source.docids = reinterpret_cast<const std::uint8_t*>(target_.device.raw + place);
  const std::uint32_t* const numbers = term.row.packed + source.first_block;
  if (are_sources_) {
    source.first_block = 2 * next_.raw_postings;
    std::copy_n(numbers, 2 * source.size, target_.host.packed + source.first_block);
  } else {
    pad_list(numbers, source.size, target_.host.raw + place);
  }
  next_.raw_postings += source.size;
}

/// Gives an entry of OR, whose lists are written, its rows in the tables. Returns its place.
Query* ImageWriter::place_or(Query& own) {
  const BatchShape& all = target_.shape;
  const std::uint32_t tiles = own.end_tile - own.first_tile;
  own.tile_row = row_shift_ - own.first_tile + next_.tile_entries;
  next_.tile_entries += tiles;
  next_.row_entries += own.list_count * tile_row_entries(tiles);
  return target_.host.queries + all.and_queries + all.and_fallback_queries + next_.or_queries++;
}

}  // namespace warpdex::gpu
