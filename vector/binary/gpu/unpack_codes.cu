// Bits of two components at a time become two halves, of four components four bytes.
#include <cuda_fp16.h>

#include <cfloat>

#include "binary/gpu/kernels.hpp"
#include "binary/gpu/unpack_bytes.cuh"
#include "flat/gpu/panel_layout.cuh"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = kPanelRows;

/// Components `place` and `place` + 16 of a plane word's 32, of `bits` words with the highest bit
/// first: 2u + 1 - 2^bits of each, as two halves. All numbers on the way are whole and below 2048.
__device__ __forceinline__ __half2 unpack_pair(const std::uint32_t (&words)[kMaxBits],
                                               std::uint32_t bits, std::uint32_t place) {
  std::uint32_t cells = 0;
#pragma unroll
  for (std::uint32_t bit = 0; bit < kMaxBits; ++bit) {
    if (bit < bits) cells = 2 * cells + (words[bit] >> place & 0x00010001);
  }
  // A half of 1024 + u has u in its last bits.
  const std::uint32_t moved = cells | 0x64006400;
  const __half2 number =
      __hsub2(*reinterpret_cast<const __half2*>(&moved), __float2half2_rn(1024.0F));
  const float last = static_cast<float>((1U << bits) - 1);
  return __hfma2(number, __float2half2_rn(2.0F), __float2half2_rn(-last));
}

/// Writes the 32 components of a row's chunk.
__device__ __forceinline__ void write_chunk(const std::uint32_t (&words)[kMaxBits],
                                            std::uint32_t bits, std::uint8_t* chunk,
                                            std::uint32_t row) {
#pragma unroll
  for (std::uint32_t unit = 0; unit < 4; ++unit) {
    std::uint32_t pairs[4];
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const __half2 pair = unpack_pair(words, bits, unit * 4 + i);
      pairs[i] = *reinterpret_cast<const std::uint32_t*>(&pair);
    }
    *reinterpret_cast<uint4*>(chunk + unit_offset(row, unit)) =
        uint4{pairs[0], pairs[1], pairs[2], pairs[3]};
  }
}

/// Writes 32 components of a row, those of the first or the second half of a chunk.
__device__ __forceinline__ void write_bytes(const std::uint32_t (&numbers)[8], std::uint32_t half,
                                            std::uint8_t* chunk, std::uint32_t row) {
#pragma unroll
  for (std::uint32_t unit = 0; unit < 2; ++unit) {
    *reinterpret_cast<uint4*>(chunk + unit_offset(row, half * 2 + unit)) = uint4{
        numbers[unit * 4], numbers[unit * 4 + 1], numbers[unit * 4 + 2], numbers[unit * 4 + 3]};
  }
}

/// What panels have beside the components of a row. A CTA of a panel.
__device__ __forceinline__ void write_facts(const UnpackTask& task, const UnpackedPanels& panels,
                                            std::uint32_t row) {
  const std::uint32_t at = blockIdx.x * kPanelRows + threadIdx.x;
  const bool exists = row < task.codes.rows;
  float offset = __int_as_float(0x7F800000);
  const bool is_allowed =
      exists && (task.filter == nullptr || (task.filter[row / 64] >> (row % 64) & 1) != 0);
  if (is_allowed) offset = task.codes.terms == nullptr ? 0.0F : task.codes.terms[row];
  panels.offsets[at] = offset;
  if (task.codes.factors == nullptr) return;
  const float factor = exists ? task.codes.factors[row] : 1.0F;
  panels.slacks[at] = factor;
  float inverse = 1 / factor;
  float quotient = offset * inverse;
  const bool is_told = inverse > 0 && inverse < FLT_MAX && fabsf(quotient) < FLT_MAX;
  if (is_allowed && !is_told) {
    inverse = FLT_MIN;  // not 0, which times an infinite bound is NaN
    quotient = -__int_as_float(0x7F800000);
  }
  float* const columns = panels.columns + std::size_t{blockIdx.x} * 2 * kPanelRows + threadIdx.x;
  columns[0] = quotient;
  columns[kPanelRows] = inverse;
}

/// The words of 32 components of a row; zeros where there is none.
__device__ __forceinline__ void load_plane(const DeviceBinaryCodes& codes, std::uint32_t row,
                                           std::uint32_t plane, std::uint32_t (&words)[kMaxBits]) {
#pragma unroll
  for (std::uint32_t bit = 0; bit < kMaxBits; ++bit) {
    words[bit] = 0;
    if (row < codes.rows && bit < codes.bits) {
      words[bit] = load_word(codes, row / kWarp, plane * codes.bits + bit);
    }
  }
}

/// Work item: a row and a chunk of its components, a thread; a panel and a chunk, a CTA. Memory
/// bounds it: it writes a byte a component.
__global__ void __launch_bounds__(kThreads)
    unpack_bytes(UnpackTask task, UnpackedPanels panels, std::uint32_t chunks) {
  const std::uint32_t row = task.order.row((task.first + blockIdx.x) * kPanelRows + threadIdx.x);
  if (blockIdx.y == 0) write_facts(task, panels, row);
  std::uint8_t* const chunk =
      panels.halves + (std::size_t{blockIdx.x} * chunks + blockIdx.y) * kChunkBytes;
  const std::uint32_t last = last_of_four(task.codes.bits);
#pragma unroll
  for (std::uint32_t half = 0; half < 2; ++half) {
    const std::uint32_t plane = blockIdx.y * 2 + half;
    std::uint32_t numbers[8] = {};
    if (plane < task.codes.plane_words()) {
      std::uint32_t words[kMaxBits];
      load_plane(task.codes, row, plane, words);
#pragma unroll
      for (std::uint32_t i = 0; i < 8; ++i) {
        numbers[i] = __vsub4(unpack_four(words, task.codes.bits, i), last);
      }
    }
    write_bytes(numbers, half, chunk, threadIdx.x);
  }
}

