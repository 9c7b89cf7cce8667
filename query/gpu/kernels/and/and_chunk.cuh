// A chunk of AND's driver, narrowed list by list and handed to the query's candidates. Internal to
// and_chunks.cu.
#pragma once

#include "gpu/device/emit.cuh"
#include "warpdex/core/cuda/phase_clock.cuh"

namespace warpdex::gpu {
namespace and_chunk {

inline constexpr std::uint32_t kThreads = 256;
inline constexpr std::uint32_t kWarps = kThreads / kWarp;
inline constexpr std::uint32_t kChunk = kAndBlocks * kBlockSize;  // documents
inline constexpr std::uint32_t kPerThread = kChunk / kThreads;
inline constexpr std::uint32_t kRange = 1024;  // last docIDs that are searched in shared memory

static_assert(kAndBlocks == kWarps && kPerThread == 4);

struct Memory {
  device::WarpScratch scratch[kWarps];
  std::uint32_t block_docids[kWarps][kBlockSize];  ///< each warp's block of another list
  std::uint32_t docids[kChunk];                    ///< those that may match still, ascending
  std::uint32_t sums[kChunk];                      ///< their units
  std::uint32_t blocks[kChunk];                    ///< in the other list
  std::uint16_t places[kChunk];                    ///< in the chunk
  std::uint16_t heads[kChunk + 1];                 ///< the first document of each block to decode
  std::uint8_t alive[kChunk];
  std::uint32_t range[kRange];
  std::uint32_t warp_sums[kWarps];
  std::uint32_t ends[kMostLists][2];  ///< in each other list, blocks that may have the documents
  std::uint32_t threshold;            ///< of hand_over() alone
  std::uint32_t used[kAndBlocks];     ///< whether a block of the driver has survivors
};

/// `kCompares`: for measurements; decodes what others skip, if the query says so, and times its
/// phases, which are added up if there are counters.
template <CodecKind kCodec, int kLevels, ScoreForm kForm, bool kCompares>
class ChunkMatcher {
 public:
  __device__ ChunkMatcher(const Batch& batch, const Query& query, const Stretch& stretch,
                          Memory& memory)
      : batch_(batch),
        query_(query),
        memory_(memory),
        lists_(batch.lists + query.first_list),
        first_block_(stretch.first),
        end_block_(stretch.first + stretch.blocks),
        warp_(warp_id()) {}

  __device__ void run() {
    clock_.start();
    find_matches();
    if (count_ > 0) {
      add_driver();
      hand_over();
    }
    if (kCompares && batch_.work != nullptr) clock_.add_to(batch_.work->match_cycles);
  }

 private:
  __device__ void find_matches() {
    driver_ = 0;
    while (!(lists_[driver_].flags & kRequired)) ++driver_;
    read_driver();
    compact();
    // Required lists first, by length: they leave the fewest documents to look for.
    match_lists(kRequired);
    match_lists(kProhibited);
    match_lists(0);
  }

  /// A barrier for all threads, behind what they did.
  __device__ void sync(GpuPhase phase) {
    clock_.end(phase);
    __syncthreads();
    clock_.end(GpuPhase::kWait);
  }

  __device__ device::WarpScratch& scratch() { return memory_.scratch[warp_]; }

  /// Of one of the query's lists, among those of the batch.
  __device__ std::uint32_t index_of(std::uint32_t list) const { return query_.first_list + list; }

  __device__ std::uint32_t units(const List& list, std::uint32_t value, std::uint32_t document) {
    float part = 0;
    if constexpr (kForm != ScoreForm::kImpact) {
      const std::uint32_t length = decode_length(batch_.lengths.codes[document]);
      part = length_part(kForm, batch_.c0, batch_.c1, static_cast<float>(length));
    }
    return min(units_of<kForm>(value, part, list.weight * query_.scale, list.c0,
                               (list.flags & kHugeFrequencies) != 0),
               query_.cap);
  }

  __device__ void match_lists(std::uint32_t role) {
    for (std::uint32_t i = 0; i < query_.lists && (count_ > 0 || skips_nothing()); ++i) {
      if (i != driver_ && (lists_[i].flags & (kRequired | kProhibited)) == role) {
        match(i, role);
      }
    }
  }

  /// Finds the blocks of all other lists that may have documents behind those of the chunk before,
  /// up to this one's last: a list a warp, warps that have no block of the driver first.
  __device__ void find_ends() {
    const List& driver = lists_[driver_];
    const std::uint32_t first = first_block_ == 0 ? 0 : driver.last_docids[first_block_ - 1] + 1;
    // If nothing is to be skipped, the last chunk has all blocks that follow.
    const bool has_all = skips_nothing() && end_block_ == driver.blocks;
    const std::uint32_t last = has_all ? kNone : driver.last_docids[end_block_ - 1];
    const bool is_high = lane_id() >= kWarp / 2;
    for (std::uint32_t i = kWarps - 1 - warp_; i < query_.lists; i += kWarps) {
      if (i == driver_) continue;
      const List& list = lists_[i];
      std::uint32_t place = is_high ? 1 : 0;
      if ((list.flags & kRaw) == 0) {
        place = lower_bound_by_halves(list.last_docids, list.blocks, is_high ? last : first);
        if (is_high) place = min(place + 1, list.blocks);
      }
      if (lane_id() % (kWarp / 2) == 0) memory_.ends[i][is_high ? 1 : 0] = place;
    }
  }

