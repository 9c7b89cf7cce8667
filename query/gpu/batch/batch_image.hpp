// The places of a batch image's parts in memory. Internal.
#pragma once

#include "gpu/layout/batch_shape.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/list_source.hpp"

namespace warpdex::gpu {

/// Pointers to the parts of an image in a buffer.
struct ImageParts {
  // In the image; or made on the GPU if BatchShape::sends_entries:
  List* lists;
  Query* queries;
  ListSpan* list_spans;  ///< where there are several segments; set where a query has an entry
  BlockRange* table_ranges;
  // In the image if BatchShape::sends_entries; the members above are made from these:
  EntrySource* entries;
  ListUse* uses;
  ListSource* sources;    ///< rows of terms that have none on the GPU
  SegmentTables* tables;  ///< by segment
  // In the image:
  Query* final_queries;
  std::uint32_t* list_matches;
  QueryTiles* query_tiles;  ///< where there are several segments
  BlockRange* and_ranges;
  BlockRange* stored_ranges;
  std::uint32_t* stored_marked;  ///< OrRounds::stored_marked
  std::uint32_t* raw;            ///< raw lists: kRawEntries docIDs, then as many values
  std::size_t image_bytes;
};

/// The parts of an image that starts at `begin`. If `begin` is null, only image_bytes is valid.
ImageParts lay_out(const BatchShape& shape, void* begin);
/// Sets the pointers to the parts that are made on the GPU, in memory that starts at `begin`.
/// Returns the bytes of that memory. If `begin` is null, only the bytes are valid.
std::size_t lay_out_made(const BatchShape& shape, void* begin, ImageParts& parts);

}  // namespace warpdex::gpu
