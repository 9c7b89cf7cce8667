// OR by accumulating. Each document of a tile, or of two neighbouring tiles, has a 16-bit
// accumulator in shared memory, or a 32-bit one where queries are huge. The blocks of the query's
// lists that meet the tile are decoded and accumulated in any order, since sums of integers do not
// depend on it. Documents whose sums cross the query's threshold become candidates and raise it.
#include <algorithm>
#include <array>

#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/tiles/or_dense_tile.cuh"
#include "gpu/kernels/tiles/or_item_finder.cuh"
#include "gpu/kernels/tiles/or_planner.cuh"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"

namespace warpdex::gpu {
namespace {

using namespace or_tiles;

/// Shared memory of a multiprocessor of an H100, and what the system takes of it for each CTA.
constexpr std::size_t kMultiprocessorBytes = 228 << 10;
constexpr std::size_t kCtaBytes = 1 << 10;
/// Rooms, the largest first, which is an H100's; a T4 has the smallest.
constexpr std::array kRooms{TileRoom{kMaxItemTiles, true}, TileRoom{1, true}, TileRoom{1, false}};

/// Two plans: one is executed while the other is made; then they change places. It remembers the
/// number of the one that is executed, which the compiler knows to be the same in all lanes. Where
/// that would spill a register (`kIsTight`), it remembers its address.
template <class Plan, bool kIsTight>
class PlanBuffer {
 public:
  __device__ explicit PlanBuffer(Plan (&plans)[2]) : plans_(plans), now_(plans) {}

  __device__ const Plan& now() const { return kIsTight ? *now_ : plans_[number_]; }
  __device__ Plan& other() { return plans_[other_number()]; }
  /// The number of the one that is made.
  __device__ std::uint32_t other_number() const {
    return kIsTight ? (now_ == plans_ ? 1 : 0) : number_ ^ 1;
  }
  __device__ void end() {
    if constexpr (kIsTight) {
      now_ = &other();
    } else {
      number_ = other_number();
    }
  }

