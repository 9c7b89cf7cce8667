// The kernels of the decode benchmark.
#include <algorithm>

#include "benchmarks/decode.hpp"
#include "warpdex/codecs/device/block_decoder.cuh"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::tools {
namespace {

using device::BlockDecoder;
using device::BlockPlace;
using device::WarpScratch;

constexpr int kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;

/// CTAs an SM: as many as the registers allow without spilling.
template <CodecKind kCodec>
constexpr int minimum_ctas() {
  return kCodec == CodecKind::kPfor ? 4 : 6;
}

/// The metadata of a run of up to 32 blocks, one a lane.
struct Run {
  std::uint32_t offset = 0;
  std::uint32_t code = 0;
  std::uint32_t last = 0;

  __device__ __forceinline__ Run(const UploadedList& list, std::uint32_t block, std::uint32_t end) {
    if (block >= end) return;
    const BlockPlace place = device::locate(list.values, block);
    offset = static_cast<std::uint32_t>(place.at - list.values.bytes);
    code = place.code;
    last = __ldg(list.last_docids + block);
  }
};

/// The values of a block, as the engine's kernels decode them where they add up all of a list.
template <class Decoder>
__device__ __forceinline__ void decode_values(const device::DeviceValues& list,
                                              const typename Decoder::Tail& tail,
                                              const BlockPlace& place, WarpScratch& scratch,
                                              std::uint32_t (&values)[4]) {
  if constexpr (Decoder::kHasUsual) {
    if (Decoder::is_usual(list, tail, place)) {
      return Decoder::usual_values(list, tail, place, scratch, values);
    }
  }
  Decoder::values(list, tail, place, scratch, values);
}

// What the kernels read.
struct DeviceWork {
  const UploadedList* lists;
  const DecodeRun* runs;
  std::uint32_t count;  // of runs
};

// Work item: a run of 32 blocks of a list, by one warp; grid-stride over the runs of all lists.
// CTA: 256 threads, 512 bytes of shared memory a warp and the list's tail. Bound by instruction
// issue; where values go to memory, which has room for kBlockSize of every block, by its bandwidth.
template <CodecKind kCodec, bool kDocids, bool kToMemory>
__global__ void __launch_bounds__(kThreads, minimum_ctas<kCodec>())
    decode(DeviceWork work, uint4* out, DecodeChecksum* checksum) {
  using Decoder = BlockDecoder<kCodec>;
  __shared__ WarpScratch all_scratch[kWarps];
  __shared__ typename Decoder::ParsedTail tails[kWarps];
  // By a shuffle, as all that is the same in all lanes, so that the compiler knows it, and that so
  // is what follows from it.
  const std::uint32_t warp = __shfl_sync(kWholeWarp, threadIdx.x / kWarp, 0);
  WarpScratch& scratch = all_scratch[warp];
  typename Decoder::Tail tail{};
  if constexpr (Decoder::kKeeps) tail = &tails[warp];
  std::uint32_t sum = 0;
  std::uint32_t bits = 0;
  for (std::uint32_t i = blockIdx.x * kWarps + warp; i < work.count; i += gridDim.x * kWarps) {
    const DecodeRun own = work.runs[i];
    const UploadedList& list = work.lists[own.list];
    const device::DeviceValues encoded = list.values;
    const std::uint32_t first = __shfl_sync(kWholeWarp, own.first, 0);
    const std::uint32_t size = __shfl_sync(kWholeWarp, own.size, 0);
    const Run run(list, first + lane_id(), first + size);
    std::uint32_t base = 0xFFFFFFFF;
    if (kDocids && first > 0) base = __ldg(list.last_docids + first - 1);
    __syncwarp();
    if (lane_id() == 0) tails[warp] = Decoder::parse_tail(encoded);
    __syncwarp();
#pragma unroll 1
    for (std::uint32_t j = 0; j < size; ++j) {
      const std::uint32_t block = first + j;
      BlockPlace place = {
          encoded.bytes + __shfl_sync(kWholeWarp, run.offset, j), block,
          static_cast<std::uint8_t>(__shfl_sync(kWholeWarp, run.code, j)),
          static_cast<std::uint8_t>(min(encoded.count - block * kBlockSize, kBlockSize))};
      if constexpr (Decoder::kKeeps) {
        place.exceptions = device::pfor::find_exceptions(encoded, block);
      }
      std::uint32_t values[4];
      const std::uint32_t last = __shfl_sync(kWholeWarp, run.last, j);
      if constexpr (kDocids) {
        Decoder::docids(encoded, tail, place, base, last, scratch, values);
      } else {
        decode_values<Decoder>(encoded, tail, place, scratch, values);
      }
      base = last;
      if constexpr (kToMemory) {
        const std::uint64_t before = std::uint64_t{own.before} + j;
        out[before * kWarp + lane_id()] = {values[0], values[1], values[2], values[3]};
      } else {
        sum += values[0] + values[1] + values[2] + values[3];
        bits ^= values[0] ^ values[1] ^ values[2] ^ values[3];
      }
    }
  }
  if constexpr (kToMemory) return;
  sum = __reduce_add_sync(kWholeWarp, sum);
  bits = __reduce_xor_sync(kWholeWarp, bits);
  if (threadIdx.x % kWarp == 0) {
    atomicAdd(&checksum->sum, sum);
    atomicXor(&checksum->bits, bits);
  }
}

// Work item: four values; grid-stride. Bound by reading them.
__global__ void __launch_bounds__(kThreads)
    add_up(const uint4* values, std::uint64_t count, DecodeChecksum* checksum) {
  std::uint32_t sum = 0;
  std::uint32_t bits = 0;
  const std::uint64_t step = std::uint64_t{gridDim.x} * kThreads;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * kThreads + threadIdx.x; i < count; i += step) {
    const uint4 four = values[i];
    sum += four.x + four.y + four.z + four.w;
    bits ^= four.x ^ four.y ^ four.z ^ four.w;
  }
  atomicAdd(&checksum->sum, sum);
  atomicXor(&checksum->bits, bits);
}

