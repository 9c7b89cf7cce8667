// OR by adding up. The documents of a tile, or of two neighbours together, have an accumulator of
// 16 bits each in shared memory; the blocks of the query's lists that meet them are decoded and
// added up there, in any order, since sums of integers do not depend on it; documents that reach
// the query's threshold meanwhile become candidates and raise it.
#include <algorithm>

#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/tiles/or_dense_tile.cuh"
#include "gpu/kernels/tiles/or_planner.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"

namespace warpdex::gpu {
namespace {

using namespace or_tiles;

/// Shared memory of an SM, and what each of its CTAs takes of it beside its own.
constexpr int kMultiprocessorBytes = 228 << 10;
constexpr int kCtaBytes = 1 << 10;

/// Which of two plans is done now, while the other is made. As a number that is flipped, the
/// compiler knows it to be the same in all lanes; where a register more for it would be spilled
/// (`kIsTight`), by the address that is needed anyway.
template <class Plan, bool kIsTight>
class Turn {
 public:
  __device__ explicit Turn(Plan (&plans)[2]) : plans_(plans), now_(plans) {}

  __device__ const Plan& now() const { return kIsTight ? *now_ : plans_[number_]; }
  __device__ Plan& other() { return plans_[other_number()]; }
  __device__ void end() {
    if constexpr (kIsTight) {
      now_ = &other();
    } else {
      number_ = other_number();
    }
  }

 private:
  __device__ std::uint32_t other_number() const {
    return kIsTight ? (now_ == plans_ ? 1 : 0) : number_ ^ 1;
  }

  Plan (&plans_)[2];
  Plan* now_;
  std::uint32_t number_ = 0;
};

/// Work item: a tile of a query or two neighbours; CTAs stay and draw items. 10 warps (16 where
/// lengths matter, 14 over `pfor` with several levels) add blocks up while two others plan the
/// next. Shared memory: Memory, 75 (impacts) to 113 KiB. Bound by issue (some 125
/// instructions of a warp for a plain block of impacts) and by shared memory's banks.
template <CodecKind kCodec, int kLevels, ScoreForm kForm, bool kIsTimed>
__global__ void __launch_bounds__(Shape<kCodec, kLevels, kForm>::kAllThreads,
                                  Shape<kCodec, kLevels, kForm>::kCtas)
    or_tiles(Batch batch, std::uint32_t pass) {
  using Form = Shape<kCodec, kLevels, kForm>;
  wait_for_previous();
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory<kCodec, kLevels, kForm>*>(bytes);
  if (blockIdx.x >= batch.tile_passes[pass].items) return;
  for (std::uint32_t i = threadIdx.x; i < kMostHalf / 4; i += Form::kAllThreads) {
    memory.sums[i] = {0, 0, 0, 0};
  }
  if constexpr (Form::kHasLengths) {
    for (std::uint32_t i = threadIdx.x; i < kLengthCodes; i += Form::kAllThreads) {
      memory.parts[i] =
          length_part(kForm, batch.c0, batch.c1, static_cast<float>(decode_length(i)));
    }
  }
  const std::uint32_t warp = warp_id();
  const bool finds = warp == Form::kWarps;
  const bool plans = warp == Form::kWarps + 1;
  PhaseClock<GpuPhase, kGpuPhases, kIsTimed> clock;  // of the warps that decode
  ItemFinder finder(batch, pass, memory.drawn);
  if (finds) {
    finder.start();
    finder.find(memory.items[0]);
  }
  if (threadIdx.x == 0) {
    memory.crossed_count = 0;
    memory.plans[0].count = 0;  // nothing to add up, and an item to begin with
    memory.plans[0].is_last = true;
    memory.plans[0].is_end = false;
    memory.plans[0].item = 1;
  }
  clock.start();
  for (Turn<typename Memory<kCodec, kLevels, kForm>::Plan, Form::kIsTight> turn(memory.plans);;
       turn.end()) {
    // Racecheck takes reads behind a barrier of some warps for unordered with the next one of all.
    if (warp < Form::kWarps) TileReader<kCodec, kLevels, kForm, kIsTimed>::sync_decoders();
    __syncwarp();  // lanes may have parted
    __syncthreads();
    clock.end(GpuPhase::kWait);
    const auto& plan = turn.now();
    if (plan.is_end) break;
    // By a shuffle, for the compiler to know that all lanes decode or none does.
    const std::uint32_t blocks = __shfl_sync(kWholeWarp, plan.count, 0);
    const std::uint32_t item = plan.item ^ (plan.is_last ? 1 : 0);  // whose blocks are next
    if (plans) {
      plan_blocks<kCodec, kLevels, kForm>(batch, memory.items, item, turn.other());
    } else if (finds) {
      if (plan.is_last) finder.find(memory.items[item ^ 1]);
    } else if (blocks > 0) {
      DenseTile<kCodec, kLevels, kForm, kIsTimed>(batch, plan, memory, warp, clock).run();
    }
  }
  if constexpr (kIsTimed) {
    if (warp < Form::kWarps) clock.add_to(batch.work->tile_cycles);
  }
}

template <CodecKind kCodec, int kLevels, ScoreForm kForm>
void launch(const Batch& batch, std::uint32_t pass, cudaStream_t stream) {
  const auto kernel = batch.work == nullptr ? or_tiles<kCodec, kLevels, kForm, false>
                                            : or_tiles<kCodec, kLevels, kForm, true>;
  using Form = Shape<kCodec, kLevels, kForm>;
  constexpr int kBytes = sizeof(Memory<kCodec, kLevels, kForm>);
  static_assert(Form::kCtas * (kBytes + kCtaBytes) <= kMultiprocessorBytes);
  static_assert(kBytes <= kNeededSharedMemory);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint64_t items = std::uint64_t{batch.or_queries} * batch.tiles;
  const std::uint64_t most = resident_ctas(kernel, Form::kAllThreads, kBytes);
  gpu::launch("or_tiles", kernel, static_cast<std::uint32_t>(std::min(most, items)),
              Form::kAllThreads, kBytes, stream, batch, pass);
}

}  // namespace

void launch_or_tiles(const Batch& batch, std::uint32_t pass, CodecKind codec, cudaStream_t stream) {
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    launch<kCodec, kLevels, kForm>(batch, pass, stream);
  });
}

}  // namespace warpdex::gpu
