// Few queries on the tensor cores. The rows go from memory into registers and from there into the
// products, so each is read once and no packed copy of it is written.
#include <cuda_fp16.h>

#include <algorithm>

#include "flat/gpu/candidate_lists.cuh"
#include "flat/gpu/canonical.cuh"
#include "flat/gpu/panel_layout.cuh"
#include "flat/gpu/tensor_core.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 128;
constexpr std::uint32_t kWarps = kThreads / kWarp;

/// Components that a lane has of a chunk of a row. Which 16 of a chunk's components go together
/// into an instruction does not matter, as long as rows and queries agree: lane l takes components
/// l % 4 * 8 to l % 4 * 8 + 7, the first four for the first instruction and the others for the
/// second.
constexpr std::uint32_t kOwn = 8;

__device__ __forceinline__ void load_own(const float* row, float (&x)[kOwn]) {
  const auto low = *reinterpret_cast<const float4*>(row);
  const auto high = *reinterpret_cast<const float4*>(row + 4);
  x[0] = low.x, x[1] = low.y, x[2] = low.z, x[3] = low.w;
  x[4] = high.x, x[5] = high.y, x[6] = high.z, x[7] = high.w;
}
__device__ __forceinline__ void load_own(const __half* row, float (&x)[kOwn]) {
  const uint4 bits = *reinterpret_cast<const uint4*>(row);
  const std::uint32_t words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
  for (std::uint32_t i = 0; i < 4; ++i) {
    const float2 pair = __half22float2(*reinterpret_cast<const __half2*>(words + i));
    x[2 * i] = pair.x;
    x[2 * i + 1] = pair.y;
  }
}

/// A lane's components of one row, less the centre's, scaled and rounded.
__device__ __forceinline__ void round_own(const float (&x)[kOwn], const float (&centre)[kOwn],
                                          float scale, std::uint32_t (&halves)[kOwn / 2]) {
#pragma unroll
  for (std::uint32_t i = 0; i < kOwn / 2; ++i) {
    const __half2 pair = __floats2half2_rn(__fsub_rn(x[2 * i], centre[2 * i]) * scale,
                                           __fsub_rn(x[2 * i + 1], centre[2 * i + 1]) * scale);
    halves[i] = *reinterpret_cast<const std::uint32_t*>(&pair);
  }
}

/// Shared memory of a CTA: the queries by chunks, the centre, the limits.
template <int kQueryBlocks>
struct FewShared {
  static constexpr std::uint32_t kQueries = kQueryBlocks * 8;
  static constexpr std::uint32_t kChunk = kQueries * 64;

  static constexpr std::size_t bytes(std::uint32_t chunks) {
    return chunks * (kChunk + kChunkColumns * sizeof(float)) + kQueries * sizeof(float);
  }

  __device__ FewShared(std::uint8_t* memory, std::uint32_t chunks)
      : queries(memory),
        centre(reinterpret_cast<float*>(memory + chunks * kChunk)),
        limits(centre + chunks * kChunkColumns) {}

  __device__ void fill(const MatchTask& task, const LooseRows& loose) const {
    constexpr std::uint32_t kUnits = kChunk / 16;
    for (std::uint32_t i = threadIdx.x; i < task.chunks * kUnits; i += kThreads) {
      reinterpret_cast<uint4*>(queries)[i] = reinterpret_cast<const uint4*>(
          task.queries.halves + i / kUnits * kChunkBytes)[i % kUnits];
    }
    for (std::uint32_t i = threadIdx.x; i < task.chunks * kChunkColumns; i += kThreads) {
      const bool exists = loose.rules.centre != nullptr && i < loose.rows.dimension;
      centre[i] = exists ? loose.rules.centre[i] : 0;
    }
    for (std::uint32_t i = threadIdx.x; i < kQueries; i += kThreads) {
      limits[i] = task.queries.limits[i];
    }
    __syncthreads();
  }

  std::uint8_t* queries;
  float* centre;
  float* limits;
};

/// 16 * kRowBlocks rows and all queries, a warp.
template <class Component, int kQueryBlocks, int kRowBlocks>
class FewRows {
 public:
  using Shared = FewShared<kQueryBlocks>;
  static constexpr std::uint32_t kRows = 16 * kRowBlocks;

