// Where the distances of a scan go: into lists of candidates, or, if within one limit, into
// collected rows.
#include "binary/gpu/scan_bits.cuh"

namespace warpdex::vector {
namespace {

struct ListSink {
  CandidateLists lists;
  const float* limits;
  bool takes_all;
  std::uint32_t first_place;

  __device__ float limit(std::uint32_t query) const { return takes_all ? 0 : limits[query]; }

  /// All lanes of a warp, of one query.
  __device__ __forceinline__ void take(const ScannedRow& own, float limit) const {
    Candidate* const list = lists.candidates + own.query * lists.capacity;
    if (takes_all) {
      const float value = own.exists ? own.value : __int_as_float(0x7F800000);
      list[own.place - first_place] = {value, own.place};
      return;
    }
    const bool is_kept = own.exists && own.value <= limit;
    const std::uint32_t kept = __ballot_sync(kWholeWarp, is_kept);
    if (kept == 0) return;
    std::uint32_t at = 0;
    if (lane_id() == 0) {
      at = atomicAdd(lists.counts + own.query, static_cast<std::uint32_t>(__popc(kept)));
    }
    at = __shfl_sync(kWholeWarp, at, 0) + static_cast<std::uint32_t>(__popc(kept & lanes_below()));
    if (is_kept && at < lists.capacity) list[at] = {own.value, own.place};
  }
};

struct CollectSink {
  CollectedRows collected;

  __device__ float limit(std::uint32_t /*query*/) const { return collected.limit; }

  __device__ __forceinline__ void take(const ScannedRow& own, float limit) const {
    const bool is_kept = own.exists && (collected.takes_all || own.value <= limit);
    const std::uint32_t kept = __ballot_sync(kWholeWarp, is_kept);
    if (kept == 0) return;
    std::uint32_t at = 0;
    if (lane_id() == 0) {
      at = atomicAdd(collected.count, static_cast<std::uint32_t>(__popc(kept)));
    }
    at = __shfl_sync(kWholeWarp, at, 0) + static_cast<std::uint32_t>(__popc(kept & lanes_below()));
    if (!is_kept) return;
    collected.values[at] = own.value;
    collected.ids[at] = own.row;
  }
};

}  // namespace

void scan_to_lists(const ScanBitsTask& task, const CandidateLists& lists, const float* limits,
                   bool takes_all, const Stream& stream) {
  scan(task, ListSink{lists, limits, takes_all, task.first_panel * kPanelRows}, stream);
}

void scan_to_collect(const ScanBitsTask& task, const CollectedRows& collected,
                     const Stream& stream) {
  scan(task, CollectSink{collected}, stream);
}

}  // namespace warpdex::vector
