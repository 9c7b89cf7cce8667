// Parses the exception tails of all lists of `pfor`, before any of their blocks is decoded.
#include "gpu/device/launch.cuh"
#include "gpu/device/list_reader.cuh"
#include "gpu/kernels/kernels.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 128;

/// Work item: the tail of a list's docIDs or of its values, a thread; CTAs of 128 threads; no
/// shared memory. Bound by the latency of some ten dependent reads.
__global__ void __launch_bounds__(kThreads) parse_tails(Batch batch) {
  wait_for_previous();
  using Decoder = device::BlockDecoder<CodecKind::kPfor>;
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= 2 * batch.list_count) return;
  const List& list = batch.lists[i / 2];
  if (list.flags & kRaw) return;
  static_cast<typename Decoder::ParsedTail*>(batch.exception_tails)[i] =
      Decoder::parse_tail(i % 2 == 0 ? list.docids : list.frequencies);
}

}  // namespace

std::size_t tails_bytes(CodecKind codec, std::size_t lists) {
  using Tail = device::BlockDecoder<CodecKind::kPfor>::ParsedTail;
  return codec == CodecKind::kPfor ? 2 * lists * sizeof(Tail) : 0;
}

void launch_parse_tails(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  if (codec != CodecKind::kPfor || batch.list_count == 0) return;
  const std::uint32_t ctas = (2 * batch.list_count + kThreads - 1) / kThreads;
  launch("parse_tails", parse_tails, ctas, kThreads, 0, stream, batch);
}

}  // namespace warpdex::gpu
