// Lays an image out and writes it.
#include "warpdex/query/gpu/batch_image.hpp"

#include <cstring>

#include "warpdex/query/gpu/arena.hpp"

namespace warpdex::gpu {
namespace {

template <typename T>
void copy_to(const std::vector<T>& from, T* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size() * sizeof(T));
}

template <typename T>
void shift(const T*& pointer, const void* base) {
  pointer = reinterpret_cast<const T*>(reinterpret_cast<std::uintptr_t>(pointer) +
                                       reinterpret_cast<std::uintptr_t>(base));
}

}  // namespace

ImageParts lay_out(const BatchImage& image, void* begin) {
  Arena arena(begin);
  ImageParts parts{};
  parts.lists = arena.take<List>(image.lists.size());
  parts.queries = arena.take<Query>(image.and_queries.size() + image.second_queries.size() +
                                    image.or_queries.size());
  parts.finals = arena.take<Query>(image.finals.size());
  parts.table_stretches = arena.take<Stretch>(image.table_stretches.size());
  parts.and_stretches =
      arena.take<Stretch>(image.and_stretches.size() + image.second_stretches.size());
  parts.raw = arena.take<std::uint32_t>(image.raw.size());
  parts.image_bytes = arena.used();
  return parts;
}

void write_image(const BatchImage& image, const ImageParts& host, const ImageParts& device) {
  copy_to(image.lists, host.lists);
  for (std::size_t i = 0; i < image.lists.size(); ++i) {
    List& list = host.lists[i];
    if ((list.flags & kRaw) == 0) continue;
    shift(list.docids.bytes, device.raw);
    shift(list.frequencies.bytes, device.raw);
    shift(list.last_docids, device.raw);
  }
  Query* queries = host.queries;
  for (const auto* part : {&image.and_queries, &image.second_queries, &image.or_queries}) {
    copy_to(*part, queries);
    queries += part->size();
  }
  copy_to(image.finals, host.finals);
  copy_to(image.table_stretches, host.table_stretches);
  copy_to(image.and_stretches, host.and_stretches);
  Stretch* second = host.and_stretches + image.and_stretches.size();
  copy_to(image.second_stretches, second);
  for (std::size_t i = 0; i < image.second_stretches.size(); ++i) {
    second[i].owner += static_cast<std::uint32_t>(image.and_queries.size());
  }
  copy_to(image.raw, host.raw);
}

}  // namespace warpdex::gpu
