// Codes by squared differences in the canonical order, and terms in double precision.
#include <algorithm>

#include "pq/gpu/kernels.hpp"
#include "pq/residual_encoder.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kGroup = 32;  ///< vectors of a group: kGroupVectors
/// Components of a run that fit into registers; runs of more are read again and again.
constexpr std::uint32_t kShortRun = 8;
/// Codewords whose sums are made together.
constexpr std::uint32_t kTogether = 8;
/// Bytes of codes that a thread makes.
constexpr std::uint32_t kThreadBytes = 4;

struct RunTask {
  CodedVectors vectors;
  DeviceQuantizer quantizer;
  std::uint32_t parts;
  std::uint32_t codewords;
  std::uint32_t stored_bytes;  ///< of a code: a multiple of 4
  const std::uint32_t* sizes;  ///< null: words are wanted
  std::uint8_t* codes;         ///< or words
};

__device__ __forceinline__ std::uint32_t part_begin(const RunTask& task, std::uint32_t part) {
  return static_cast<std::uint32_t>(std::uint64_t{part} * task.quantizer.dimension / task.parts);
}

/// Adds the squared differences of a component and those of kTogether codewords.
__device__ __forceinline__ void add_component(float x, const float* words,
                                              float (&sums)[kTogether]) {
#pragma unroll
  for (std::uint32_t i = 0; i < kTogether; i += 4) {
    const float4 some = *reinterpret_cast<const float4*>(words + i);
    const float left[4] = {__fsub_rn(x, some.x), __fsub_rn(x, some.y), __fsub_rn(x, some.z),
                           __fsub_rn(x, some.w)};
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) sums[i + j] = __fmaf_rn(left[j], left[j], sums[i + j]);
  }
}

/// A run of a vector, of which short ones stay in registers.
template <bool kIsShort>
class Run {
 public:
  __device__ Run(const float* values, std::uint32_t width) : values_(values), width_(width) {
    if constexpr (kIsShort) {
#pragma unroll
      for (std::uint32_t c = 0; c < kShortRun; ++c) x_[c] = c < width ? values[c] : 0.0F;
    }
  }

  /// The sums of the codewords at `words`, whose components are `count` floats apart.
  __device__ __forceinline__ void sum(const float* words, std::uint32_t count,
                                      float (&sums)[kTogether]) const {
#pragma unroll
    for (float& sum : sums) sum = 0;
    if constexpr (kIsShort) {
#pragma unroll
      for (std::uint32_t c = 0; c < kShortRun; ++c) {
        if (c < width_) add_component(x_[c], words + c * count, sums);
      }
    } else {
      for (std::uint32_t c = 0; c < width_; ++c) {
        add_component(values_[c], words + std::size_t{c} * count, sums);
      }
    }
  }

 private:
  const float* values_;
  std::uint32_t width_;
  float x_[kIsShort ? kShortRun : 1];
};

/// The first of the codewords with the smallest sum. First it looks for the first kTogether that
/// have it among them, then for it.
template <bool kIsShort>
__device__ std::uint32_t nearest_word(const Run<kIsShort>& run, const float* book,
                                      std::uint32_t count) {
  float best = __int_as_float(0x7F800000);
  std::uint32_t first = 0;
  float sums[kTogether];
  for (std::uint32_t word = 0; word < count; word += kTogether) {
    run.sum(book + word, count, sums);
    float lowest = sums[0];
#pragma unroll
    for (std::uint32_t i = 1; i < kTogether; ++i) lowest = fminf(lowest, sums[i]);
    if (lowest < best) {
      best = lowest;
      first = word;
    }
  }
  run.sum(book + first, count, sums);
  std::uint32_t found = 0;
#pragma unroll
  for (std::uint32_t i = kTogether; i-- > 0;) {
    if (sums[i] == best) found = i;
  }
  return first + found;
}

