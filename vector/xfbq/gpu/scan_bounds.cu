// A sink of the scan that keeps lower bounds, and what is done with these.
#include <cub/device/device_radix_sort.cuh>

#include "warpdex/core/cuda/check_internal.hpp"
#include "xfbq/gpu/scan_bits.cuh"
#include "xfbq/gpu/scan_bounds.hpp"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kListThreads = 256;

/// The same number as the host's order_key().
__device__ std::uint64_t make_order_key(float value, std::uint32_t row) {
  constexpr std::uint32_t kSign = 0x80000000U;
  std::uint32_t bits = __float_as_uint(value);
  bits = isnan(value) ? ~0U : (bits & kSign) != 0 ? ~bits : bits | kSign;
  return std::uint64_t{bits} << 32 | row;
}

struct BoundSink {
  BoundedRows bounded;

  __device__ float limit(std::uint32_t /*query*/) const { return bounded.limit; }

  /// All lanes of a warp.
  __device__ __forceinline__ void take(const ScannedRow& own, float limit) const {
    double lowest = 0;
    if (own.exists) {
      lowest = bounded.bound.lowest(__ldg(bounded.rows.sizes + own.row),
                                    __ldg(bounded.rows.residuals + own.row), own.value);
    }
    const bool is_kept = own.exists && !(lowest > double{limit});
    const std::uint32_t kept = __ballot_sync(kWholeWarp, is_kept);
    if (kept == 0) return;
    std::uint32_t at = 0;
    if (lane_id() == 0) {
      at = atomicAdd(bounded.count, static_cast<std::uint32_t>(__popc(kept)));
    }
    at = __shfl_sync(kWholeWarp, at, 0) + static_cast<std::uint32_t>(__popc(kept & lanes_below()));
    if (!is_kept) return;
    // Rounded down, and never -0.
    const float rounded = __double2float_rn(lowest);
    const float value = __fadd_rn(nextafterf(rounded, __int_as_float(0xFF800000)), 0.0F);
    bounded.keys[at] = make_order_key(value, own.row);
  }
};

/// Work item: a key, a thread.
__global__ void __launch_bounds__(kListThreads)
    make_list(const std::uint64_t* keys, std::uint32_t count, Candidate* candidates,
              std::uint64_t* begins) {
  const std::uint32_t i = blockIdx.x * kListThreads + threadIdx.x;
  if (i < 2) begins[i] = i == 0 ? 0 : count;
  if (i < count) candidates[i] = {0, static_cast<std::uint32_t>(keys[i])};
}

}  // namespace

void scan_to_bounds(const ScanBitsTask& task, const BoundedRows& bounded, const Stream& stream) {
  scan(task, BoundSink{bounded}, stream);
}

std::size_t sort_keys_bytes(std::uint32_t count) {
  std::size_t bytes = 0;
  const std::uint64_t* const keys = nullptr;
  std::uint64_t* const sorted = nullptr;
  check_cuda(cub::DeviceRadixSort::SortKeys(nullptr, bytes, keys, sorted, count),
             "cub::DeviceRadixSort::SortKeys");
  return bytes;
}

void sort_keys(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* sorted, void* scratch,
               std::size_t scratch_bytes, const Stream& stream) {
  constexpr int kBits = 64;
  check_cuda(cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, keys, sorted, count, 0, kBits,
                                            stream.handle()),
             "cub::DeviceRadixSort::SortKeys");
}

void list_rows(const std::uint64_t* keys, std::uint32_t count, Candidate* candidates,
               std::uint64_t* begins, const Stream& stream) {
  launch(launch_over("make_list", count + std::size_t{1}, kListThreads, stream.handle()), make_list,
         keys, count, candidates, begins);
}

}  // namespace warpdex::vector
