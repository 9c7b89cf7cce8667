// A batch's image in memory of its own, with the lists and queries that the GPU would make of it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "gpu/batch/batch_builder.hpp"

namespace warpdex::gpu {

struct HostImage {
  BatchShape shape;
  std::vector<List> memory;
  std::vector<List> made;  ///< the parts that the GPU makes
  ImageParts host{};       ///< has all of them

  HostImage() = default;
  /// Writes what `builder` has measured. Raw lists of the image lie at `device_raw` on the GPU;
  /// null: where they lie here.
  HostImage(BatchBuilder& builder, const BatchShape& measured, std::uint32_t capacity,
            std::uint32_t* device_raw)
      : shape(measured) {
    memory.resize(lay_out(shape, nullptr).image_bytes / sizeof(List) + 1);
    host = lay_out(shape, memory.data());
    made.resize(lay_out_made(shape, nullptr, host) / sizeof(List) + 1);
    lay_out_made(shape, made.data(), host);
    ImageParts device = host;
    if (device_raw != nullptr) device.raw = device_raw;
    builder.write(capacity, host, device);
    if (!shape.sends_entries) return;
    for (std::uint32_t i = 0; i < shape.entries; ++i) make(host.entries[i]);
  }

 private:
  void make(const EntrySource& entry) {
    if (entry.first_use != kNone) make_lists(entry);
    for (std::uint32_t i = 0; i < entry.segments; ++i) {
      const Query query = make_query(entry, host.tables, i);
      host.queries[entry.place + i] = query;
      if (shape.segments == 1) continue;
      host.list_spans[query.state * shape.segments + entry.first_segment + i] = {
          query.first_list, query.scoring_lists};
    }
  }

  void make_lists(const EntrySource& entry) {
    BlockRange* range = host.table_ranges + entry.first_range;
    for (std::uint32_t i = 0; i < entry.segments * entry.query.list_count; ++i) {
      const std::uint32_t rank = i % entry.query.list_count;
      const std::uint32_t segment = i / entry.query.list_count;
      const ListUse& use = host.uses[entry.first_use + rank];
      const SegmentTables& tables = host.tables[entry.first_segment + segment];
      List list = make_list(use.row[entry.first_segment + segment], tables, use);
      place_list(entry, host.tables, segment, rank, list);
      const std::uint32_t number = entry.query.first_list + i;
      host.lists[number] = list;
      const bool has_ranges = entry.row != kNone;
      for (std::uint32_t block = 0; has_ranges && block < list.blocks;
           block += shape.range_blocks) {
        *range++ = {number, block, std::min(shape.range_blocks, list.blocks - block)};
      }
    }
  }
};

}  // namespace warpdex::gpu
