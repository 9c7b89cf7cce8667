// Means and repairs, as pq/train.cpp has them, to the bit.
#include "kmeans/update.hpp"
#include "pq/gpu/kernels.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kColumns = 4;  ///< of a CTA
constexpr std::uint32_t kTile = 1024;  ///< points that are read together

struct Shape {
  std::uint32_t parts;
  std::uint32_t codewords;
};

__device__ std::uint32_t part_begin(const CodebookTraining& training, const Shape& shape,
                                    std::uint32_t part) {
  return static_cast<std::uint32_t>(std::uint64_t{part} * training.quantizer.dimension /
                                    shape.parts);
}

/// Work item: up to four components of a run, a CTA of a thread for each codeword. Shared memory:
/// 17 KiB for 1,024 points. Every thread looks at the codewords of all points, which bounds it:
/// some 5 instructions for 4 points, 0.1 ms for 65,536.
__global__ void __launch_bounds__(kThreads) move(CodebookTraining training, Shape shape) {
  __shared__ std::uint32_t words[kTile / 4];
  __shared__ float values[kTile * kColumns];
  const std::uint32_t part = blockIdx.x;
  const std::uint32_t end = part_begin(training, shape, part + 1);
  const std::uint32_t column = part_begin(training, shape, part) + blockIdx.y * kColumns;
  if (column >= end) return;
  const std::uint32_t columns = min(kColumns, end - column);
  const std::uint32_t count = training.points.count;
  const std::uint8_t* const own_words = training.words + std::size_t{part} * count;
  const bool has_word = threadIdx.x < shape.codewords;
  double sums[kColumns] = {};
  std::uint32_t size = 0;
  for (std::uint32_t first = 0; first < count; first += kTile) {
    const std::uint32_t points = min(kTile, count - first);
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < points; i += kThreads) {
      reinterpret_cast<std::uint8_t*>(words)[i] = own_words[first + i];
    }
    for (std::uint32_t i = threadIdx.x; i < points * columns; i += kThreads) {
      const std::size_t point = first + i / columns;
      values[i / columns * kColumns + i % columns] =
          training.points.values[point * training.points.stride + column + i % columns];
    }
    __syncthreads();
    for (std::uint32_t i = 0; has_word && i < points; i += 4) {
      const std::uint32_t matches = __vcmpeq4(words[i / 4], threadIdx.x * 0x01010101U);
      if (matches == 0) continue;
      for (std::uint32_t j = i; j < min(i + 4, points); ++j) {
        if ((matches >> (j - i) * 8 & 1) == 0) continue;
        ++size;
#pragma unroll
        for (std::uint32_t c = 0; c < kColumns; ++c) {
          if (c < columns) sums[c] = __dadd_rn(sums[c], values[j * kColumns + c]);
        }
      }
    }
  }
  if (!has_word) return;
  if (blockIdx.y == 0) training.sizes[part * shape.codewords + threadIdx.x] = size;
  if (size == 0) return;
#pragma unroll
  for (std::uint32_t c = 0; c < kColumns; ++c) {
    if (c >= columns) continue;
    training.codebooks[std::size_t{column + c} * shape.codewords + threadIdx.x] =
        __double2float_rn(__ddiv_rn(sums[c], size));
  }
}

/// The place among a run's points of the member-th one that has a codeword. A CTA; all threads get
/// it.
__device__ std::uint32_t find_member(const std::uint8_t* words, std::uint32_t count,
                                     std::uint32_t word, std::uint32_t member) {
  __shared__ std::uint32_t counts[kThreads];
  __shared__ std::uint32_t found;
  const std::uint32_t share = (count - 1) / kThreads + 1;
  const std::uint32_t first = min(threadIdx.x * share, count);
  const std::uint32_t last = min(first + share, count);
  std::uint32_t own = 0;
  for (std::uint32_t i = first; i < last; ++i) own += words[i] == word ? 1 : 0;
  counts[threadIdx.x] = own;
  if (threadIdx.x == 0) found = 0;
  __syncthreads();
  std::uint32_t before = 0;
  for (std::uint32_t i = 0; i < threadIdx.x; ++i) before += counts[i];
  if (before <= member && member < before + own) {
    std::uint32_t i = first;
    for (std::uint32_t left = member - before;; ++i) {
      if (words[i] == word && left-- == 0) break;
    }
    found = i;
  }
  __syncthreads();
  const std::uint32_t result = found;
  __syncthreads();  // the next call writes it
  return result;
}

/// Work item: the repairs of a run, one after the other, a CTA.
__global__ void __launch_bounds__(kThreads)
    repair(CodebookTraining training, Shape shape, const CodewordRepair* repairs,
           const std::uint32_t* begins) {
  const std::uint32_t part = blockIdx.x;
  const std::uint32_t begin = part_begin(training, shape, part);
  const std::uint32_t end = part_begin(training, shape, part + 1);
  const std::uint8_t* const words = training.words + std::size_t{part} * training.points.count;
  for (std::uint32_t i = begins[part]; i < begins[part + 1]; ++i) {
    const CodewordRepair one = repairs[i];
    const std::uint32_t point = find_member(words, training.points.count, one.parted, one.member);
    const float* const values =
        training.points.values + std::size_t{point} * training.points.stride;
    for (std::uint32_t c = begin + threadIdx.x; c < end; c += kThreads) {
      float* const row = training.codebooks + std::size_t{c} * shape.codewords;
      const float kept = row[one.parted];
      const float step = __fmul_rn(kSplitShare, __fsub_rn(values[c], kept));
      row[one.cluster] = __fadd_rn(kept, step);
      row[one.parted] = __fsub_rn(kept, step);
    }
  }
}

Shape shape_of(const DeviceQuantizer& quantizer) {
  return {quantizer.bytes * 8 / quantizer.bits, 1U << quantizer.bits};
}

}  // namespace

void move_codewords(const CodebookTraining& training, const Stream& stream) {
  const Shape shape = shape_of(training.quantizer);
  const std::uint32_t widest = (training.quantizer.dimension - 1) / shape.parts + 1;
  launch({.name = "move",
          .ctas = dim3(shape.parts, (widest - 1) / kColumns + 1),
          .threads = kThreads,
          .stream = stream.handle()},
         move, training, shape);
}

void repair_codewords(const CodebookTraining& training, const CodewordRepair* repairs,
                      const std::uint32_t* begins, const Stream& stream) {
  const Shape shape = shape_of(training.quantizer);
  launch({.name = "repair", .ctas = shape.parts, .threads = kThreads, .stream = stream.handle()},
         repair, training, shape, repairs, begins);
}

}  // namespace warpdex::vector
