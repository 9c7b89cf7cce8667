// Goes through a slice's entries as they were counted.
#include "gpu/batch/image_writer.hpp"

#include <algorithm>

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

void QuerySlice::clear() {
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
                         const ImageTarget& target, QuerySlice& slice)
    : segments_(segments),
      store_(store),
      target_(target),
      slice_(slice),
      next_(slice.before),
      next_raw_(target.shape.sends_entries ? next_.own_raw_lists : next_.raw_lists) {}

void ImageWriter::write() {
  if (target_.shape.sends_entries) write_rows();
  for (const SliceQuery& query : slice_.queries) write_query(query);
}

/// The rows of terms that have none on the GPU.
void ImageWriter::write_rows() {
  ListSource* to = target_.host.sources + next_.own_lists;
  for (const SliceTerm& term : slice_.terms) {
    if (term.own_list == kNone) continue;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      const ListSource& source = term.list(i);
      *to++ = source.flags & kPacked ? place_packed(term.row.packed, source) : source;
    }
  }
}

/// Pads the numbers of a list that is decoded for its query. Returns the list with its place.
ListSource ImageWriter::place_packed(const std::uint32_t* packed, ListSource source) {
  const std::size_t place = std::size_t{next_raw_++} * kRawListEntries;
  source.docids = reinterpret_cast<const std::uint8_t*>(target_.device.raw + place);
  pad_list(packed + source.first_block, source.size, target_.host.raw + place);
  return source;
}

void ImageWriter::write_query(const SliceQuery& query) {
  const ImageParts& host = target_.host;
  const std::uint32_t first_or = next_.or_queries;
  const std::uint32_t first_tile = next_.tile_entries;
  for (const SegmentRun& run : slice_.runs_of(query)) {
    for (std::uint32_t i = 0; i < run.entries.count; ++i) write_entry(query, run, i);
  }
  Query& final_query = host.final_queries[next_.queries];
  final_query = query.run_count == 0
                    ? query.common
                    : make_query(entry_, segments_.tables().data(), entry_.segments - 1);
  final_query.scoring_lists = query.common.scoring_lists;
  host.list_matches[next_.queries] = query.list_matches;
  ++next_.queries;
  if (next_.or_queries == first_or) return;
  if (segments_.size() > 1) {
    host.query_tiles[next_.or_states] = {first_or, target_.shape.row_shift + first_tile,
                                         next_.tile_entries - first_tile};
  }
  ++next_.or_states;
}

/// Entry number `i` of a run, in all of its segments.
void ImageWriter::write_entry(const SliceQuery& query, const SegmentRun& run, std::uint32_t i) {
  const QueryEntry& entry = run.entries.entries[i];
  const bool is_or = entry.kind == EntryKind::kOr;
  entry_ = {};
  entry_.query = query.common;
  entry_.first_use = kNone;
  entry_.first_segment = run.begin;
  entry_.segments = run.end - run.begin;
  entry_.row = kNone;
  Query& own = entry_.query;
  own.scoring_lists = entry.roles.scoring;
  own.list_count = entry.roles.scoring + entry.roles.prohibited;
  own.flags |= flags_of(entry, query.counts);
  own.tile_row = kNone;
  own.first_candidate = own.state * target_.capacity;
  own.candidate_capacity = target_.capacity;
  if (!entry.shares_lists) {
    // The entry behind it may use the same lists.
    const bool are_shared = i + 1 < run.entries.count && run.entries.entries[i + 1].shares_lists;
    write_uses(query, run, entry, is_or || are_shared);
  }
  own.first_list = first_list_;
  if (is_or) {
    own.seed_threshold = query.or_threshold;
    if (are_stored_) own.flags |= kStored;
    place_or(run);
  } else {
    place_and(entry);
  }
  if (target_.shape.sends_entries) {
    target_.host.entries[next_.entries++] = entry_;
    return;
  }
  if (!entry.shares_lists) make_lists(query, run);
  make_queries();
}

