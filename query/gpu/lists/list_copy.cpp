// Where the parts of a copied list lie, and the copies themselves.
#include "gpu/lists/list_copy.hpp"

#include <cuda_runtime_api.h>

#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::gpu {
namespace {

/// The frequencies start behind the docIDs at a multiple of this.
constexpr std::size_t kPieceAlignment = 16;

std::size_t frequencies_offset(const PostingsEntry& list) {
  const std::size_t docids = std::size_t{list.docid_bytes} + kReadSlack;
  return (docids + kPieceAlignment - 1) / kPieceAlignment * kPieceAlignment;
}

}  // namespace

std::size_t copied_bytes(const PostingsEntry& list) {
  return frequencies_offset(list) + list.frequency_bytes + kReadSlack;
}

EncodedBytes copied_at(const std::uint8_t* at, const PostingsEntry& list) {
  return {at, at + frequencies_offset(list)};
}

void queue_copy(const HostLists& host, const PostingsEntry& list, std::uint8_t* to,
                const Stream& stream) {
  const auto copy = [&](std::uint8_t* there, const std::uint8_t* from, std::size_t bytes) {
    check_cuda(cudaMemcpyAsync(there, from, bytes, cudaMemcpyHostToDevice, stream.handle()),
               "cudaMemcpyAsync of a list");
  };
  const EncodedBytes from = host.source(list);
  copy(to, from.docids, list.docid_bytes + kReadSlack);
  copy(to + frequencies_offset(list), from.frequencies, list.frequency_bytes + kReadSlack);
}

}  // namespace warpdex::gpu
