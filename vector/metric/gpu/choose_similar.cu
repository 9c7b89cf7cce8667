// Finds the border by histograms, then collects in the order of objects.
#include "metric/gpu/kernels.hpp"

#include <algorithm>

#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"
#include "warpdex/core/select/block_cut.cuh"

namespace warpdex::metric {
namespace {

constexpr std::uint32_t kThreads = 1024;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// Bits of a digit. One histogram of 14 bits has bins for all footrules of up to 181 permutants,
/// one of 13 (where shared memory is little) up to 128.
constexpr std::uint32_t kManyBits = 14;
constexpr std::uint32_t kFewBits = 13;
constexpr std::uint32_t kAtOnce = 4;  ///< objects that a thread reads at once

struct Border {
  std::uint32_t value;  ///< all objects at a smaller distance are chosen
  std::uint32_t tied;   ///< how many of those at this distance are chosen, too
};

struct ChoiceStorage {
  int warp_totals[kMaxWarps];
  int digit;
  int before;
  int inside;
};

/// Four of a query's values, from object `first` on. Those of no object are 0.
__device__ __forceinline__ void load_values(const ChoiceTask& task, const std::uint32_t* apart,
                                            std::uint32_t first, std::uint32_t largest,
                                            std::uint32_t (&values)[kAtOnce]) {
  uint4 four{};
  if (first + kAtOnce <= task.objects) {
    four = *reinterpret_cast<const uint4*>(apart + first);
  } else {
    if (first < task.objects) four.x = apart[first];
    if (first + 1 < task.objects) four.y = apart[first + 1];
    if (first + 2 < task.objects) four.z = apart[first + 2];
  }
  values[0] = min(four.x, largest);
  values[1] = min(four.y, largest);
  values[2] = min(four.z, largest);
  values[3] = min(four.w, largest);
}

/// Finds the border digit by digit, from the highest on: the values that begin with the digits
/// found so far are counted by their next digit.
template <std::uint32_t kDigitBits>
__device__ Border find_border(const ChoiceTask& task, const std::uint32_t* apart,
                              std::uint32_t largest, int* bins, ChoiceStorage& storage) {
  constexpr int kDigits = 1 << kDigitBits;
  std::uint32_t found = 0;  // digits of the border
  int need = static_cast<int>(task.wanted);
  for (std::uint32_t left = task.bits; left > 0;) {
    const std::uint32_t digit_bits = min(left, kDigitBits);
    const std::uint32_t shift = left - digit_bits;
    for (int i = static_cast<int>(threadIdx.x); i < kDigits; i += kThreads) bins[i] = 0;
    __syncthreads();
    for (std::uint32_t first = threadIdx.x * kAtOnce; first < task.objects;
         first += kThreads * kAtOnce) {
      std::uint32_t values[kAtOnce];
      load_values(task, apart, first, largest, values);
#pragma unroll
      for (std::uint32_t j = 0; j < kAtOnce; ++j) {
        // By two shifts, as the first round's is of up to 32 bits.
        const bool counts = first + j < task.objects && (values[j] >> shift) >> digit_bits == found;
        if (counts) atomicAdd(bins + (values[j] >> shift & ((1U << digit_bits) - 1)), 1);
      }
    }
    __syncthreads();
    find_bin<kDigits>(bins, storage.warp_totals, need, storage.digit, storage.before,
                      storage.inside);
    found = found << digit_bits | static_cast<std::uint32_t>(storage.digit);
    need -= storage.before;
    left = shift;
    __syncthreads();  // all have read the storage
  }
  return {found, static_cast<std::uint32_t>(need)};
}

/// Prefix sums over a CTA, as often as needed. Two sets of totals take turns, so one barrier is
/// enough for each.
class RunningSums {
 public:
  /// Returns the sum of the values of all threads before this one, and adds all to total().
  __device__ std::uint32_t add(std::uint32_t value, std::uint32_t (*totals)[kWarps]) {
    std::uint32_t* const own = totals[turn_];
    turn_ ^= 1;
    const std::uint32_t up_to_lane = inclusive_sum(value);
    if (lane_id() == kWarp - 1) own[threadIdx.x / kWarp] = up_to_lane;
    __syncthreads();
    const std::uint32_t up_to_warp = inclusive_sum(own[lane_id()]);
    const std::uint32_t warp = threadIdx.x / kWarp;
    const std::uint32_t through = __shfl_sync(kWholeWarp, up_to_warp, static_cast<int>(warp));
    const std::uint32_t of_warp = __shfl_sync(kWholeWarp, up_to_lane, kWarp - 1);
    sum_ = __shfl_sync(kWholeWarp, up_to_warp, kWarps - 1);
    return through - of_warp + up_to_lane - value;
  }
  /// Of the last add().
  __device__ std::uint32_t sum() const { return sum_; }

