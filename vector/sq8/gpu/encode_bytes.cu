// A thread makes four bytes; then a thread makes a term.
#include "sq8/gpu/encode_bytes.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kEncodeThreads = 256;

/// Where word `word` of a place's code lies in its group, in words.
__device__ __forceinline__ std::uint32_t word_in_group(std::uint32_t place, std::uint32_t word,
                                                       std::uint32_t words) {
  const std::uint32_t first = word / 4 * 4;
  return first * kWarp + place * min(4U, words - first) + word - first;
}

__device__ __forceinline__ std::uint32_t encode_component(const ByteScale& scale, float residual) {
  const float steps = __fdiv_rn(__fsub_rn(residual, scale.offset), scale.scale);
  return static_cast<std::uint32_t>(__float2int_rn(fminf(fmaxf(steps, -128.0F), 127.0F))) & 0xFF;
}

/// Work item: a word of a place's code, a thread. Reading the rows bounds it.
__global__ void __launch_bounds__(kEncodeThreads)
    encode_words(EncodeBytesTask task, std::uint32_t words) {
  const std::size_t item = std::size_t{blockIdx.x} * kEncodeThreads + threadIdx.x;
  const auto word = static_cast<std::uint32_t>(item % words);
  const std::size_t place = item / words;
  const std::size_t group = place / kWarp;
  if (group >= task.groups) return;
  std::uint32_t four = 0;
  if (place % kWarp < task.sizes[group]) {
    const std::uint32_t list = task.lists[group];
    const float* const row = task.rows + place * task.dimension;
    const float* const centroid = task.centroids + std::size_t{list} * task.dimension;
    const ByteScale scale = task.scales[list];
#pragma unroll
    for (std::uint32_t byte = 0; byte < 4; ++byte) {
      const std::uint32_t c = word * 4 + byte;
      if (c >= task.dimension) break;
      four |= encode_component(scale, __fsub_rn(row[c], centroid[c])) << (8 * byte);
    }
  }
  auto* const codes = reinterpret_cast<std::uint32_t*>(task.codes) + group * kWarp * words;
  codes[word_in_group(static_cast<std::uint32_t>(place % kWarp), word, words)] = four;
}

/// Work item: a place, a thread: a warp has a group, whose codes it reads word by word.
__global__ void __launch_bounds__(kEncodeThreads)
    find_byte_terms(EncodeBytesTask task, std::uint32_t words) {
  const std::size_t place = std::size_t{blockIdx.x} * kEncodeThreads + threadIdx.x;
  const std::size_t group = place / kWarp;
  if (group >= task.groups) return;
  if (place % kWarp >= task.sizes[group]) {
    task.terms[place] = 0;
    return;
  }
  const std::uint32_t list = task.lists[group];
  const float* const centroid = task.centroids + std::size_t{list} * task.dimension;
  const ByteScale scale = task.scales[list];
  const auto* const codes =
      reinterpret_cast<const std::uint32_t*>(task.codes) + group * kWarp * words;
  double term = 0;
  for (std::uint32_t c = 0; c < task.dimension; ++c) {
    const std::uint32_t word = codes[word_in_group(lane_id(), c / 4, words)];
    const auto byte = static_cast<std::int8_t>(word >> (c % 4 * 8));
    const double y = __fadd_rn(scale.offset, __fmul_rn(scale.scale, static_cast<float>(byte)));
    const double middle = task.centre == nullptr ? 0 : double{task.centre[c]};
    const double moved = __dmul_rn(2, __dsub_rn(centroid[c], middle));
    term = __dadd_rn(term, __dmul_rn(y, __dadd_rn(y, moved)));
  }
  task.terms[place] = __double2float_rn(term);
}

}  // namespace

void encode_bytes(const EncodeBytesTask& task, const Stream& stream) {
  const std::uint32_t words = (task.dimension + 3) / 4;
  const std::size_t places = std::size_t{task.groups} * kWarp;
  launch(launch_over("encode_words", places * words, kEncodeThreads, stream.handle()), encode_words,
         task, words);
  if (task.terms == nullptr) return;
  launch(launch_over("find_byte_terms", places, kEncodeThreads, stream.handle()), find_byte_terms,
         task, words);
}

}  // namespace warpdex::vector
