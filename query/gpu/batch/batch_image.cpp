// Lays out an image.
#include "gpu/batch/batch_image.hpp"

#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::gpu {

ImageParts lay_out(const BatchShape& shape, void* begin) {
  Arena arena(begin);
  ImageParts parts{};
  const bool are_sources = shape.sends_sources;
  parts.lists = arena.take<List>(are_sources ? 0 : shape.lists);
  parts.sources = arena.take<ListSource>(are_sources ? shape.lists : 0);
  parts.tables = arena.take<ListTables>(are_sources ? shape.segments : 0);
  parts.queries = arena.take<Query>(std::size_t{shape.and_queries} + shape.and_fallback_queries +
                                    shape.or_queries);
  parts.final_queries = arena.take<Query>(shape.queries);
  parts.list_matches = arena.take<std::uint32_t>(shape.queries);
  const bool are_several = shape.segments > 1;
  parts.list_spans =
      arena.take<ListSpan>(are_several ? std::size_t{shape.queries} * shape.segments : 0);
  parts.query_tiles = arena.take<QueryTiles>(are_several ? shape.or_states : 0);
  parts.table_ranges = arena.take<BlockRange>(shape.table_ranges);
  parts.and_ranges =
      arena.take<BlockRange>(std::size_t{shape.and_ranges} + shape.and_fallback_ranges);
  parts.stored_ranges = arena.take<BlockRange>(shape.stored_ranges);
  parts.stored_marked = arena.take<std::uint32_t>(shape.stored_marked);
  parts.raw =
      arena.take<std::uint32_t>(are_sources ? 0 : std::size_t{shape.raw_lists} * kRawListEntries);
  parts.packed = arena.take<std::uint32_t>(are_sources ? 2 * std::size_t{shape.raw_postings} : 0);
  parts.image_bytes = arena.used();
  return parts;
}

}  // namespace warpdex::gpu
