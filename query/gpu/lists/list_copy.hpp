// Copies a list's encoded bytes from the host to GPU memory: docIDs, then frequencies, each with
// kReadSlack behind it. Internal.
#pragma once

#include "gpu/lists/host_lists.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// Bytes of the copy.
std::size_t copied_bytes(const PostingsEntry& list);
/// The parts of the copy at `at`, a multiple of 16.
EncodedBytes copied_at(const std::uint8_t* at, const PostingsEntry& list);
/// Queues copying a long list to `to`. Throws CudaError.
void queue_copy(const HostLists& host, const PostingsEntry& list, std::uint8_t* to,
                const Stream& stream);

}  // namespace warpdex::gpu
