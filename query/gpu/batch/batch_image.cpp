// Lays out an image.
#include "gpu/batch/batch_image.hpp"

#include "gpu/batch/list_writer.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::gpu {

ImageParts lay_out(const BatchShape& shape, void* begin) {
  Arena arena(begin);
  ImageParts parts{};
  parts.lists = arena.take<List>(shape.lists);
  parts.queries = arena.take<Query>(std::size_t{shape.and_queries} + shape.and_fallback_queries +
                                    shape.or_queries);
  parts.final_queries = arena.take<Query>(shape.queries);
  parts.table_ranges = arena.take<BlockRange>(shape.table_ranges);
  parts.and_ranges =
      arena.take<BlockRange>(std::size_t{shape.and_ranges} + shape.and_fallback_ranges);
  parts.raw = arena.take<std::uint32_t>(std::size_t{shape.raw_lists} * kRawListEntries);
  parts.image_bytes = arena.used();
  return parts;
}

}  // namespace warpdex::gpu
