// Intersects a chunk of AND's driver with the query's other lists, one by one; what is left becomes
// candidates. Internal to and_kernel.cuh.
#pragma once

#include "gpu/device/candidates.cuh"
#include "warpdex/core/cuda/phase_clock.cuh"

namespace warpdex::gpu {
namespace and_chunk {

inline constexpr std::uint32_t kThreads = 256;
inline constexpr std::uint32_t kWarps = kThreads / kWarp;
inline constexpr std::uint32_t kChunk = kAndBlocks * kBlockSize;  // documents of a chunk
inline constexpr std::uint32_t kPerThread = kChunk / kThreads;
inline constexpr std::uint32_t kRange = 1024;  // last docIDs of blocks that are searched in shared
                                               // memory

static_assert(kAndBlocks == kWarps && kPerThread == 4);

struct Memory {
  device::WarpScratch scratch[kWarps];
  std::uint32_t block_docids[kWarps][kBlockSize];  ///< each warp's block of another list
  std::uint32_t docids[kChunk];                    ///< that may still match, ascending
  std::uint32_t sums[kChunk];                      ///< in units
  std::uint32_t blocks[kChunk];                    ///< where the document may be in the other list
  std::uint16_t places[kChunk];                    ///< in the chunk as it was read
  std::uint16_t group_starts[kChunk + 1];          ///< the first document of each block to
                                                   ///< decode
  std::uint8_t matching[kChunk];
  std::uint32_t range[kRange];
  std::uint32_t warp_sums[kWarps];
  std::uint32_t block_ends[kMaxLists][2];  ///< by list: the blocks that may hold the chunk's
                                           ///< documents
  std::uint32_t threshold;                 ///< of append_candidates()
  std::uint32_t used[kAndBlocks];  ///< by block of the driver: whether a document of it is left
};

/// `kMeasures`: for measurements. Decodes blocks that other instances skip, if the query says so,
/// and counts the cycles of its phases if there are counters.
template <CodecKind kCodec, ScoreForm kForm, bool kMeasures>
class ChunkMatcher {
 public:
  __device__ ChunkMatcher(const Batch& batch, const Query& query, const BlockRange& range,
                          Memory& memory)
      : batch_(batch),
        query_(query),
        memory_(memory),
        lists_(batch.lists + query.first_list),
        first_block_(range.first),
        end_block_(range.first + range.blocks),
        warp_(warp_id()) {}

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

  /// A barrier for all threads. `phase` is what they did before it.
  __device__ void sync(GpuPhase phase) {
    clock_.end(phase);
    __syncthreads();
    clock_.end(GpuPhase::kWait);
  }

  __device__ device::WarpScratch& scratch() { return memory_.scratch[warp_]; }

  /// The number of one of the query's lists among those of the batch.
  __device__ std::uint32_t index_of(std::uint32_t list) const { return query_.first_list + list; }

  __device__ std::uint32_t units(const List& list, std::uint32_t value, std::uint32_t document) {
    float part = 0;
    if constexpr (kForm != ScoreForm::kImpact) {
      const std::uint32_t length = decode_length(batch_.lengths.codes[document]);
      part = length_part(kForm, batch_.c0, batch_.c1, static_cast<float>(length));
    }
    return min(units_of<kForm>(value, part, list.weight * query_.scale, list.c0,
                               (list.flags & kHugeFrequencies) != 0),
               query_.unit_cap);
  }

  __device__ void match_lists(std::uint32_t role) {
    for (std::uint32_t i = 0; i < query_.list_count && (count_ > 0 || skips_nothing()); ++i) {
      if (i != driver_ && (lists_[i].flags & (kRequired | kProhibited)) == role) {
        match(i, role);
      }
    }
  }

  /// Finds, in each other list, the blocks that may hold documents behind the chunk before this one
  /// and up to this one's last. One list a warp, starting with warps that have no block of the
  /// driver.
  __device__ void find_block_ranges() {
    const List& driver = lists_[driver_];
    const std::uint32_t first = first_block_ == 0 ? 0 : driver.last_docids[first_block_ - 1] + 1;
    // If nothing is skipped, the last chunk takes all blocks that follow.
    const bool has_all = skips_nothing() && end_block_ == driver.blocks;
    const std::uint32_t last = has_all ? kNone : driver.last_docids[end_block_ - 1];
    const bool is_high = lane_id() >= kWarp / 2;
    for (std::uint32_t i = kWarps - 1 - warp_; i < query_.list_count; i += kWarps) {
      if (i == driver_) continue;
      const List& list = lists_[i];
      std::uint32_t place = is_high ? 1 : 0;
      if ((list.flags & kRaw) == 0) {
        place = lower_bound_by_halves(list.last_docids, list.blocks, is_high ? last : first);
        if (is_high) place = min(place + 1, list.blocks);
      }
      if (lane_id() % (kWarp / 2) == 0) memory_.block_ends[i][is_high ? 1 : 0] = place;
    }
  }