 private:
  Plan (&plans_)[2];
  Plan* now_;
  std::uint32_t number_ = 0;
};

/// Work item: one tile of a query or two neighbours; CTAs stay and take further items. Where tiles
/// have many blocks, the item is a piece of a tile. Then a CTA takes one or a few and ends: so
/// kernels of streams of a higher priority need not wait for long, and small collections fill the
/// GPU. 10 warps decode and accumulate (16 if scores depend on lengths), two more plan what comes
/// next.
/// Shared memory: Memory and what lies behind it, 75 KiB (impacts) to 113 KiB, or less for smaller
/// GPUs. Bound by instruction issue (some 125 warp
/// instructions for a plain block of impacts) and by bank conflicts. Of a huge query (`kIsHuge`)
/// the accumulators are filled group by group of its lists.
template <CodecKind kCodec, class Units, bool kIsTimed, bool kIsHuge>
__global__ void __launch_bounds__(TileShape<kCodec, Units>::kAllThreads,
                                  ctas_at_once(TileShape<kCodec, Units>::kAllThreads,
                                               TileShape<kCodec, Units>::kCtas))
    or_tiles(OrRounds batch, std::uint32_t pass) {
  using Shape = TileShape<kCodec, Units>;
  wait_for_previous();
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory<kCodec, Units>*>(bytes);
  if (blockIdx.x >= item_count(batch, pass)) return;
  const std::uint32_t documents =
      batch.tile_pieces > 1 ? piece_documents(batch) : batch.tile_room.documents();
  const std::uint32_t half = kIsHuge ? piece_documents(batch) : documents / 2;
  for (std::uint32_t i = threadIdx.x; i < half / 4; i += Shape::kAllThreads) {
    memory.sums()[i] = {0, 0, 0, 0};
  }
  if constexpr (Shape::kHasLengths) {
    for (std::uint32_t i = threadIdx.x; i < kLengthCodes; i += Shape::kAllThreads) {
      memory.parts[i] = entry_of<Units>(batch, i);
    }
  }
  const std::uint32_t warp = warp_id();
  const bool finds = warp == Shape::kWarps;
  const bool plans = warp == Shape::kWarps + 1;
  PhaseClock<GpuPhase, kGpuPhases, kIsTimed> clock;  // of the warps that decode
  ItemFinder<kIsHuge> finder(batch, pass, memory.next_item);
  if (finds) {
    finder.start();
    finder.find(memory.items[0]);
  }
  if (threadIdx.x == 0) {
    memory.recorded_count = 0;
    memory.handed[0].count = memory.handed[1].count = 0;
    memory.matches = 0;
    memory.plans[0].count = 0;  // the first plan is the end of an empty item
    memory.plans[0].is_last = true;
    if constexpr (kIsHuge) {
      memory.plans[0].has_work = false;
      memory.plans[0].ends_group = true;
    }
    memory.plans[0].is_end = false;
    memory.plans[0].item = 1;
  }
  clock.start();
  for (PlanBuffer<typename Memory<kCodec, Units>::Plan, Shape::kIsTight> turn(memory.plans);;
       turn.end()) {
    // The tool racecheck needs this barrier of the warps that decode: it does not see that what
    // they read behind the last one comes before the next barrier of all warps.
    if (warp < Shape::kWarps) TileReader<kCodec, Units, kIsTimed, kIsHuge>::sync_decoders();
    __syncwarp();  // lanes may have diverged
    __syncthreads();
    clock.end(GpuPhase::kWait);
    const auto& plan = turn.now();
    if (plan.is_end) {
      if (plans) settle<Units>(batch, memory.handed[turn.other_number()]);
      break;
    }
    // A shuffle, so that the compiler knows that all lanes take the same branch.
    const std::uint32_t work =
        __shfl_sync(kWholeWarp, kIsHuge ? (plan.has_work ? 1U : 0U) : plan.count, 0);
    const bool ends_group = kIsHuge ? plan.ends_group : plan.is_last;
    const std::uint32_t item = plan.item ^ (ends_group ? 1 : 0);  // the item whose blocks are
                                                                  // planned next
    if (plans) {
      plan_blocks<kCodec, Units, kIsHuge>(batch, memory.items, item, turn.other());
      settle<Units>(batch, memory.handed[turn.other_number()]);
    } else if (finds) {
      if constexpr (kIsHuge) {
        if (ends_group) finder.find_next(memory.items[item], memory.items[item ^ 1]);
      } else {
        if (ends_group) finder.find(memory.items[item ^ 1]);
      }
    } else if (work > 0) {
      DenseTile<kCodec, Units, kIsTimed, kIsHuge>(batch, plan, memory, warp, clock).run();
    }
  }
  if constexpr (kIsTimed) {
    if (warp < Shape::kWarps) clock.add_to(batch.work->tile_cycles);
  }
}

/// About as many tiles as a pass has at most; the first takes few.
std::uint32_t tiles_of_pass(const OrRounds& batch, std::uint32_t pass) {
  const std::uint32_t few = batch.tile_count / 16 + 4 * batch.or_queries;
  return pass == 0 ? std::min(few, batch.tile_count) : batch.tile_count;
}

template <CodecKind kCodec, class Units>
void launch(const OrRounds& batch, std::uint32_t pass, cudaStream_t stream) {
  auto kernel = or_tiles<kCodec, Units, false, false>;
  if constexpr (kIsMeasured<kCodec, Units>) {
    if (batch.work != nullptr) kernel = or_tiles<kCodec, Units, true, false>;
  }
  if (batch.are_huge) kernel = or_tiles<kCodec, Units, false, true>;
  using Shape = TileShape<kCodec, Units>;
  using Memory = Memory<kCodec, Units>;
  static_assert(Shape::kCtas * (Memory::bytes(kRooms.front()) + kCtaBytes) <= kMultiprocessorBytes);
  static_assert(Memory::bytes(kRooms.back()) <= kLeastSharedMemory);
  const std::size_t bytes = Memory::bytes(batch.tile_room);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint32_t resident = resident_ctas(kernel, Shape::kAllThreads, bytes);
  std::uint32_t ctas = std::min(resident, batch.tile_count);
  if (batch.tile_pieces > 1) {
    constexpr std::uint32_t kTurns = 16;  // with more CTAs, some would find nothing left
    ctas = std::min(kTurns * resident, batch.tile_pieces * tiles_of_pass(batch, pass));
  }
  gpu::launch("or_tiles", kernel, ctas, Shape::kAllThreads, bytes, stream, batch, pass);
}

}  // namespace

TileRoom tile_room(const Batch& batch, CodecKind codec) {
  const std::size_t limit = current_chip().shared_memory_of_block;
  TileRoom room = kRooms.back();
  with_codec_and_units(AllUnits(), batch, codec, [&]<CodecKind kCodec, class Units>() {
    const auto fits = [&](const TileRoom& one) {
      return Memory<kCodec, Units>::bytes(one) <= limit;
    };
    room = *std::find_if(kRooms.begin(), kRooms.end() - 1, fits);
  });
  return room;
}

void launch_or_tiles(const OrRounds& batch, std::uint32_t pass, CodecKind codec,
                     cudaStream_t stream) {
  with_codec_and_units(AllUnits(), batch, codec, [&]<CodecKind kCodec, class Units>() {
    launch<kCodec, Units>(batch, pass, stream);
  });
}

}  // namespace warpdex::gpu
