// A list's encoded bytes copied from the host to one place in GPU memory: docIDs, then
// frequencies, each with its kReadSlack. Internal.
#pragma once

#include "gpu/lists/host_lists.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// Bytes that the copy takes.
std::size_t copied_bytes(const PostingsEntry& list);
/// The copy that is at `at`, a multiple of 16.
EncodedBytes copied_at(const std::uint8_t* at, const PostingsEntry& list);
/// Queues copying a long list to `to`. Throws CudaError.
void queue_copy(const HostLists& host, const PostingsEntry& list, std::uint8_t* to,
                const Stream& stream);

}  // namespace warpdex::gpu
