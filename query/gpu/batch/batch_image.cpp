// Lays an image out, and reads what was written.
#include "gpu/batch/batch_image.hpp"

#include <algorithm>

#include "gpu/batch/list_writer.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::gpu {

ImageParts lay_out(const BatchShape& shape, void* begin) {
  Arena arena(begin);
  ImageParts parts{};
  parts.lists = arena.take<List>(shape.lists);
  parts.queries =
      arena.take<Query>(std::size_t{shape.and_queries} + shape.second_queries + shape.or_queries);
  parts.finals = arena.take<Query>(shape.queries);
  parts.table_stretches = arena.take<Stretch>(shape.table_stretches);
  parts.and_stretches =
      arena.take<Stretch>(std::size_t{shape.and_stretches} + shape.second_stretches);
  parts.raw = arena.take<std::uint32_t>(std::size_t{shape.raw_lists} * kRawListEntries);
  parts.image_bytes = arena.used();
  return parts;
}

std::vector<Wave> waves(const BatchShape& shape, const ImageParts& host, std::uint32_t at_once) {
  std::vector<Wave> waves;
  std::uint32_t stretch = 0;
  for (std::uint32_t first = 0; first < shape.or_queries; first += at_once) {
    Wave wave{first, std::min(at_once, shape.or_queries - first), stretch, 0, false};
    for (; stretch < shape.table_stretches; ++stretch) {
      const List& list = host.lists[host.table_stretches[stretch].owner];
      if (list.owner >= first + wave.queries) break;
      wave.has_prohibited |= (list.flags & kProhibited) != 0;
    }
    wave.stretches = stretch - wave.first_stretch;
    waves.push_back(wave);
  }
  return waves;
}

}  // namespace warpdex::gpu
