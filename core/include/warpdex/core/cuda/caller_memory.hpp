// What a caller's own library has on a GPU: memory and streams. Builds without CUDA have the
// functions too; there they throw.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {

/// The GPU whose memory `pointer` points into, from 0; -1 where it points into none. Throws
/// CudaError.
int device_of(const void* pointer);

/// Waits until all work that is queued in a stream of that GPU has ended. Throws CudaError if any
/// of it failed.
void wait_for_stream(CUstream_st* stream, int device);

/// Makes `count` 64-bit numbers of the 32-bit ones that lie in the second half of their memory, at
/// a device pointer. Returns when they are there. O(count), and some microseconds for each doubling
/// of it. Throws CudaError.
void widen_in_place(std::int64_t* numbers, std::size_t count, int device);

}  // namespace warpdex
