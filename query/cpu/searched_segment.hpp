// A segment, for the CPU engine's searches. Internal.
#pragma once

#include <algorithm>
#include <cstdint>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"

namespace warpdex {

/// Views of an index, cheap to copy. The index must outlive it.
struct SearchedSegment {
  explicit SearchedSegment(const Index& searched, std::uint32_t first = 0)
      : index(&searched), first_document(first), removed(searched.removed()) {
    for (const float bound : searched.sections().static_bounds) {
      static_bound = std::max(static_bound, bound);
    }
  }

  const Index* index;
  std::uint32_t first_document;  ///< its docID in the snapshot
  RemovedRows removed;           ///< or, of a search that is restricted, not among its documents
  bool is_filtered = false;      ///< `removed` may be most of the documents
  float static_bound = 0;        ///< the largest static score
  const DocumentBlocks* blocks = nullptr;  ///< or none
};

}  // namespace warpdex
