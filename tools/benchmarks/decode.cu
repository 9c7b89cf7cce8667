// The kernels of the decode benchmark.
#include <type_traits>

#include "benchmarks/decode.hpp"
#include "warpdex/codecs/device/block_decoder.cuh"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::tools {
namespace {

using device::BlockDecoder;
using device::BlockPlace;
using device::WarpScratch;

constexpr int kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;

/// CTAs an SM: as many as the registers allow without spilling.
template <CodecKind kCodec, int kLevels, bool kByCursor>
constexpr int minimum_ctas() {
  if (kCodec != CodecKind::kPfor) return 6;
  if (kLevels > 1) return 2;
  return kByCursor || kLevels == 0 ? 5 : 4;
}

/// The metadata of a run of up to 32 blocks, one a lane.
struct Run {
  std::uint32_t offset = 0;
  std::uint32_t code = 0;
  std::uint32_t last = 0;

  __device__ __forceinline__ Run(const UploadedList& list, std::uint32_t block,
                                 std::uint32_t blocks) {
    if (block >= blocks) return;
    const BlockPlace place = device::locate(list.values, block);
    offset = static_cast<std::uint32_t>(place.at - list.values.bytes);
    code = place.code;
    last = __ldg(list.last_docids + block);
  }
};

/// What a warp keeps of a list in shared memory while it decodes the blocks of a run: in turn by a
/// cursor, or each by itself by the list's tail, which only lists of `pfor` have.
template <typename Decoder, bool kByCursor>
using Kept =
    std::conditional_t<kByCursor, typename Decoder::CursorScratch, typename Decoder::ParsedTail>;

template <typename Decoder, bool kByCursor>
__device__ __forceinline__ auto keep(const device::DeviceValues& list,
                                     Kept<Decoder, kByCursor>& kept) {
  if constexpr (kByCursor) {
    return Decoder::cursor(list, kept);
  } else {
    __syncwarp();
    if (lane_id() == 0) kept = Decoder::parse_tail(list);
    __syncwarp();
    return typename Decoder::Tail{&kept};
  }
}

// Work item: a run of 32 blocks of a list, by one warp; grid-stride over the runs of all lists.
// CTA: 256 threads, 512 bytes of shared memory a warp. Bound by instruction issue; where values
// go to memory, which has room for kBlockSize of every block, by its bandwidth.
template <CodecKind kCodec, int kLevels, bool kDocids, bool kByCursor, bool kToMemory>
__global__ void __launch_bounds__(kThreads, minimum_ctas<kCodec, kLevels, kByCursor>())
    decode(DecodeWork work, uint4* out, DecodeChecksum* checksum) {
  using Decoder = BlockDecoder<kCodec, kLevels>;
  __shared__ WarpScratch all_scratch[kWarps];
  __shared__ Kept<Decoder, kByCursor> all_kept[kWarps];
  // By a shuffle, so that the compiler knows that it is the same in all lanes, and so is what
  // follows from it.
  const std::uint32_t warp = __shfl_sync(kWholeWarp, threadIdx.x / kWarp, 0);
  WarpScratch& scratch = all_scratch[warp];
  const std::uint32_t runs_per_list = (work.blocks + kWarp - 1) / kWarp;
  const auto runs = static_cast<std::uint32_t>(work.list_count * runs_per_list);
  std::uint32_t sum = 0;
  std::uint32_t bits = 0;
  for (std::uint32_t i = blockIdx.x * kWarps + warp; i < runs; i += gridDim.x * kWarps) {
    const UploadedList& list = work.lists[i / runs_per_list];
    const std::uint32_t first = i % runs_per_list * kWarp;
    const std::uint32_t size = min(work.blocks - first, kWarp);
    const Run run(list, first + lane_id(), work.blocks);
    const device::DeviceValues encoded = kByCursor ? list.values : list.flat;
    std::uint32_t base = 0xFFFFFFFF;
    if (kDocids && first > 0) base = __ldg(list.last_docids + first - 1);
    auto keeper = keep<Decoder, kByCursor>(encoded, all_kept[warp]);
#pragma unroll 1
    for (std::uint32_t j = 0; j < size; ++j) {
      const std::uint32_t block = first + j;
      BlockPlace place = {
          encoded.bytes + __shfl_sync(kWholeWarp, run.offset, j), block,
          static_cast<std::uint8_t>(__shfl_sync(kWholeWarp, run.code, j)),
          static_cast<std::uint8_t>(min(encoded.count - block * kBlockSize, kBlockSize))};
      if constexpr (!kByCursor) place.exceptions = device::pfor::find_exceptions(encoded, block);
      std::uint32_t values[4];
      const std::uint32_t last = __shfl_sync(kWholeWarp, run.last, j);
      if constexpr (kDocids) {
        Decoder::docids(encoded, keeper, place, base, last, scratch, values);
      } else {
        Decoder::values(encoded, keeper, place, scratch, values);
      }
      base = last;
      if constexpr (kToMemory) {
        const std::uint64_t before = std::uint64_t{i / runs_per_list} * work.blocks + block;
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

using Kernel = void (*)(DecodeWork, uint4*, DecodeChecksum*);

template <CodecKind kCodec, int kLevels = 0, bool kByCursor = true>
Kernel kernel_of(const DecodeWork& work) {
  if (work.to_memory) {
    if constexpr (kByCursor) {
      return work.docids ? decode<kCodec, kLevels, true, true, true>
                         : decode<kCodec, kLevels, false, true, true>;
    }
    throw UsageError("blocks by themselves are decoded to registers alone");
  }
  return work.docids ? decode<kCodec, kLevels, true, kByCursor, false>
                     : decode<kCodec, kLevels, false, kByCursor, false>;
}

template <int kLevels>
Kernel pfor_kernel(const DecodeWork& work) {
  return work.by_cursor ? kernel_of<CodecKind::kPfor, kLevels, true>(work)
                        : kernel_of<CodecKind::kPfor, kLevels, false>(work);
}

Kernel kernel_for(const DecodeWork& work) {
  switch (work.settings.kind) {
    case CodecKind::kBitpack: return kernel_of<CodecKind::kBitpack>(work);
    case CodecKind::kPforBlock: return kernel_of<CodecKind::kPforBlock>(work);
    case CodecKind::kRice: return kernel_of<CodecKind::kRice>(work);
    case CodecKind::kPfor: break;
  }
  switch (work.settings.pfor_levels) {
    case 0: return pfor_kernel<0>(work);
    case 1: return pfor_kernel<1>(work);
    default:
      return work.by_cursor ? kernel_of<CodecKind::kPfor, kMaxPforLevels>(work)
                            : kernel_of<CodecKind::kPfor, 1, false>(work);
  }
}

/// CTAs that fill the GPU, or fewer if there is not that much to do.
unsigned grid_for(Kernel kernel, const DecodeWork& work, int device) {
  int per_multiprocessor = 0;
  check_cuda(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, kThreads, 0),
      "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  const std::uint64_t runs = work.list_count * ((work.blocks + kWarp - 1) / kWarp);
  const auto full = static_cast<std::uint64_t>(per_multiprocessor) *
                    static_cast<std::uint64_t>(device_info(device).multiprocessors);
  return static_cast<unsigned>(std::min(full, (runs + kWarps - 1) / kWarps));
}

}  // namespace

DecodeTimes time_decoding(const DecodeWork& work, int passes, const Stream& stream) {
  const Kernel kernel = kernel_for(work);
  const unsigned grid = grid_for(kernel, work, stream.device());
  DeviceArray<DecodeChecksum> checksum(1, stream.device());
  const std::uint64_t fours = work.list_count * work.blocks * kWarp;
  DeviceArray<uint4> out(work.to_memory ? fours : 0, stream.device());
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
  if (work.to_memory) {
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