  __device__ FewRows(const MatchTask& task, const LooseRows& loose, const Shared& shared)
      : task_(task), loose_(loose), shared_(shared) {}

  /// The rows from `first` of the part on.
  __device__ void run(std::uint32_t first) {
    begin(first);
    float next[2 * kRowBlocks][kOwn];
    load(0, next);
    for (std::uint32_t chunk = 0; chunk < task_.chunks; ++chunk) {
      std::uint32_t halves[2 * kRowBlocks][kOwn / 2];
      round(chunk, next, halves);
      if (chunk + 1 < task_.chunks) load(chunk + 1, next);
      multiply(chunk, halves);
    }
    if (task_.takes_all) {
      keep_all(first);
    } else {
      keep_within(first);
    }
  }

 private:
  /// Finds the lane's rows: l / 4, and every eighth from there on.
  __device__ void begin(std::uint32_t first) {
    // Rows of a group of 32 lie together.
    const std::uint32_t place = task_.first_place + first;
    const std::uint32_t start =
        loose_.order.row(place / TileOrder::kGroupRows * TileOrder::kGroupRows) +
        place % TileOrder::kGroupRows;
    const auto* const data = static_cast<const Component*>(loose_.rows.data);
#pragma unroll
    for (std::uint32_t i = 0; i < 2 * kRowBlocks; ++i) {
      const std::uint32_t row = start + i * 8 + lane_id() / 4;
      std::uint32_t position = kNoRow;
      if (row < loose_.choice.count) {
        position = loose_.choice.positions == nullptr ? row : loose_.choice.positions[row];
      }
      const RowFacts facts = find_row_facts(loose_.rows, position, loose_.rules);
      if (lane_id() % 4 == 0) {
        task_.rows.slacks[first + i * 8 + lane_id() / 4] = facts.slack;
      }
      rows_[i] = data + std::size_t{position == kNoRow ? 0 : position} * loose_.rows.stride +
                 lane_id() % 4 * kOwn;
#pragma unroll
      for (std::uint32_t n = 0; n < kQueryBlocks; ++n) {
        sums_[i / 2][n][i % 2 * 2] = sums_[i / 2][n][i % 2 * 2 + 1] = facts.offset;
      }
    }
  }

  __device__ void load(std::uint32_t chunk, float (&x)[2 * kRowBlocks][kOwn]) const {
    const std::uint32_t column = chunk * kChunkColumns + lane_id() % 4 * kOwn;
    const bool is_whole = column + kOwn <= loose_.rows.dimension;
#pragma unroll
    for (std::uint32_t i = 0; i < 2 * kRowBlocks; ++i) {
      const Component* const from = rows_[i] + chunk * kChunkColumns;
      if (is_whole) {
        load_own(from, x[i]);
        continue;
      }
#pragma unroll
      for (std::uint32_t c = 0; c < kOwn; ++c) {
        x[i][c] = column + c < loose_.rows.dimension ? to_float(from[c]) : 0.0F;
      }
    }
  }

  __device__ void round(std::uint32_t chunk, const float (&x)[2 * kRowBlocks][kOwn],
                        std::uint32_t (&halves)[2 * kRowBlocks][kOwn / 2]) const {
    float centre[kOwn];
    load_own(shared_.centre + chunk * kChunkColumns + lane_id() % 4 * kOwn, centre);
#pragma unroll
    for (std::uint32_t i = 0; i < 2 * kRowBlocks; ++i) {
      round_own(x[i], centre, loose_.rules.scale, halves[i]);
    }
  }