/// Work item: four bytes of the codes of 256 vectors, a CTA of a thread for each vector. Shared
/// memory: the codebooks of these bytes' runs, up to 32 KiB, if the runs are short. Instructions
/// bound it: a subtraction and a fused multiply-add for each component of each codeword, and some
/// two more for each codeword. 10 M vectors of 32 runs of 3 components take 2.5e11 of each, 8 ms
/// each on an H200 at full rate, and about 22 ms with all that is beside them.
template <bool kIsShort>
__global__ void __launch_bounds__(kThreads) encode_runs(RunTask task) {
  extern __shared__ __align__(16) float books[];
  const std::uint32_t runs = kThreadBytes * 8 / task.quantizer.bits;
  const std::uint32_t first_part = blockIdx.y * runs;
  const std::uint32_t last_part = min(first_part + runs, task.parts);
  const std::uint32_t first = part_begin(task, first_part);
  const float* own_books = task.quantizer.codebooks + std::size_t{first} * task.codewords;
  if constexpr (kIsShort) {
    const std::uint32_t floats = (part_begin(task, last_part) - first) * task.codewords;
    for (std::uint32_t i = threadIdx.x; i < floats; i += kThreads) books[i] = own_books[i];
    __syncthreads();
    own_books = books;
  }
  const std::uint32_t vector = blockIdx.x * kThreads + threadIdx.x;
  if (vector >= task.vectors.count) return;
  const bool is_place = task.sizes != nullptr;
  const bool exists = !is_place || vector % kGroup < task.sizes[vector / kGroup];
  const float* const values = task.vectors.values + std::size_t{vector} * task.vectors.stride;
  std::uint32_t code = 0;
  for (std::uint32_t part = first_part; exists && part < last_part; ++part) {
    const std::uint32_t begin = part_begin(task, part);
    const Run<kIsShort> run(values + begin, part_begin(task, part + 1) - begin);
    const std::uint32_t word =
        nearest_word(run, own_books + std::size_t{begin - first} * task.codewords, task.codewords);
    code |= word << ((part - first_part) * task.quantizer.bits);
    if (!is_place) {
      task.codes[std::size_t{part} * task.vectors.count + vector] = static_cast<std::uint8_t>(word);
    }
  }
  if (!is_place) return;
  // CodeGroups: chunks of 16 bytes a vector, the last one with what is left.
  const std::uint32_t byte = blockIdx.y * kThreadBytes;
  const std::uint32_t chunk = byte / 16 * 16;
  const std::uint32_t width = min(16U, task.stored_bytes - chunk);
  std::uint8_t* const group =
      task.codes + std::size_t{vector / kGroup} * kGroup * task.stored_bytes;
  *reinterpret_cast<std::uint32_t*>(group + chunk * kGroup + vector % kGroup * width + byte -
                                    chunk) = code;
}

void launch_runs(const RunTask& task, const Stream& stream) {
  const std::uint32_t widest = (task.quantizer.dimension - 1) / task.parts + 1;
  const std::uint32_t runs = kThreadBytes * 8 / task.quantizer.bits;
  const bool is_short = widest <= kShortRun;
  launch(
      {.name = "encode_runs",
       .ctas = dim3((task.vectors.count - 1) / kThreads + 1, task.stored_bytes / kThreadBytes),
       .threads = kThreads,
       .shared_memory = is_short ? std::size_t{runs} * widest * task.codewords * sizeof(float) : 0,
       .stream = stream.handle()},
      is_short ? encode_runs<true> : encode_runs<false>, task);
}

RunTask make_task(const CodedVectors& vectors, const DeviceQuantizer& quantizer) {
  RunTask task{};
  task.vectors = vectors;
  task.quantizer = quantizer;
  task.parts = quantizer.bytes * 8 / quantizer.bits;
  task.codewords = 1U << quantizer.bits;
  task.stored_bytes = (quantizer.bytes + 3) / 4 * 4;
  return task;
}

__device__ double sum_of_squares(const float* values, std::uint32_t count) {
  double sum = 0;
  for (std::uint32_t c = 0; c < count; ++c) {
    const double component = values[c];
    sum = __dadd_rn(sum, __dmul_rn(component, component));
  }
  return sum;
}

