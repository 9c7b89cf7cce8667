// What building a batch takes of an index in GPU memory. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/layout.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex::gpu {

/// An index whose lists have places in GPU memory.
struct PlacedIndex {
  explicit PlacedIndex(const Index& placed) : index(placed) {}

  /// Fills in where a long list's blocks are; pointers are the GPU's. Any thread.
  virtual void place(const PostingsEntry& entry, List& list) const = 0;

  const Index& index;
  std::uint32_t longest_document = 0;
  float largest_static = 0;  ///< of its static scores; 0 where there are none

 protected:
  ~PlacedIndex() = default;
};

}  // namespace warpdex::gpu
