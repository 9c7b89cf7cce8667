// A lane reads a rank; the votes of a warp are the words of 32 permutants.
#include "metric/gpu/kernels.hpp"

#include <string>

#include "binary/gpu/scan_bits.cuh"
#include "integer_codes/gpu/code_value.cuh"
#include "metric/rank_codes.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::metric {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;

/// Rows of ranks that are to be encoded.
struct RankRows {
  const std::uint8_t* rows;
  std::uint32_t count;
  std::uint32_t permutants;
  std::uint32_t row_bytes;
  bool is_wide;  ///< 2 bytes a rank

  __device__ std::uint32_t planes() const { return (permutants + kWarp - 1) / kWarp; }
};

/// The words of a row's permutants 32 * `plane` to 32 * `plane` + 31, the highest bit first. A
/// warp.
__device__ __forceinline__ void encode_plane(const RankRows& ranks, std::uint32_t row,
                                             std::uint32_t plane,
                                             std::uint32_t (&words)[kRankBits]) {
  const std::uint32_t permutant = plane * kWarp + lane_id();
  const std::uint8_t* const own = ranks.rows + std::size_t{row} * ranks.row_bytes;
  std::uint32_t cell = 0;
  if (permutant < ranks.permutants) {
    const std::uint32_t rank =
        ranks.is_wide ? reinterpret_cast<const std::uint16_t*>(own)[permutant] : own[permutant];
    cell = rank_cell(rank, ranks.permutants);
  }
#pragma unroll
  for (std::uint32_t bit = 0; bit < kRankBits; ++bit) {
    words[bit] = __ballot_sync(kWholeWarp, (cell >> (kRankBits - 1 - bit) & 1U) != 0);
  }
}

/// Work item: 32 permutants of an object, a warp. Reading the ranks bounds it.
__global__ void __launch_bounds__(kThreads) encode_objects(RankRows ranks, std::uint32_t* groups) {
  const std::uint32_t planes = ranks.planes();
  const std::uint64_t item = std::uint64_t{blockIdx.x} * kWarps + warp_id();
  if (item >= std::uint64_t{ranks.count} * planes) return;
  const auto row = static_cast<std::uint32_t>(item / planes);
  const auto plane = static_cast<std::uint32_t>(item % planes);
  std::uint32_t words[kRankBits];
  encode_plane(ranks, row, plane, words);
  if (lane_id() != 0) return;
#pragma unroll
  for (std::uint32_t bit = 0; bit < kRankBits; ++bit) {
    groups[vector::word_place(row, plane * kRankBits + bit, planes * kRankBits)] = words[bit];
  }
}

/// Work item: 32 permutants of a query, a warp; a query, a CTA. There are few. Words past the last
/// are 0.
__global__ void __launch_bounds__(kThreads)
    encode_queries(RankRows ranks, std::uint32_t* words, std::uint32_t stride, float* weights,
                   float* bases) {
  const std::uint32_t query = blockIdx.x;
  std::uint32_t* const own = words + std::size_t{query} * stride;
  for (std::uint32_t i = threadIdx.x; i < stride; i += kThreads) own[i] = 0;
  __syncthreads();
  for (std::uint32_t plane = warp_id(); plane < ranks.planes(); plane += kWarps) {
    std::uint32_t code[kRankBits];
    encode_plane(ranks, query, plane, code);
    if (lane_id() >= kRankBits) continue;
    const std::uint32_t number = plane * kRankBits + lane_id();
#pragma unroll
    for (std::uint32_t bit = 0; bit < kRankBits; ++bit) {
      own[(number / 4 * kRankBits + bit) * 4 + number % 4] = code[bit];
    }
  }
  if (threadIdx.x == 0) {
    weights[query] = -1;
    bases[query] = 0;
  }
}

/// Turns a scan's distances, the negatives of products, into distances of codes.
struct ApartSink {
  std::uint32_t* apart;
  std::uint64_t stride;
  std::int32_t top;

  __device__ float limit(std::uint32_t /*query*/) const { return 0; }
  __device__ __forceinline__ void take(const vector::ScannedRow& own, float /*limit*/) const {
    if (!own.exists) return;
    apart[own.query * stride + own.row] =
        static_cast<std::uint32_t>(top + __float2int_rn(own.value)) / 2;
  }
};

RankRows rows_of(const std::uint8_t* rows, std::uint32_t count, std::uint32_t permutants) {
  return {rows, count, permutants,
          static_cast<std::uint32_t>(rank_stride(permutants) * rank_bytes(permutants)),
          rank_bytes(permutants) == 2};
}

}  // namespace

DeviceRankCodes::DeviceRankCodes(const DeviceRanks& ranks, MemoryBudget& memory, int device) {
  codes_.rows = ranks.objects;
  codes_.dimension = ranks.permutants;
  codes_.bits = kRankBits;
  const std::size_t groups = (std::size_t{ranks.objects} + kWarp - 1) / kWarp;
  const std::size_t bytes = groups * codes_.group_bytes();
  if (!buffer_.allocate(bytes, memory, device)) {
    throw Error("the bits of these permutations need " + std::to_string((bytes >> 20) + 1) +
                " MiB of GPU memory; give more, or compare permutations in another way");
  }
  const Stream stream(device);
  buffer_.buffer().fill(0, stream);
  auto* const words = static_cast<std::uint32_t*>(buffer_.data());
  codes_.groups = static_cast<const std::uint8_t*>(buffer_.data());
  const RankRows rows = rows_of(ranks.rows, ranks.objects, ranks.permutants);
  launch(launch_over("encode_objects", std::size_t{ranks.objects} * codes_.plane_words() * kWarp,
                     kThreads, stream.handle()),
         encode_objects, rows, words);
  stream.synchronize();
}

RankCodeQueries::RankCodeQueries(std::uint32_t permutants, std::size_t queries)
    : permutants_(permutants), queries_(queries) {}

void RankCodeQueries::lay_out(Arena& arena) {
  words_ = arena.take<std::uint32_t>(queries_ * rank_code_shape(permutants_).query_words());
  weights_ = arena.take<float>(queries_);
  bases_ = arena.take<float>(queries_);
}

void RankCodeQueries::compare(const vector::DeviceBinaryCodes& codes,
                              const DeviceQueryRanks& queries, std::uint32_t* apart,
                              std::uint64_t stride, const Stream& stream) const {
  const auto words = static_cast<std::uint32_t>(rank_code_shape(permutants_).query_words());
  launch({.name = "encode_queries",
          .ctas = queries.count,
          .threads = kThreads,
          .stream = stream.handle()},
         encode_queries, rows_of(queries.rows, queries.count, permutants_), words_, words, weights_,
         bases_);
  constexpr std::int32_t kLast = (1 << kRankBits) - 1;
  const std::int32_t top = static_cast<std::int32_t>(permutants_) * kLast * kLast;
  const vector::TileOrder order = vector::TileOrder::of_places(codes.rows, vector::kPanelRows);
  const vector::ScanBitsTask task{
      codes,   {words_, words, weights_, bases_, queries.count, kRankBits, top},
      nullptr, order,
      0,       order.panels()};
  vector::launch_scan<kRankBits, false>(task, ApartSink{apart, stride, top}, stream);
}

}  // namespace warpdex::metric