  __device__ void read_driver() {
    find_block_ranges();
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
      memory_.matching[first + i] = docids[i] != kNone ? 1 : 0;
    }
    count_ = kChunk;
    sync(GpuPhase::kDecode);
  }

  /// The sum of `value` over all threads before this one; `total` becomes the sum over all. Two
  /// barriers.
  __device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t& total, GpuPhase phase) {
    std::uint32_t sum = value;
#pragma unroll
    for (std::uint32_t step = 1; step < kWarp; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
      if (lane_id() >= step) sum += other;
    }
    if (lane_id() == kWarp - 1) memory_.warp_sums[warp_] = sum;
    sync(phase);
    std::uint32_t before = 0;
    total = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kWarps; ++i) {
      if (i < warp_) before += memory_.warp_sums[i];
      total += memory_.warp_sums[i];
    }
    sync(phase);
    return before + sum - value;
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
        block = memory_.block_ends[other][0] + i;
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

  /// Parallel Merge Find: finds the block for each document, within the list's block_ends.
  __device__ void find_blocks(std::uint32_t other) {
    const List& list = lists_[other];
    if (list.flags & kRaw) {
      for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) memory_.blocks[i] = 0;
      sync(GpuPhase::kIntersect);
      return;
    }
    const std::uint32_t low = memory_.block_ends[other][0];
    const std::uint32_t size = memory_.block_ends[other][1] - low;
    const bool is_here = size <= kRange;
    if (is_here) {
      for (std::uint32_t i = threadIdx.x; i < size; i += kThreads) {
        memory_.range[i] = list.last_docids[low + i];
      }
      sync(GpuPhase::kIntersect);
    }
    const std::uint32_t* const range = is_here ? memory_.range : list.last_docids + low;
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      memory_.blocks[i] = low + lower_bound(range, size, memory_.docids[i]);
    }
    sync(GpuPhase::kIntersect);
  }

  __device__ bool skips_nothing() const { return kMeasures && (query_.flags & kExhaustive) != 0; }

  /// For comparison, instead of find_groups(): returns the number of all blocks within the
  /// block_ends, and resets `matching` in the same way.
  __device__ std::uint32_t find_all(std::uint32_t other, std::uint32_t role) {
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      memory_.matching[i] = role == kRequired ? 0 : 1;
    }
    sync(GpuPhase::kIntersect);
    return memory_.block_ends[other][1] - memory_.block_ends[other][0];
  }

  /// Lists the first document of each block that must be decoded, and resets `matching`. Returns
  /// the number of blocks.
  __device__ std::uint32_t find_groups(const List& list, std::uint32_t role) {
    std::uint32_t mine = 0;
    bool is_start[kPerThread];
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      const std::uint32_t i = kPerThread * threadIdx.x + j;
      is_start[j] = false;
      if (i >= count_) continue;
      const std::uint32_t block = memory_.blocks[i];
      memory_.matching[i] = role == kRequired ? 0 : 1;
      is_start[j] = block < list.blocks && (i == 0 || memory_.blocks[i - 1] != block);
      mine += is_start[j] ? 1 : 0;
    }
    std::uint32_t total = 0;
    std::uint32_t to = sum_before(mine, total, GpuPhase::kIntersect);
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      if (is_start[j])
        memory_.group_starts[to++] = static_cast<std::uint16_t>(kPerThread * threadIdx.x + j);
    }
    if (threadIdx.x == 0) {
      // Documents behind the list's last one come last and have no block.
      std::uint32_t end = count_;
      if (memory_.blocks[count_ - 1] >= list.blocks) {
        end = lower_bound(memory_.blocks, count_, list.blocks);
      }
      memory_.group_starts[total] = static_cast<std::uint16_t>(end);
    }
    sync(GpuPhase::kIntersect);
    return total;
  }

  /// Prefetches the blocks that are decoded next to the L2 cache, a block a thread: each warp
  /// decodes several, one after the other.
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

  /// Adds the driver's own units to the documents that are left.
  __device__ void add_driver() {
    if (threadIdx.x < kAndBlocks) memory_.used[threadIdx.x] = 0;
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

  /// A sum that k documents of this chunk alone reach, found by a histogram.
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
    largest = __reduce_max_sync(kWholeWarp, largest);
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
      append_candidate(batch_, query_, has, document, sum);
    }
    clock_.end(GpuPhase::kSelect);
    any = __syncthreads_or(any);
    clock_.end(GpuPhase::kWait);
    if (any && warp_ == 0) raise_threshold(batch_, query_);
    clock_.end(GpuPhase::kSelect);
  }

  const Batch& batch_;
  const Query& query_;
  Memory& memory_;
  const List* lists_;
  std::uint32_t first_block_;
  std::uint32_t end_block_;
  std::uint32_t warp_;
  std::uint32_t driver_ = 0;
  std::uint32_t count_ = 0;
  PhaseClock<GpuPhase, kGpuPhases, kMeasures> clock_;
};

}  // namespace and_chunk
}  // namespace warpdex::gpu
