// A batch's image in memory of its own, with the lists that the GPU would make of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/batch/batch_builder.hpp"

namespace warpdex::gpu {

struct HostImage {
  BatchShape shape;
  std::vector<List> memory;
  std::vector<List> made;          ///< from sources
  std::vector<std::uint32_t> raw;  ///< padded from what is packed
  ImageParts host{};               ///< has lists and raw lists in any case

  HostImage() = default;
  /// Writes what `builder` has measured. Raw lists lie at `device_raw` on the GPU; null: where they
  /// lie here.
  HostImage(BatchBuilder& builder, const BatchShape& measured, std::uint32_t capacity,
            std::uint32_t* device_raw)
      : shape(measured) {
    memory.resize(lay_out(shape, nullptr).image_bytes / sizeof(List) + 1);
    host = lay_out(shape, memory.data());
    if (shape.sends_sources) {
      raw.resize(shape.raw_lists * std::size_t{kRawListEntries} + 1);
      host.raw = raw.data();
    }
    ImageParts device = host;
    device.raw = device_raw == nullptr ? host.raw : device_raw;
    builder.write(capacity, host, device);
    if (!shape.sends_sources) return;
    for (std::uint32_t i = 0; i < shape.lists; ++i) make(host.sources[i], device.raw);
    host.lists = made.data();
  }

 private:
  void make(const ListSource& source, const std::uint32_t* device_raw) {
    made.push_back(make_list(source, host.tables[source.segment]));
    if ((source.flags & kPacked) == 0) return;
    std::uint32_t* const to =
        raw.data() + (reinterpret_cast<const std::uint32_t*>(source.docids) - device_raw);
    const std::uint32_t* const from = host.packed + source.first_block;
    std::fill(std::copy_n(from, source.size, to), to + kRawEntries, kNone);
    std::fill(std::copy_n(from + source.size, source.size, to + kRawEntries), to + kRawListEntries,
              0U);
  }
};

}  // namespace warpdex::gpu