/// How an entry uses its terms' lists, and where these go. Those of OR have rows by tile.
void ImageWriter::write_uses(const SliceQuery& query, const SegmentRun& run,
                             const QueryEntry& entry, bool is_or) {
  const TermSet required = query.roles.required(entry.unsigned_is_required);
  const bool is_sent = target_.shape.sends_entries;
  const std::uint32_t count = run.present.count();
  if (!is_sent && own_uses_.size() < count) own_uses_.resize(std::max(count, kMaxLists));
  uses_ = is_sent ? target_.host.uses + next_.uses : own_uses_.data();
  are_stored_ = !store_.is_empty() && is_or;
  ListUse* use = uses_;
  run.present.for_each([&](std::uint32_t number) {
    const SliceTerm& term = slice_.terms[query.first_term + number];
    *use = {};
    if (is_sent) {
      use->row = term.own_list == kNone
                     ? term.row.on_gpu
                     : target_.device.sources + slice_.before.own_lists + term.own_list;
    }
    use->weight = term.weight;
    use->c0 = term.c0;
    use->c1 = term.c1;
    use->c2 = term.c2;
    use->bound = term.bound;
    use->flags =
        static_cast<std::uint16_t>((required.contains(number) ? kRequired : 0U) |
                                   (query.roles.prohibited.contains(number) ? kProhibited : 0U));
    use->field = term.planned->entry.field;
    if (are_stored_) {
      const auto rank = static_cast<std::uint32_t>(use - uses_);
      store_.place(term.planned->entry, next_.lists + rank, *use);
    }
    ++use;
  });
  are_stored_ = are_stored_ && may_read_stored(query, count);
  entry_.first_use = next_.uses;
  next_.uses += count;
  first_list_ = next_.lists;
  next_.lists += run.sums.lists;
  if (!is_or) return;
  entry_.row = target_.shape.row_shift + next_.row_entries;
  entry_.or_query = next_.or_queries;
  entry_.first_range = next_.table_ranges;
  const bool are_short = target_.shape.range_blocks == kShortRangeBlocks;
  next_.table_ranges += are_short ? run.sums.short_ranges : run.sums.ranges;
}

/// Whether OR may read a query's lists decoded: they are not too many, and no weight is too large.
bool ImageWriter::may_read_stored(const SliceQuery& query, std::size_t lists) const {
  if (lists > (target_.shape.adds_stored() ? kMaxLists : kMaxSearchedLists)) return false;
  return std::ranges::all_of(slice_.terms_of(query), [&](const SliceTerm& term) {
    return term.weight * query.common.scale <= kMaxStoredWeight;
  });
}

/// The places of an entry of AND, and its block ranges.
void ImageWriter::place_and(const QueryEntry& entry) {
  const bool is_second = entry.kind == EntryKind::kAndFallback;
  const BatchShape& all = target_.shape;
  std::uint32_t& next = is_second ? next_.and_fallback_queries : next_.and_queries;
  entry_.place = is_second ? all.and_queries + next : next;
  next += entry_.segments;
  AndBlockRanges& ranges = is_second ? slice_.and_fallback_ranges : slice_.and_ranges;
  BlockRange* const to = target_.host.and_ranges + (is_second ? all.and_ranges : 0);
  std::uint32_t& number = is_second ? next_fallback_ : next_and_;
  for (std::uint32_t i = 0; i < entry_.segments; ++i) ranges.write(number++, entry_.place + i, to);
}

/// The places of an entry of OR, and its rows in the tables.
void ImageWriter::place_or(const SegmentRun& run) {
  const BatchShape& all = target_.shape;
  entry_.place = all.and_queries + all.and_fallback_queries + next_.or_queries;
  next_.or_queries += entry_.segments;
  entry_.query.tile_row = all.row_shift + next_.tile_entries;
  next_.tile_entries += segments_.tiles(run.begin, run.end);
  next_.row_entries += entry_.query.list_count * segments_.row_entries(run.begin, run.end);
}

/// What make_entries does on the GPU.
void ImageWriter::make_lists(const SliceQuery& query, const SegmentRun& run) {
  const SegmentTables* const tables = segments_.tables().data();
  BlockRange* range = target_.host.table_ranges + entry_.first_range;
  std::uint32_t number = first_list_;
  for (std::uint32_t segment = run.begin; segment < run.end; ++segment) {
    std::uint32_t rank = 0;
    run.present.for_each([&](std::uint32_t i) {
      const SliceTerm& term = slice_.terms[query.first_term + i];
      ListSource source = term.list(segment);
      if (source.flags & kPacked) source = place_packed(term.row.packed, source);
      List list = make_list(source, tables[segment], uses_[rank]);
      place_list(entry_, tables, segment - run.begin, rank++, list);
      if (entry_.row != kNone) {
        range = write_ranges(number, list.blocks, target_.shape.range_blocks, range);
      }
      target_.host.lists[number++] = list;
    });
  }
}

/// Likewise.
void ImageWriter::make_queries() const {
  const ImageParts& host = target_.host;
  for (std::uint32_t i = 0; i < entry_.segments; ++i) {
    const Query query = make_query(entry_, segments_.tables().data(), i);
    host.queries[entry_.place + i] = query;
    if (segments_.size() == 1) continue;
    host.list_spans[query.state * segments_.size() + entry_.first_segment + i] = {
        query.first_list, query.scoring_lists};
  }
}

}  // namespace warpdex::gpu
