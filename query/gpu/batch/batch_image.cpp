// Lays out an image.
#include "gpu/batch/batch_image.hpp"

#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::gpu {
namespace {

void take_made(const BatchShape& shape, Arena& arena, ImageParts& parts) {
  parts.lists = arena.take<List>(shape.lists);
  parts.queries = arena.take<Query>(std::size_t{shape.and_queries} + shape.and_fallback_queries +
                                    shape.or_queries);
  parts.list_spans =
      arena.take<ListSpan>(shape.segments > 1 ? std::size_t{shape.queries} * shape.segments : 0);
  parts.table_ranges = arena.take<BlockRange>(shape.table_ranges);
}

}  // namespace

ImageParts lay_out(const BatchShape& shape, void* begin) {
  Arena arena(begin);
  ImageParts parts{};
  if (shape.sends_entries) {
    parts.entries = arena.take<EntrySource>(shape.entries);
    parts.uses = arena.take<ListUse>(shape.uses);
    parts.sources = arena.take<ListSource>(shape.own_lists);
    parts.tables = arena.take<SegmentTables>(shape.segments);
  } else {
    take_made(shape, arena, parts);
  }
  parts.final_queries = arena.take<Query>(shape.queries);
  parts.list_matches = arena.take<std::uint32_t>(shape.queries);
  parts.query_tiles = arena.take<QueryTiles>(shape.segments > 1 ? shape.or_states : 0);
  parts.and_ranges =
      arena.take<BlockRange>(std::size_t{shape.and_ranges} + shape.and_fallback_ranges);
  parts.stored_ranges = arena.take<BlockRange>(shape.stored_ranges);
  parts.stored_marked = arena.take<std::uint32_t>(shape.stored_marked);
  parts.raw = arena.take<std::uint32_t>(
      std::size_t{shape.sends_entries ? shape.own_raw_lists : shape.raw_lists} * kRawListEntries);
  parts.image_bytes = arena.used();
  return parts;
}

std::size_t lay_out_made(const BatchShape& shape, void* begin, ImageParts& parts) {
  if (!shape.sends_entries) return 0;
  Arena arena(begin);
  take_made(shape, arena, parts);
  return arena.used();
}

}  // namespace warpdex::gpu
