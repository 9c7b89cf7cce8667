// Intersects a chunk of AND's driver with the query's other lists, one by one; what is left becomes
// candidates. Internal to and_kernel.cuh.
#pragma once

#include "gpu/kernels/and/and_chunk_blocks.cuh"

namespace warpdex::gpu {
namespace and_chunk {

/// `Shape` and `kMeasures` are those of ChunkBlocks.
template <CodecKind kCodec, class Units, class Shape, bool kMeasures>
class ChunkMatcher : public ChunkBlocks<Shape, kMeasures> {
 public:
  using Base = ChunkBlocks<Shape, kMeasures>;
  using Base::Base;

  __device__ void run() {
    clock_.start();
    find_matches();
    if (count_ > 0) {
      add_driver();
      append_candidates();
    }
    if (kMeasures && batch_.work != nullptr) clock_.add_to(batch_.work->match_cycles);
  }

 private:
  using Base::batch_;
  using Base::clock_;
  using Base::count_;
  using Base::driver_;
  using Base::end_block_;
  using Base::ends_of;
  using Base::find_all;
  using Base::find_block_ranges;
  using Base::find_blocks;
  using Base::find_groups;
  using Base::first_block_;
  using Base::kPerThread;
  using Base::kThreads;
  using Base::kWarps;
  using Base::lists_;
  using Base::memory_;
  using Base::query_;
  using Base::skips_nothing;
  using Base::sum_before;
  using Base::sync;
  using Base::warp_;

  __device__ void find_matches() {
    driver_ = 0;
    while (!(lists_[driver_].flags & kRequired)) ++driver_;
    read_driver();
    compact();
    // Required lists first, the shortest first: they leave the fewest documents.
    match_lists(kRequired);
    match_lists(kProhibited);
    match_lists(0);
  }

  __device__ device::WarpScratch& scratch() { return memory_.scratch[warp_]; }

  /// The number among the batch's lists of the query's list number `list`.
  __device__ std::uint32_t index_of(std::uint32_t list) const { return query_.first_list + list; }

  __device__ std::uint32_t units(const List& list, std::uint32_t value, std::uint32_t document) {
    if constexpr (Units::kIsExact) {
      return Units::of_posting(batch_, query_, list, value, document);
    } else {
      float part = 0;
      if constexpr (Units::kHasLengths) {
        const std::size_t place =
            Units::kHasFields ? batch_.lengths.place(document, list.field) : document;
        const std::uint32_t length = decode_length(batch_.lengths.codes[place]);
        part = Units::length_part(batch_.c0, Units::kHasFields ? list.c1 : batch_.c1,
                                  static_cast<float>(length));
      }
      return min(Units::of(value, part, list.weight * query_.scale, list.c0,
                           (list.flags & kHugeFrequencies) != 0),
                 query_.unit_cap);
    }
  }

  __device__ void match_lists(std::uint32_t role) {
    for (std::uint32_t i = 0; i < query_.list_count && (count_ > 0 || skips_nothing()); ++i) {
      if (i == driver_ || (lists_[i].flags & (kRequired | kProhibited)) != role) continue;
      if constexpr (Shape::kIsHuge) {
        if (i / kMaxLists != memory_.group) change_group(i / kMaxLists);
      }
      match(i, role);
    }
  }

  __device__ void change_group(std::uint32_t group) {
    sync(GpuPhase::kIntersect);  // all have read the number of the group before
    find_block_ranges(group);
    sync(GpuPhase::kIntersect);
  }

  __device__ void read_driver() {
    find_block_ranges(0);
    clock_.end(GpuPhase::kIntersect);
    const std::uint32_t block = first_block_ + warp_;
    std::uint32_t docids[4] = {kNone, kNone, kNone, kNone};
    if (block < end_block_) {
      read_docids<kCodec>(batch_, index_of(driver_), block, scratch(), docids);
    }
    const std::uint32_t first = warp_ * kBlockSize + 4 * lane_id();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      memory_.docids[first + i] = docids[i];
      memory_.sums[first + i] = 0;
      memory_.places[first + i] = static_cast<std::uint16_t>(first + i);
      memory_.matching[first + i] = docids[i] != kNone && !is_removed(batch_, docids[i]) ? 1 : 0;
    }
    count_ = Shape::kChunk;
    sync(GpuPhase::kDecode);
  }

