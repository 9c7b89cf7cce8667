// A batch's image in memory: where its parts lie, and writing them there. Internal.
#pragma once

#include "warpdex/query/gpu/batch_builder.hpp"

namespace warpdex::gpu {

/// Where the parts of a batch that are uploaded lie in a buffer.
struct ImageParts {
  List* lists;
  Query* queries;
  Query* finals;
  Stretch* table_stretches;
  Stretch* and_stretches;
  std::uint32_t* raw;
  std::size_t image_bytes;
};

/// The parts of an image that starts at `begin`, which may be null: then only their sizes count.
ImageParts lay_out(const BatchImage& image, void* begin);

/// Copies the image to pinned memory, its raw lists' offsets as pointers into the GPU's copy.
void write_image(const BatchImage& image, const ImageParts& host, const ImageParts& device);

}  // namespace warpdex::gpu
