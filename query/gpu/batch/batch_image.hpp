// A batch's image in memory: where its parts lie. Internal.
#pragma once

#include <vector>

#include "gpu/batch/batch_shape.hpp"
#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {

/// Where the parts of a batch that are uploaded lie in a buffer.
struct ImageParts {
  List* lists;
  Query* queries;
  Query* finals;
  Stretch* table_stretches;
  Stretch* and_stretches;
  std::uint32_t* raw;  ///< raw lists, kRawEntries docIDs and as many values each
  std::size_t image_bytes;
};

/// The parts of an image that starts at `begin`, which may be null: then only their sizes count.
ImageParts lay_out(const BatchShape& shape, void* begin);

/// The queries of OR of an image on the host, in their order, so many at a time.
std::vector<Wave> waves(const BatchShape& shape, const ImageParts& host, std::uint32_t at_once);

}  // namespace warpdex::gpu