  /// Keeps the documents that are `matching`, in their order.
  __device__ void compact() {
    std::uint32_t docids[kPerThread];
    std::uint32_t sums[kPerThread];
    std::uint16_t places[kPerThread];
    bool matching[kPerThread];
    std::uint32_t mine = 0;
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      const std::uint32_t i = kPerThread * threadIdx.x + j;
      matching[j] = i < count_ && memory_.matching[i] != 0;
      docids[j] = memory_.docids[i];
      sums[j] = memory_.sums[i];
      places[j] = memory_.places[i];
      mine += matching[j] ? 1 : 0;
    }
    std::uint32_t total = 0;
    std::uint32_t to = sum_before(mine, total, GpuPhase::kIntersect);
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      if (!matching[j]) continue;
      memory_.docids[to] = docids[j];
      memory_.sums[to] = sums[j];
      memory_.places[to] = places[j];
      ++to;
    }
    count_ = total;
    sync(GpuPhase::kIntersect);
  }

  /// Looks for the documents in another list. Keeps those in it if it is required, those not in it
  /// if it is prohibited, and all if it is optional.
  __device__ void match(std::uint32_t other, std::uint32_t role) {
    find_blocks(other);
    const std::uint32_t group_starts =
        skips_nothing() ? find_all(other, role) : find_groups(lists_[other], role);
    if (!skips_nothing()) prefetch_blocks(other, role, group_starts);
    for (std::uint32_t i = warp_; i < group_starts; i += kWarps) {
      std::uint32_t from = 0;
      std::uint32_t to = 0;
      std::uint32_t block = 0;
      if (skips_nothing()) {
        block = ends_of(other)[0] + i;
        from = lower_bound(memory_.blocks, count_, block);
        to = lower_bound(memory_.blocks, count_, block + 1);
      } else {
        from = memory_.group_starts[i];
        to = memory_.group_starts[i + 1];
        block = memory_.blocks[from];
      }
      match_block(other, role, block, from, to);
    }
    sync(GpuPhase::kIntersect);
    if (role != 0) compact();
    if (threadIdx.x == 0 && batch_.work != nullptr) {
      atomicAdd(&batch_.work->and_blocks, static_cast<unsigned long long>(group_starts));
    }
  }

  /// Prefetches blocks into the L2 cache that will be decoded soon, a block a thread: each warp
  /// decodes several, one after the other. The first block of each warp is left out, since it is
  /// decoded at once.
  __device__ void prefetch_blocks(std::uint32_t other, std::uint32_t role,
                                  std::uint32_t group_starts) {
    const List& list = lists_[other];
    if (list.flags & kRaw) return;
    using Decoder = device::BlockDecoder<kCodec>;
    for (std::uint32_t i = kWarps + threadIdx.x; i < group_starts; i += kThreads) {
      const std::uint32_t block = memory_.blocks[memory_.group_starts[i]];
      Decoder::prefetch(docid_tail<kCodec>(batch_, index_of(other)),
                        Decoder::locate(list.docids, block));
      if (role == kProhibited) continue;
      Decoder::prefetch(value_tail<kCodec>(batch_, index_of(other)),
                        Decoder::locate(list.frequencies, block));
    }
  }

  /// Looks for documents [from, to) in the block that may hold them. One warp.
  __device__ void match_block(std::uint32_t other, std::uint32_t role, std::uint32_t block,
                              std::uint32_t from, std::uint32_t to) {
    const List& list = lists_[other];
    std::uint32_t docids[4];
    read_docids<kCodec>(batch_, index_of(other), block, scratch(), docids);
    auto* const own = memory_.block_docids[warp_];
    __syncwarp();
    reinterpret_cast<uint4*>(own)[lane_id()] = {docids[0], docids[1], docids[2], docids[3]};
    __syncwarp();
    clock_.end(GpuPhase::kDecode);
    std::uint32_t values[4];
    bool has_values = false;
    for (std::uint32_t begin = from; begin < to; begin += kWarp) {
      const std::uint32_t i = begin + lane_id();
      std::uint32_t position = 0;
      bool found = false;
      if (i < to) {
        const std::uint32_t document = memory_.docids[i];
        position = lower_bound(own, kBlockSize, document);
        found = position < kBlockSize && own[position] == document;
        if (found && role != 0) memory_.matching[i] = role == kRequired ? 1 : 0;
      }
      clock_.end(GpuPhase::kIntersect);
      if (role == kProhibited || !__any_sync(kWholeWarp, found)) continue;
      if (!has_values) {
        read_values<kCodec>(batch_, index_of(other), block, scratch(), values);
      }
      has_values = true;
      clock_.end(GpuPhase::kDecode);
      const std::uint32_t value = take(values, position);
      if (found) memory_.sums[i] += units(list, value, memory_.docids[i]);
      clock_.end(GpuPhase::kScore);
    }
  }

  /// Each lane gets the value at its own position of the block: values[position % 4] of lane
  /// position / 4.
  __device__ std::uint32_t take(const std::uint32_t (&values)[4], std::uint32_t position) {
    std::uint32_t taken = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t value = __shfl_sync(kWholeWarp, values[i], position / 4 % kWarp);
      if (position % 4 == i) taken = value;
    }
    return taken;
  }

  /// Adds the driver's own units to the documents that are left. Only those blocks of the driver
  /// are read that still have documents.
  __device__ void add_driver() {
    if (threadIdx.x < kWarps) memory_.used[threadIdx.x] = 0;
    sync(GpuPhase::kScore);
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      memory_.used[memory_.places[i] / kBlockSize] = 1;
      memory_.blocks[memory_.places[i]] = i;  // where the document is now
      memory_.matching[memory_.places[i]] = 2;
    }
    sync(GpuPhase::kScore);
    if (memory_.used[warp_] == 0) return;
    std::uint32_t values[4];
    read_values<kCodec>(batch_, index_of(driver_), first_block_ + warp_, scratch(), values);
    clock_.end(GpuPhase::kDecode);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::uint32_t place = warp_ * kBlockSize + 4 * lane_id() + j;
      if (memory_.matching[place] != 2) continue;
      const std::uint32_t i = memory_.blocks[place];
      memory_.sums[i] += units(lists_[driver_], values[j], memory_.docids[i]);
    }
  }

  /// A threshold from this chunk alone: k of its documents have a score of so many units. Found by
  /// a histogram of their sums.
  __device__ std::uint32_t own_threshold() {
    constexpr std::uint32_t kOwnBins = kThreads;
    std::uint32_t* const bins = memory_.blocks;
    if (threadIdx.x == 0) memory_.threshold = 0;
    bins[threadIdx.x] = 0;
    sync(GpuPhase::kSelect);
    std::uint32_t largest = 0;
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      largest = max(largest, memory_.sums[i]);
    }
    largest = warp_max(largest);
    if (lane_id() == 0) atomicMax(&memory_.threshold, largest);
    sync(GpuPhase::kSelect);
    const std::uint32_t width = memory_.threshold / kOwnBins + 1;
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      atomicAdd(&bins[kOwnBins - 1 - memory_.sums[i] / width], 1);  // the highest sums first
    }
    sync(GpuPhase::kSelect);
    const std::uint32_t mine = bins[threadIdx.x];
    std::uint32_t total = 0;
    const std::uint32_t before = sum_before(mine, total, GpuPhase::kSelect);
    if (before < query_.k && before + mine >= query_.k) {
      memory_.threshold = lower_units(batch_, query_, (kOwnBins - 1 - threadIdx.x) * width);
    }
    sync(GpuPhase::kSelect);
    return memory_.threshold;
  }

  /// Counts the matches. Those that reach the threshold become candidates.
  __device__ void append_candidates() {
    sync(GpuPhase::kScore);
    QueryState& state = batch_.states[query_.state];
    if (threadIdx.x == 0) atomicAdd(&state.matches, static_cast<unsigned long long>(count_));
    std::uint32_t threshold = max(current_threshold(state), query_.seed_threshold);
    if (count_ > query_.k) threshold = max(threshold, own_threshold());
    bool any = false;
    for (std::uint32_t i = threadIdx.x; i - lane_id() < count_; i += kThreads) {
      bool has = i < count_;
      const std::uint32_t document = has ? memory_.docids[i] : 0;
      std::uint32_t sum = 0;
      if (has) {
        sum = memory_.sums[i] + static_units(batch_, query_, document);
        has = sum >= threshold;
      }
      any |= has;
      append_candidate<Units>(batch_, query_, has, document, sum);
    }
    clock_.end(GpuPhase::kSelect);
    any = __syncthreads_or(any);
    clock_.end(GpuPhase::kWait);
    if (any && warp_ == 0) raise_threshold(batch_, query_);
    clock_.end(GpuPhase::kSelect);
  }
};

}  // namespace and_chunk
}  // namespace warpdex::gpu