using Kernel = void (*)(DeviceWork, uint4*, DecodeChecksum*);

template <CodecKind kCodec>
Kernel kernel_of(const DecodeWork& work) {
  if (work.to_memory) return work.docids ? decode<kCodec, true, true> : decode<kCodec, false, true>;
  return work.docids ? decode<kCodec, true, false> : decode<kCodec, false, false>;
}

Kernel kernel_for(const DecodeWork& work) {
  switch (work.codec) {
    case CodecKind::kBitpack: return kernel_of<CodecKind::kBitpack>(work);
    case CodecKind::kPfor: return kernel_of<CodecKind::kPfor>(work);
    case CodecKind::kPforBlock: return kernel_of<CodecKind::kPforBlock>(work);
    case CodecKind::kRice: break;
  }
  return kernel_of<CodecKind::kRice>(work);
}

/// CTAs that fill the GPU, or fewer if there is not that much to do.
unsigned grid_for(Kernel kernel, std::size_t runs, int device) {
  int per_multiprocessor = 0;
  check_cuda(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, kThreads, 0),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const auto full = static_cast<std::uint64_t>(per_multiprocessor) *
                    static_cast<std::uint64_t>(device_info(device).multiprocessors);
  return static_cast<unsigned>(std::min(full, (runs + kWarps - 1) / kWarps));
}

}  // namespace

std::vector<DecodeRun> cut_into_runs(std::span<const std::uint32_t> counts) {
  std::vector<DecodeRun> runs;
  std::uint32_t before = 0;
  for (std::uint32_t list = 0; list < counts.size(); ++list) {
    const std::uint32_t blocks = (counts[list] + kBlockSize - 1) / kBlockSize;
    for (std::uint32_t first = 0; first < blocks; first += kWarp) {
      runs.push_back({list, first, std::min(blocks - first, kWarp), before});
      before += runs.back().size;
    }
  }
  return runs;
}

DecodeTimes time_decoding(const DecodeWork& given, int passes, const Stream& stream) {
  const Kernel kernel = kernel_for(given);
  const unsigned grid = grid_for(kernel, given.runs.size(), stream.device());
  DeviceArray<DecodeRun> runs(given.runs.size(), stream.device());
  runs.upload(given.runs, stream);
  const DeviceWork work{given.lists, runs.data(), static_cast<std::uint32_t>(given.runs.size())};
  DeviceArray<DecodeChecksum> checksum(1, stream.device());
  const DecodeRun& last = given.runs.back();
  const std::uint64_t fours = (std::uint64_t{last.before} + last.size) * kWarp;
  DeviceArray<uint4> out(given.to_memory ? fours : 0, stream.device());
  Event start(stream.device());
  Event end(stream.device());
  DecodeTimes times;
  for (int pass = 0; pass <= passes; ++pass) {
    checksum.fill_bytes(0, stream);
    start.record(stream);
    kernel<<<grid, kThreads, 0, stream.handle()>>>(work, out.data(), checksum.data());
    check_launch("decode");
    end.record(stream);
    end.synchronize();
    if (pass > 0) times.seconds.push_back(end.seconds_since(start));
  }
  if (given.to_memory) {
    out.fill_bytes(0xA5, stream);  // what it is checked by is of a pass of its own
    kernel<<<grid, kThreads, 0, stream.handle()>>>(work, out.data(), checksum.data());
    check_launch("decode");
    checksum.fill_bytes(0, stream);
    add_up<<<1024, kThreads, 0, stream.handle()>>>(out.data(), fours, checksum.data());
    check_launch("add_up");
  }
  checksum.download({&times.checksum, 1}, stream);
  stream.synchronize();
  return times;
}

}  // namespace warpdex::tools