/// ResidualEncoder's, of a centroid.
__device__ double outside(const TermTask& task, std::uint32_t list, const float* rotated) {
  if (task.quantizer.dimension == task.dimension) return 0;
  const double whole =
      sum_of_squares(task.whole + std::size_t{list} * task.dimension, task.dimension);
  return fmax(__dsub_rn(whole, sum_of_squares(rotated, task.quantizer.dimension)), 0.0);
}

/// ResidualEncoder::length_ratio(). `decoded` is the square of the length of what the code stands
/// for.
__device__ float length_ratio(const float* row, std::uint32_t dimension, double decoded) {
  const double own = sum_of_squares(row, dimension);
  if (own == 0 || decoded == 0) return 1;
  const double ratio = __dsqrt_rn(__ddiv_rn(own, decoded));
  return __double2float_rn(fmin(fmax(ratio, 1 / kMaxLengthRatio), kMaxLengthRatio));
}

/// Work item: a vector, a thread. Reading codewords from the L1 cache bounds it.
template <bool kIsL2>
__global__ void __launch_bounds__(kThreads) find_term(TermTask task, std::uint32_t stored_bytes) {
  const std::uint32_t place = blockIdx.x * kThreads + threadIdx.x;
  const std::uint32_t group = place / kGroup;
  if (group >= task.groups || place % kGroup >= task.sizes[group]) return;
  const DeviceQuantizer& quantizer = task.quantizer;
  const std::uint32_t parts = quantizer.bytes * 8 / quantizer.bits;
  const std::uint32_t codewords = 1U << quantizer.bits;
  const std::uint8_t* const codes = task.codes + std::size_t{group} * kGroup * stored_bytes;
  const float* const centroid = task.centroids + std::size_t{task.lists[group]} * task.stride;
  double sum = 0;
  std::uint32_t column = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::uint32_t bit = part * quantizer.bits;
    const std::uint32_t byte = bit / 8;
    const std::uint32_t chunk = byte / 16 * 16;
    const std::uint32_t width = min(16U, stored_bytes - chunk);
    const std::uint32_t value = codes[chunk * kGroup + place % kGroup * width + byte - chunk];
    const std::uint32_t word = value >> bit % 8 & (codewords - 1);
    const auto end =
        static_cast<std::uint32_t>(std::uint64_t{part + 1} * quantizer.dimension / parts);
    for (; column < end; ++column) {
      const double y = quantizer.codebooks[std::size_t{column} * codewords + word];
      if constexpr (kIsL2) {
        const double twice = __dmul_rn(2, centroid[column]);
        sum = __dadd_rn(sum, __dmul_rn(y, __dadd_rn(y, twice)));
      } else {
        const double component = __dadd_rn(y, double{centroid[column]});
        sum = __dadd_rn(sum, __dmul_rn(component, component));
      }
    }
  }
  if constexpr (kIsL2) {
    task.terms[place] = __double2float_rn(sum);
  } else {
    const float* const row = task.rows + std::size_t{place} * task.dimension;
    const double decoded = __dadd_rn(sum, outside(task, task.lists[group], centroid));
    task.terms[place] = length_ratio(row, task.dimension, decoded);
  }
}

}  // namespace

void find_words(const CodedVectors& vectors, const DeviceQuantizer& quantizer, std::uint8_t* words,
                const Stream& stream) {
  RunTask task = make_task(vectors, quantizer);
  task.codes = words;
  launch_runs(task, stream);
}

void encode_groups(const CodedVectors& vectors, const std::uint32_t* sizes,
                   const DeviceQuantizer& quantizer, std::uint8_t* codes, const Stream& stream) {
  RunTask task = make_task(vectors, quantizer);
  task.sizes = sizes;
  task.codes = codes;
  launch_runs(task, stream);
}

void find_terms(const TermTask& task, const Stream& stream) {
  launch(launch_over("find_term", std::size_t{task.groups} * kGroup, kThreads, stream.handle()),
         task.is_l2 ? find_term<true> : find_term<false>, task, (task.quantizer.bytes + 3) / 4 * 4);
}

}  // namespace warpdex::vector