  __device__ void multiply(std::uint32_t chunk,
                           const std::uint32_t (&halves)[2 * kRowBlocks][kOwn / 2]) {
    const std::uint8_t* const queries = shared_.queries + chunk * Shared::kChunk;
#pragma unroll
    for (std::uint32_t n = 0; n < kQueryBlocks; ++n) {
      const uint4 own = *reinterpret_cast<const uint4*>(
          queries + unit_offset(n * 8 + lane_id() / 4, lane_id() % 4));
#pragma unroll
      for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
        const std::uint32_t(&low)[kOwn / 2] = halves[2 * m];
        const std::uint32_t(&high)[kOwn / 2] = halves[2 * m + 1];
        multiply_add(sums_[m][n], {low[0], high[0], low[1], high[1]}, own.x, own.y);
        multiply_add(sums_[m][n], {low[2], high[2], low[3], high[3]}, own.z, own.w);
      }
    }
  }

  static __device__ std::uint32_t query_of(std::uint32_t n, std::uint32_t odd) {
    return n * 8 + lane_id() % 4 * 2 + odd;
  }
  static __device__ std::uint32_t row_of(std::uint32_t m, std::uint32_t half) {
    return m * 16 + half * 8 + lane_id() / 4;
  }

  __device__ void keep_within(std::uint32_t first) const {
#pragma unroll
    for (std::uint32_t n = 0; n < kQueryBlocks; ++n) {
#pragma unroll
      for (std::uint32_t odd = 0; odd < 2; ++odd) {
        const float limit = shared_.limits[query_of(n, odd)];
#pragma unroll
        for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
          for (std::uint32_t half = 0; half < 2; ++half) {
            const float sum = sums_[m][n][2 * half + odd];
            if (sum > limit) continue;
            append(task_.lists, query_of(n, odd), sum, task_.first_place + first + row_of(m, half));
          }
        }
      }
    }
  }

  __device__ void keep_all(std::uint32_t first) const {
#pragma unroll
    for (std::uint32_t n = 0; n < kQueryBlocks; ++n) {
#pragma unroll
      for (std::uint32_t odd = 0; odd < 2; ++odd) {
        const std::uint32_t query = query_of(n, odd);
        if (query >= task_.query_count) continue;
        Candidate* const list = task_.lists.candidates + query * task_.lists.capacity;
#pragma unroll
        for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
          for (std::uint32_t half = 0; half < 2; ++half) {
            const std::uint32_t row = first + row_of(m, half);
            list[row] = {sums_[m][n][2 * half + odd], task_.first_place + row};
          }
        }
      }
    }
  }

  const MatchTask& task_;
  const LooseRows& loose_;
  const Shared& shared_;
  const Component* rows_[2 * kRowBlocks];
  float sums_[kRowBlocks][kQueryBlocks][4];
};

/// Work item: 16 * kRowBlocks rows and up to 8 * kQueryBlocks queries, a warp. Shared memory: the
/// queries. Reading the rows bounds it.
template <class Component, int kQueryBlocks, int kRowBlocks>
__global__ void __launch_bounds__(kThreads) match_rows(MatchTask task, LooseRows loose) {
  extern __shared__ __align__(16) std::uint8_t memory[];
  const FewShared<kQueryBlocks> shared(memory, task.chunks);
  shared.fill(task, loose);
  using Rows = FewRows<Component, kQueryBlocks, kRowBlocks>;
  const std::uint32_t groups = task.row_panels * (kPanelRows / Rows::kRows);
  const std::uint32_t step = gridDim.x * kWarps;
  for (std::uint32_t group = blockIdx.x * kWarps + warp_id(); group < groups; group += step) {
    Rows(task, loose, shared).run(group * Rows::kRows);
  }
}

template <class Component, int kQueryBlocks, int kRowBlocks>
void launch_match(const MatchTask& task, const LooseRows& loose, const Stream& stream) {
  const auto kernel = match_rows<Component, kQueryBlocks, kRowBlocks>;
  const std::size_t bytes = FewShared<kQueryBlocks>::bytes(task.chunks);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint32_t ctas = task.row_panels * (kPanelRows / (16 * kRowBlocks)) / kWarps;
  launch({.name = "match_rows",
          .ctas = std::clamp(ctas, 1U, resident_ctas(kernel, kThreads, bytes)),
          .threads = kThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         kernel, task, loose);
}

template <class Component>
void choose_queries(const MatchTask& task, const LooseRows& loose, const Stream& stream) {
  if (task.query_count <= 16) {
    launch_match<Component, 2, 2>(task, loose, stream);
  } else {
    launch_match<Component, 16, 1>(task, loose, stream);
  }
}

}  // namespace

void match_few(const MatchTask& task, const LooseRows& loose, const Stream& stream) {
  if (loose.rows.store == Store::kFloat) {
    choose_queries<float>(task, loose, stream);
  } else {
    choose_queries<__half>(task, loose, stream);
  }
}

}  // namespace warpdex::vector
