// Where the parts of a batch's image lie in memory. Internal.
#pragma once

#include "gpu/batch/batch_shape.hpp"
#include "gpu/layout/layout.hpp"
#include "gpu/layout/list_source.hpp"

namespace warpdex::gpu {

/// Pointers to the parts of an image in a buffer. If BatchShape::sends_sources, it has sources in
/// the place of lists, and raw lists without padding.
struct ImageParts {
  List* lists;
  ListSource* sources;
  ListTables* tables;  ///< by segment; with sources
  Query* queries;
  Query* final_queries;
  std::uint32_t* list_matches;
  ListSpan* list_spans;     ///< where there are several segments
  QueryTiles* query_tiles;  ///< likewise
  BlockRange* table_ranges;
  BlockRange* and_ranges;
  BlockRange* stored_ranges;
  std::uint32_t* stored_marked;  ///< OrRounds::stored_marked
  std::uint32_t* raw;            ///< raw lists: kRawEntries docIDs, then as many values
  std::uint32_t* packed;         ///< with sources: a list's docIDs, then its values
  std::size_t image_bytes;
};

/// The parts of an image that starts at `begin`. If that is null, only image_bytes is of use.
ImageParts lay_out(const BatchShape& shape, void* begin);

}  // namespace warpdex::gpu
