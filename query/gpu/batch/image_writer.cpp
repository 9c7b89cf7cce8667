// Adds to all numbers what the pieces before have.
#include "gpu/batch/image_writer.hpp"

#include <algorithm>

#include "gpu/batch/list_writer.hpp"
#include "gpu/batch/short_lists.hpp"

namespace warpdex::gpu {

void QueryPiece::clear() {
  shape = {};
  before = {};
  short_ranges = 0;
  lists.clear();
  packed.clear();
  and_queries.clear();
  and_fallback_queries.clear();
  or_queries.clear();
  final_queries.clear();
  list_matches.clear();
  list_spans.clear();
  query_tiles.clear();
  and_ranges.clear();
  and_fallback_ranges.clear();
  unanswerable.clear();
  stored.clear();
}

void ImageWriter::write(QueryPiece& piece) const {
  place_stored(piece);
  write_lists(piece);
  write_queries(piece);
  write_or(piece);
  write_table_ranges(piece);
  write_and_ranges(piece);
}

/// Tells lists where they are decoded once for all queries.
void ImageWriter::place_stored(QueryPiece& piece) const {
  if (store_.is_empty()) return;
  for (Query& query : piece.or_queries) {
    const bool are_placed = store_.place_lists(plans_.in(query.slot, 0), query, piece.before.lists,
                                               piece.lists.data() + query.first_list);
    if (are_placed) query.flags |= kStored;
  }
}

void ImageWriter::write_lists(const QueryPiece& piece) const {
  const ImageParts& host = target_.host;
  const bool are_sources = target_.shape.sends_sources;
  const BatchShape& before = piece.before;
  std::uint32_t raw = before.raw_lists;
  std::uint32_t* const packed = host.packed + 2 * std::size_t{before.raw_postings};
  if (are_sources) std::copy(piece.packed.begin(), piece.packed.end(), packed);
  ListSource own;  // where the image has lists
  std::uint32_t number = before.lists;
  for (const ListSource& from : piece.lists) {
    // Copied whole and then changed: the other way round, the copy would wait for the changes.
    ListSource& source = are_sources ? host.sources[number] : own;
    source = from;
    if (from.tile_row != kNone) {
      source.or_query = from.or_query + before.or_queries;
      source.tile_row = from.tile_row + before.row_entries;
    }
    if (from.flags & kPacked) {
      const std::size_t place = std::size_t{raw++} * kRawListEntries;
      source.docids = reinterpret_cast<const std::uint8_t*>(target_.device.raw + place);
      if (!are_sources) pad_list(&piece.packed[from.first_block], from.size, host.raw + place);
      source.first_block = from.first_block + 2 * before.raw_postings;
    }
    if (!are_sources) host.lists[number] = make_list(own, segments_[own.segment].tables);
    ++number;
  }
}

/// Writes a query with its place in the batch; OR's tables apart.
void ImageWriter::place(const Query& from, const QueryPiece& piece, Query& to) const {
  to = from;
  to.first_list = from.first_list + piece.before.lists;
  to.first_candidate = from.state * target_.capacity;
  to.candidate_capacity = target_.capacity;
}

void ImageWriter::write_queries(const QueryPiece& piece) const {
  const ImageParts& host = target_.host;
  const BatchShape& before = piece.before;
  Query* to = host.queries + before.and_queries;
  for (const Query& query : piece.and_queries) place(query, piece, *to++);
  to = host.queries + target_.shape.and_queries + before.and_fallback_queries;
  for (const Query& query : piece.and_fallback_queries) place(query, piece, *to++);
  to = host.final_queries + before.queries;
  for (const Query& query : piece.final_queries) {
    if (query.list_count == 0) {
      *to++ = query;
    } else {
      place(query, piece, *to++);
    }
  }
  std::ranges::copy(piece.list_matches, host.list_matches + before.queries);
  if (target_.shape.segments == 1) return;
  ListSpan* span = host.list_spans + std::size_t{before.queries} * target_.shape.segments;
  for (const ListSpan& own : piece.list_spans) *span++ = {own.first + before.lists, own.count};
}

/// The last entry of a query with entries of OR is one of these.
void ImageWriter::write_or(const QueryPiece& piece) const {
  const ImageParts& host = target_.host;
  const BatchShape& before = piece.before;
  const BatchShape& all = target_.shape;
  Query* to = host.queries + all.and_queries + all.and_fallback_queries + before.or_queries;
  for (const Query& own : piece.or_queries) {
    place(own, piece, *to);
    (to++)->tile_row = own.tile_row + before.tile_entries;
    Query& last = host.final_queries[own.state];
    last.tile_row = own.tile_row + before.tile_entries;
    last.flags = own.flags;  // it may be stored now
  }
  QueryTiles* tiles = host.query_tiles + before.or_states;
  for (const QueryTiles& own : piece.query_tiles) {
    *tiles++ = {own.query + before.or_queries, own.begin + before.tile_entries, own.tiles};
  }
}

void ImageWriter::write_table_ranges(const QueryPiece& piece) const {
  const std::uint32_t step = target_.shape.range_blocks;
  BlockRange* range = target_.host.table_ranges + piece.before.table_ranges;
  for (const Query& query : piece.or_queries) {
    for (std::uint32_t i = query.first_list; i < query.first_list + query.list_count; ++i) {
      const std::uint32_t blocks = block_count(piece.lists[i].size);
      for (std::uint32_t block = 0; block < blocks; block += step) {
        *range++ = {piece.before.lists + i, block, std::min(step, blocks - block)};
      }
    }
  }
}

void ImageWriter::write_and_ranges(QueryPiece& piece) const {
  const BatchShape& all = target_.shape;
  BlockRange* const ranges = target_.host.and_ranges;
  for (std::uint32_t i = 0; i < piece.and_queries.size(); ++i) {
    piece.and_ranges.write(i, piece.before.and_queries + i, ranges);
  }
  for (std::uint32_t i = 0; i < piece.and_fallback_queries.size(); ++i) {
    piece.and_fallback_ranges.write(i, all.and_queries + piece.before.and_fallback_queries + i,
                                    ranges + all.and_ranges);
  }
}

}  // namespace warpdex::gpu
