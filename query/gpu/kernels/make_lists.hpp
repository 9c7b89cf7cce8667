// The first kernel of a large batch: it makes the lists that all others read. Internal.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "gpu/layout/list_source.hpp"

namespace warpdex::gpu {

/// Pointers are the GPU's.
struct ListBatch {
  const ListSource* sources;
  const ListTables* tables;     ///< by segment
  const std::uint32_t* packed;  ///< raw lists as they were sent
  List* lists;                  ///< written
  /// Written: the padded raw lists, kRawListEntries each. Sources point into it.
  std::uint32_t* raw;
  std::uint32_t list_count;
};

/// Makes all lists and pads the raw ones. Throws CudaError if the kernel cannot start.
void launch_make_lists(const ListBatch& batch, cudaStream_t stream);

}  // namespace warpdex::gpu
