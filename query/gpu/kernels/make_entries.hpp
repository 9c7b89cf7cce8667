// The first kernel of a large batch: it makes the lists and queries that all others read. Internal.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/layout/list_source.hpp"

namespace warpdex::gpu {

/// The kernel's input and output. Pointers are the GPU's.
struct EntryBatch {
  const EntrySource* entries;
  const ListUse* uses;
  const SegmentTables* tables;  ///< by segment
  std::uint32_t entry_count;
  std::uint32_t segments;
  std::uint32_t range_blocks;
  // Written:
  List* lists;
  Query* queries;
  ListSpan* list_spans;  ///< by query and segment; only with several segments
  BlockRange* table_ranges;
};

/// Makes all entries, with their lists and block ranges. Throws CudaError if the kernel cannot
/// start.
void launch_make_entries(const EntryBatch& batch, cudaStream_t stream);

}  // namespace warpdex::gpu