 private:
  std::uint32_t turn_ = 0;
  std::uint32_t sum_ = 0;
};

/// Writes the numbers of what is below the border, and of the first that are at it.
__device__ void collect(const ChoiceTask& task, const std::uint32_t* apart, std::uint32_t largest,
                        const Border& border, std::uint32_t (*totals)[kWarps],
                        std::uint32_t* chosen) {
  constexpr std::uint32_t kHalf = 16;  // a tile's counts fit into 16 bits
  RunningSums sums;
  std::uint32_t below = 0;
  std::uint32_t tied = 0;
  for (std::uint32_t tile = 0; tile < task.objects; tile += kThreads * kAtOnce) {
    const std::uint32_t first = tile + threadIdx.x * kAtOnce;
    std::uint32_t values[kAtOnce];
    load_values(task, apart, first, largest, values);
    std::uint32_t counts = 0;
#pragma unroll
    for (std::uint32_t j = 0; j < kAtOnce; ++j) {
      if (first + j >= task.objects) continue;
      counts += values[j] < border.value ? 1U : 0U;
      counts += values[j] == border.value ? 1U << kHalf : 0U;
    }
    const std::uint32_t before = sums.add(counts, totals);
    std::uint32_t own_below = below + (before & 0xFFFF);
    std::uint32_t own_tied = tied + (before >> kHalf);
#pragma unroll
    for (std::uint32_t j = 0; j < kAtOnce; ++j) {
      if (first + j >= task.objects) continue;
      const bool is_tied = values[j] == border.value;
      if (values[j] < border.value || (is_tied && own_tied < border.tied)) {
        chosen[own_below + min(own_tied, border.tied)] = first + j;
      }
      own_below += values[j] < border.value ? 1U : 0U;
      own_tied += is_tied ? 1U : 0U;
    }
    below += sums.sum() & 0xFFFF;
    tied += sums.sum() >> kHalf;
  }
}

/// Work item: a query, a CTA. Shared memory: a histogram. Reads the query's values once a
/// digit, and once more; shared memory's atomics and the latency of reads bound it.
template <std::uint32_t kDigitBits>
__global__ void __launch_bounds__(kThreads) choose(ChoiceTask task) {
  extern __shared__ int bins[];
  __shared__ ChoiceStorage storage;
  __shared__ std::uint32_t totals[2][kWarps];
  const std::uint32_t* const apart = task.apart + blockIdx.x * task.stride;
  const std::uint32_t largest = ~0U >> (32 - task.bits);
  const Border border = find_border<kDigitBits>(task, apart, largest, bins, storage);
  collect(task, apart, largest, border, totals,
          task.chosen + std::size_t{blockIdx.x} * task.wanted);
}

template <std::uint32_t kDigitBits>
void launch_choose(const ChoiceTask& task, std::uint32_t queries, const Stream& stream) {
  allow_all_shared_memory(reinterpret_cast<const void*>(choose<kDigitBits>));
  launch({.name = "choose",
          .ctas = queries,
          .threads = kThreads,
          .shared_memory = sizeof(int) << kDigitBits,
          .stream = stream.handle()},
         choose<kDigitBits>, task);
}

}  // namespace

void choose_similar(const ChoiceTask& task, std::uint32_t queries, const Stream& stream) {
  constexpr std::size_t kOther = 1 << 10;  // more than the kernel's own
  const std::size_t room = current_chip().shared_memory_of_block;
  const bool is_roomy = (sizeof(int) << kManyBits) + kOther <= room;
  const auto form = is_roomy ? launch_choose<kManyBits> : launch_choose<kFewBits>;
  form(task, queries, stream);
}

}  // namespace warpdex::metric
