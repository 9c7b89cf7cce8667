// Lays out an image, and groups its queries.
#include "gpu/batch/batch_image.hpp"

#include <algorithm>

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

std::vector<QueryGroup> query_groups(const BatchShape& shape, const ImageParts& host,
                                     std::uint32_t at_once) {
  std::vector<QueryGroup> query_groups;
  std::uint32_t range = 0;
  for (std::uint32_t first = 0; first < shape.or_queries; first += at_once) {
    QueryGroup group{first, std::min(at_once, shape.or_queries - first), range, 0, false};
    for (; range < shape.table_ranges; ++range) {
      const List& list = host.lists[host.table_ranges[range].owner];
      if (list.or_query >= first + group.queries) break;
      group.has_prohibited |= (list.flags & kProhibited) != 0;
    }
    group.ranges = range - group.first_range;
    query_groups.push_back(group);
  }
  return query_groups;
}

}  // namespace warpdex::gpu