/// Work item: likewise; it writes 2 bytes a component.
__global__ void __launch_bounds__(kThreads)
    unpack(UnpackTask task, UnpackedPanels panels, std::uint32_t chunks) {
  const std::uint32_t panel = blockIdx.x;
  const std::uint32_t row = task.order.row((task.first + panel) * kPanelRows + threadIdx.x);
  if (blockIdx.y == 0) write_facts(task, panels, row);
  std::uint32_t words[kMaxBits];
  load_plane(task.codes, row, blockIdx.y, words);
  std::uint8_t* const chunk =
      panels.halves + (std::size_t{panel} * chunks + blockIdx.y) * kChunkBytes;
  write_chunk(words, task.codes.bits, chunk, threadIdx.x);
}

/// The words of 32 components of a query; zeros where there is none. `code_bits` are those of the
/// codes, by whose words those of queries lie.
__device__ __forceinline__ void load_query(const DeviceQueryCodes& queries, std::uint32_t query,
                                           std::uint32_t plane, std::uint32_t code_bits,
                                           std::uint32_t (&words)[kMaxBits]) {
  const std::uint32_t number = plane * code_bits;  // of a word about these components
#pragma unroll
  for (std::uint32_t bit = 0; bit < kMaxBits; ++bit) {
    words[bit] = 0;
    if (query >= queries.count || bit >= queries.bits) continue;
    words[bit] = queries.words[std::size_t{query} * queries.stride +
                               (number / 4 * queries.bits + bit) * 4 + number % 4];
  }
}

/// Work item: a query and a chunk, a thread. There are few.
__global__ void __launch_bounds__(kThreads)
    unpack_query_bytes(DeviceQueryCodes queries, DeviceBinaryCodes codes, std::uint8_t* panels,
                       std::uint32_t chunks) {
  const std::uint32_t query = blockIdx.x * kPanelRows + threadIdx.x;
  std::uint8_t* const chunk =
      panels + (std::size_t{blockIdx.x} * chunks + blockIdx.y) * kChunkBytes;
  const std::uint32_t last = last_of_four(queries.bits);
#pragma unroll
  for (std::uint32_t half = 0; half < 2; ++half) {
    const std::uint32_t plane = blockIdx.y * 2 + half;
    std::uint32_t numbers[8] = {};
    if (plane < codes.plane_words() && query < queries.count) {
      std::uint32_t words[kMaxBits];
      load_query(queries, query, plane, codes.bits, words);
#pragma unroll
      for (std::uint32_t i = 0; i < 8; ++i) {
        std::uint32_t exist = 0;
#pragma unroll
        for (std::uint32_t j = 0; j < 4; ++j) {
          if (plane * 32 + i + 8 * j < codes.dimension) exist |= 0xFFU << (8 * j);
        }
        numbers[i] = __vsub4(last, unpack_four(words, queries.bits, i)) & exist;
      }
    }
    write_bytes(numbers, half, chunk, threadIdx.x);
  }
}

/// Work item: a query and a chunk, a thread. There are few.
__global__ void __launch_bounds__(kThreads)
    unpack_query(DeviceQueryCodes queries, std::uint32_t dimension, std::uint32_t code_bits,
                 std::uint8_t* halves, std::uint32_t chunks) {
  const std::uint32_t query = blockIdx.x * kPanelRows + threadIdx.x;
  std::uint32_t words[kMaxBits];
  load_query(queries, query, blockIdx.y, code_bits, words);
  std::uint8_t* const chunk =
      halves + (std::size_t{blockIdx.x} * chunks + blockIdx.y) * kChunkBytes;
#pragma unroll
  for (std::uint32_t i = 0; i < 16; ++i) {
    const __half2 pair = __hneg2(unpack_pair(words, queries.bits, i));
    const bool has_low = query < queries.count && blockIdx.y * 32 + i < dimension;
    const bool has_high = query < queries.count && blockIdx.y * 32 + i + 16 < dimension;
    const __half zero = __float2half_rn(0.0F);
    const __half2 kept =
        __halves2half2(has_low ? __low2half(pair) : zero, has_high ? __high2half(pair) : zero);
    *reinterpret_cast<__half2*>(chunk + unit_offset(threadIdx.x, i / 4) + i % 4 * 4) = kept;
  }
}

}  // namespace

void unpack_codes(const UnpackTask& task, const UnpackedPanels& panels, const Stream& stream) {
  const std::uint32_t chunks = code_chunks(task.codes.dimension, task.number);
  launch({.name = "unpack",
          .ctas = dim3(task.count, chunks),
          .threads = kThreads,
          .stream = stream.handle()},
         task.number == PanelNumber::kByte ? unpack_bytes : unpack, task, panels, chunks);
}

void unpack_queries(const DeviceQueryCodes& queries, const DeviceBinaryCodes& codes,
                    PanelNumber number, std::uint8_t* panels, const Stream& stream) {
  const std::uint32_t chunks = code_chunks(codes.dimension, number);
  const Launch how{.name = "unpack_query",
                   .ctas = dim3((queries.count + kPanelRows - 1) / kPanelRows, chunks),
                   .threads = kThreads,
                   .stream = stream.handle()};
  if (number == PanelNumber::kByte) {
    launch(how, unpack_query_bytes, queries, codes, panels, chunks);
  } else {
    launch(how, unpack_query, queries, codes.dimension, codes.bits, panels, chunks);
  }
}

}  // namespace warpdex::vector