  __device__ void read_driver() {
    find_ends();
    clock_.end(GpuPhase::kIntersect);
    const std::uint32_t block = first_block_ + warp_;
    std::uint32_t docids[4] = {kNone, kNone, kNone, kNone};
    if (block < end_block_) {
      read_docids<kCodec, kLevels>(batch_, index_of(driver_), block, scratch(), docids);
    }
    const std::uint32_t first = warp_ * kBlockSize + 4 * lane_id();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      memory_.docids[first + i] = docids[i];
      memory_.sums[first + i] = 0;
      memory_.places[first + i] = static_cast<std::uint16_t>(first + i);
      memory_.alive[first + i] = docids[i] != kNone ? 1 : 0;
    }
    count_ = kChunk;
    sync(GpuPhase::kDecode);
  }

  /// The sum of `value` over the threads before this one; `total` over all. Two barriers.
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

  /// Keeps those that are alive, in order.
  __device__ void compact() {
    std::uint32_t docids[kPerThread];
    std::uint32_t sums[kPerThread];
    std::uint16_t places[kPerThread];
    bool alive[kPerThread];
    std::uint32_t mine = 0;
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      const std::uint32_t i = kPerThread * threadIdx.x + j;
      alive[j] = i < count_ && memory_.alive[i] != 0;
      docids[j] = memory_.docids[i];
      sums[j] = memory_.sums[i];
      places[j] = memory_.places[i];
      mine += alive[j] ? 1 : 0;
    }
    std::uint32_t total = 0;
    std::uint32_t to = sum_before(mine, total, GpuPhase::kIntersect);
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      if (!alive[j]) continue;
      memory_.docids[to] = docids[j];
      memory_.sums[to] = sums[j];
      memory_.places[to] = places[j];
      ++to;
    }
    count_ = total;
    sync(GpuPhase::kIntersect);
  }

  /// Looks for the documents in another list. The alive of a required list are those that are in
  /// it, of a prohibited list the others, of an optional one all.
  __device__ void match(std::uint32_t other, std::uint32_t role) {
    find_blocks(other);
    const std::uint32_t heads =
        skips_nothing() ? find_all(other, role) : find_heads(lists_[other], role);
    if (!skips_nothing()) prefetch_blocks(other, role, heads);
    for (std::uint32_t i = warp_; i < heads; i += kWarps) {
      std::uint32_t from = 0;
      std::uint32_t to = 0;
      std::uint32_t block = 0;
      if (skips_nothing()) {
        block = memory_.ends[other][0] + i;
        from = lower_bound(memory_.blocks, count_, block);
        to = lower_bound(memory_.blocks, count_, block + 1);
      } else {
        from = memory_.heads[i];
        to = memory_.heads[i + 1];
        block = memory_.blocks[from];
      }
      match_block(other, role, block, from, to);
    }
    sync(GpuPhase::kIntersect);
    if (role != 0) compact();
    if (threadIdx.x == 0 && batch_.work != nullptr) {
      atomicAdd(&batch_.work->and_blocks, static_cast<unsigned long long>(heads));
    }
  }

  /// Parallel Merge Find: of all documents, within the chunk's ends.
  __device__ void find_blocks(std::uint32_t other) {
    const List& list = lists_[other];
    if (list.flags & kRaw) {
      for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) memory_.blocks[i] = 0;
      sync(GpuPhase::kIntersect);
      return;
    }
    const std::uint32_t low = memory_.ends[other][0];
    const std::uint32_t size = memory_.ends[other][1] - low;
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

  __device__ bool skips_nothing() const { return kCompares && (query_.flags & kExhaustive) != 0; }

  /// For comparison, instead of find_heads(): of all blocks between the ends, how many they are;
  /// marks the documents likewise.
  __device__ std::uint32_t find_all(std::uint32_t other, std::uint32_t role) {
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      memory_.alive[i] = role == kRequired ? 0 : 1;
    }
    sync(GpuPhase::kIntersect);
    return memory_.ends[other][1] - memory_.ends[other][0];
  }

  /// Lists the first document of each block, and marks those past the list's end.
  __device__ std::uint32_t find_heads(const List& list, std::uint32_t role) {
    std::uint32_t mine = 0;
    bool is_head[kPerThread];
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      const std::uint32_t i = kPerThread * threadIdx.x + j;
      is_head[j] = false;
      if (i >= count_) continue;
      const std::uint32_t block = memory_.blocks[i];
      memory_.alive[i] = role == kRequired ? 0 : 1;
      is_head[j] = block < list.blocks && (i == 0 || memory_.blocks[i - 1] != block);
      mine += is_head[j] ? 1 : 0;
    }
    std::uint32_t total = 0;
    std::uint32_t to = sum_before(mine, total, GpuPhase::kIntersect);
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      if (is_head[j])
        memory_.heads[to++] = static_cast<std::uint16_t>(kPerThread * threadIdx.x + j);
    }
    if (threadIdx.x == 0) {
      // Documents past the list's last one come last and have no block.
      std::uint32_t end = count_;
      if (memory_.blocks[count_ - 1] >= list.blocks) {
        end = lower_bound(memory_.blocks, count_, list.blocks);
      }
      memory_.heads[total] = static_cast<std::uint16_t>(end);
    }
    sync(GpuPhase::kIntersect);
    return total;
  }

  /// Has the L2 cache read what the blocks that are decoded next start with, a thread each: warps
  /// decode some one after the other.
  __device__ void prefetch_blocks(std::uint32_t other, std::uint32_t role, std::uint32_t heads) {
    const List& list = lists_[other];
    if (list.flags & kRaw) return;
    using Decoder = device::BlockDecoder<kCodec, kLevels>;
    for (std::uint32_t i = kWarps + threadIdx.x; i < heads; i += kThreads) {
      const std::uint32_t block = memory_.blocks[memory_.heads[i]];
      Decoder::prefetch(docid_tail<kCodec, kLevels>(batch_, index_of(other)),
                        Decoder::locate(list.docids, block));
      if (role == kProhibited) continue;
      Decoder::prefetch(value_tail<kCodec, kLevels>(batch_, index_of(other)),
                        Decoder::locate(list.frequencies, block));
    }
  }

  /// Documents [from, to) against the block that may hold them. One warp.
  __device__ void match_block(std::uint32_t other, std::uint32_t role, std::uint32_t block,
                              std::uint32_t from, std::uint32_t to) {
    const List& list = lists_[other];
    std::uint32_t docids[4];
    read_docids<kCodec, kLevels>(batch_, index_of(other), block, scratch(), docids);
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
        if (found && role != 0) memory_.alive[i] = role == kRequired ? 1 : 0;
      }
      clock_.end(GpuPhase::kIntersect);
      if (role == kProhibited || !__any_sync(kWholeWarp, found)) continue;
      if (!has_values) {
        read_values<kCodec, kLevels>(batch_, index_of(other), block, scratch(), values);
      }
      has_values = true;
      clock_.end(GpuPhase::kDecode);
      const std::uint32_t value = take(values, position);
      if (found) memory_.sums[i] += units(list, value, memory_.docids[i]);
      clock_.end(GpuPhase::kScore);
    }
  }

  /// values of lane position / 4, at position % 4: each lane its own position.
  __device__ std::uint32_t take(const std::uint32_t (&values)[4], std::uint32_t position) {
    std::uint32_t taken = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t value = __shfl_sync(kWholeWarp, values[i], position / 4 % kWarp);
      if (position % 4 == i) taken = value;
    }
    return taken;
  }

  /// Adds the driver's own scores, for the documents that are left.
  __device__ void add_driver() {
    if (threadIdx.x < kAndBlocks) memory_.used[threadIdx.x] = 0;
    sync(GpuPhase::kScore);
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      memory_.used[memory_.places[i] / kBlockSize] = 1;
      memory_.blocks[memory_.places[i]] = i;  // where the chunk's documents are now
      memory_.alive[memory_.places[i]] = 2;
    }
    sync(GpuPhase::kScore);
    if (memory_.used[warp_] == 0) return;
    std::uint32_t values[4];
    read_values<kCodec, kLevels>(batch_, index_of(driver_), first_block_ + warp_, scratch(),
                                 values);
    clock_.end(GpuPhase::kDecode);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const std::uint32_t place = warp_ * kBlockSize + 4 * lane_id() + j;
      if (memory_.alive[place] != 2) continue;
      const std::uint32_t i = memory_.blocks[place];
      memory_.sums[i] += units(lists_[driver_], values[j], memory_.docids[i]);
    }
  }

  /// A sum below which there are k better documents in this chunk alone, by a histogram.
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
      atomicAdd(&bins[kOwnBins - 1 - memory_.sums[i] / width], 1);  // the best first
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

  /// Counts the matches; those that reach the threshold become candidates.
  __device__ void hand_over() {
    sync(GpuPhase::kScore);
    QueryState& state = batch_.states[query_.state];
    if (threadIdx.x == 0) atomicAdd(&state.matches, static_cast<unsigned long long>(count_));
    std::uint32_t threshold = max(current_threshold(state), query_.seed);
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
  PhaseClock<GpuPhase, kGpuPhases, kCompares> clock_;
};

}  // namespace and_chunk
}  // namespace warpdex::gpu
