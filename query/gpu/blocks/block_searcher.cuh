// A query's search by blocks of documents in a CTA. Internal.
#pragma once

#include "gpu/blocks/superblock_order.cuh"
#include "warpdex/core/select/block_sort.cuh"
#include "warpdex/core/select/networks.cuh"

namespace warpdex::gpu {

/// After so many more documents, or k if that is more, what was found is sorted.
inline constexpr std::uint32_t kFewFound = 128;
/// Sorts as documents do: score descending, then docID ascending. Scores are above 0.
using FoundKey = unsigned long long;

/// The k best scores of some documents, for k to 32.
class BestScores {
 public:
  /// Adds a score for each lane, 0 for none. Returns the k-th best so far; 0 if there are fewer. A
  /// whole warp.
  __device__ float add(float score, std::uint32_t k) {
    KeyCode arrivals[1] = {~__float_as_uint(score)};
    sort_lanes(arrivals[0]);
    merge_into(best_, arrivals);
    return __uint_as_float(~__shfl_sync(kWholeWarp, best_[0], static_cast<int>(k) - 1));
  }

 private:
  KeyCode best_[1] = {~KeyCode{0}};  ///< inverted, ascending
};

/// Keys of what is kept, and of what is found before it is sorted: all warps may find whole
/// superblocks at once.
__host__ __device__ constexpr std::uint32_t found_room(std::uint32_t threads, std::uint32_t most) {
  const std::uint32_t at_once = threads / kWarp * kDocumentsOfSuperblock;
  return room_to_sort(most + (most > kFewFound ? most : kFewFound) + at_once);
}

/// A query's search in a CTA.
template <std::uint32_t kThreads>
class BlockSearcher : private SuperblockOrder<kThreads> {
  using Order = SuperblockOrder<kThreads>;

 public:
  __device__ BlockSearcher(const BlockQuery& query, BlockScratch<kThreads>& shared,
                           FoundKey* memory, const BlockBatch& batch)
      : Order(query, shared,
              reinterpret_cast<float*>(memory + 2 * found_room(kThreads, batch.most)),
              batch.superblocks),
        found_(memory),
        other_(found_ + found_room(kThreads, batch.most)),
        most_(batch.superblocks) {
    if (threadIdx.x == 0) {
      shared_.found = 0;
      shared_.threshold = __float_as_uint(fmaxf(query.threshold, 0));
    }
    __syncthreads();
  }

  __device__ void search(const PlacedBlocks& segment, const BlockTerm* terms, std::uint32_t count) {
    segment_ = &segment;
    lists_ = count;
    if (threadIdx.x < count) shared_.lists[threadIdx.x] = open_list(segment, terms[threadIdx.x]);
    __syncthreads();
    if (lane_id() < count) own_list_ = shared_.lists[lane_id()];
    for (begin_ = 0; begin_ < segment.superblocks; begin_ += most_) {
      size_ = min(most_, segment.superblocks - begin_);
      bound_superblocks();
      order_superblocks();
      take_superblocks();
    }
  }

  __device__ void write(Hit* hits, std::uint32_t* count) const {
    for (std::uint32_t i = threadIdx.x; i < kept_; i += kThreads) {
      hits[i] = {static_cast<std::uint32_t>(found_[i]),
                 __uint_as_float(~static_cast<std::uint32_t>(found_[i] >> 32))};
    }
    if (threadIdx.x == 0) *count = kept_;
  }

 private:
  using Order::begin_;
  using Order::bound_superblocks;
  using Order::can_enter;
  using Order::end_of_order;
  using Order::lists_;
  using Order::order_;
  using Order::order_superblocks;
  using Order::query_;
  using Order::shared_;
  using Order::size_;
  using Order::sums_;
  using Order::take;
  using Order::threshold;
  using Order::warp_id_;

  /// Each warp takes the next superblock, until enough was found to be sorted.
  __device__ void take_superblocks() {
    for (bool goes_on = true; goes_on;) {
      const std::uint32_t enough = kept_ + max(query_.k, kFewFound);
      for (std::uint32_t place = take(enough); place < size_; place = take(enough)) {
        search_superblock(begin_ + order_[place]);
      }
      __syncthreads();
      keep_best();
      goes_on = shared_.next < end_of_order();
      __syncthreads();
    }
  }

  /// Sorts what was found, and raises the threshold. A whole CTA.
  __device__ void keep_best() {
    const std::uint32_t count = shared_.found;
    __syncthreads();
    if (count > kept_) {
      sort_block<FoundKey>(
          count, [&](std::uint32_t i) { return found_[i]; }, found_, other_);
      kept_ = min(count, query_.k);
      if (threadIdx.x == 0) {
        shared_.found = kept_;
        if (kept_ == query_.k) raise(~static_cast<std::uint32_t>(found_[kept_ - 1] >> 32));
      }
    }
    __syncthreads();
  }

  __device__ void raise(std::uint32_t bits) { atomicMax(&shared_.threshold, bits); }

  /// Finds the documents of the blocks that can enter. A whole warp.
  __device__ void search_superblock(std::uint32_t superblock) {
    const std::uint32_t present = find_records(superblock);
    const PresentList* const lists = shared_.present[warp_id_];
    const std::uint32_t half = lane_id() / kBlocksOfSuperblock;
    float bound = 0;  // of a block, by half of the lists
#pragma unroll 4
    for (std::uint32_t i = half; i < present; i += 2) {
      const PresentList list = lists[i];
      bound += list.weight * static_cast<float>(list.largest(lane_id() % kBlocksOfSuperblock));
    }
    bound += __shfl_xor_sync(kWholeWarp, bound, kBlocksOfSuperblock);
    score_blocks(superblock, bound, present);
    __syncwarp();
  }

  /// Scores the blocks that can enter, those of the highest bounds first, since that raises the
  /// threshold: two at a time, one by half of the lanes. `bound` is that of the lane's block. A
  /// whole warp.
  __device__ void score_blocks(std::uint32_t superblock, float bound, std::uint32_t present) {
    const std::uint32_t own = lane_id() % kBlocksOfSuperblock;
    const bool is_low = lane_id() < kBlocksOfSuperblock;
    // Bits of floats above 0 rise with them; the block takes the place of the lowest ones.
    const std::uint32_t key = (__float_as_uint(bound) & ~(kBlocksOfSuperblock - 1)) | own;
    bool is_left = bound > 0;
    while (true) {
      is_left = is_left && can_enter(bound);
      const std::uint32_t first = warp_max(is_left ? key : 0);
      if (first == 0) return;
      const std::uint32_t second = warp_max(is_left && key != first ? key : 0);
      is_left = is_left && key != first && key != second;
      const bool is_idle = !is_low && second == 0;
      const std::uint32_t block = (is_low || is_idle ? first : second) % kBlocksOfSuperblock;
      const float score = score_document(block, present);
      add(is_idle ? 0 : score, superblock * kDocumentsOfSuperblock + block * kDocumentsOfBlock +
                                   lane_id() % kDocumentsOfBlock);
    }
  }

  /// The records of the lists that have the superblock. Returns how many. A whole warp.
  __device__ std::uint32_t find_records(std::uint32_t superblock) {
    std::uint32_t present = 0;
    for (std::uint32_t first = 0; first < lists_; first += kWarp) {
      const OpenList list =
          first == 0 ? own_list_ : shared_.lists[min(first + lane_id(), lists_ - 1)];
      std::uint32_t place = BlockList::kNone;
      if (first + lane_id() < lists_) place = list.find(superblock);
      const bool is_present = place != BlockList::kNone;
      const std::uint32_t all = __ballot_sync(kWholeWarp, is_present);
      if (is_present) {
        const std::uint8_t* const record = list.record(place);
        const auto slot = present + static_cast<std::uint32_t>(__popc(all & lanes_below()));
        shared_.present[warp_id_][slot] = {record, list.weight, load_two_bytes(record)};
      }
      present += static_cast<std::uint32_t>(__popc(all));
    }
    __syncwarp();
    return present;
  }

  /// A document by lane, of a block by half of the lanes: the sum in the canonical order, so that
  /// its bits are the CPU's. A whole warp.
  __device__ float score_document(std::uint32_t block, std::uint32_t present) {
    const PresentList* const lists = shared_.present[warp_id_];
    const std::uint32_t document = lane_id() % kDocumentsOfBlock;
    float score = 0;
    for (std::uint32_t first = 0; first < present; first += kWarp) {
      const std::uint32_t own = first + lane_id();
      const std::uint32_t blocks = own < present ? lists[own].blocks : 0;
      const std::uint32_t other_block = __shfl_xor_sync(kWholeWarp, block, kBlocksOfSuperblock);
      const bool is_low = lane_id() < kBlocksOfSuperblock;
      const std::uint32_t of_low =
          __ballot_sync(kWholeWarp, blocks >> (is_low ? block : other_block) & 1);
      const std::uint32_t of_high =
          __ballot_sync(kWholeWarp, blocks >> (is_low ? other_block : block) & 1);
#pragma unroll 2
      for (std::uint32_t left = is_low ? of_low : of_high; left != 0; left &= left - 1) {
        const PresentList list =
            lists[first + static_cast<std::uint32_t>(__ffs(static_cast<int>(left))) - 1];
        const std::uint32_t impact = list.impact(block, document);
        if (impact != 0) score += list.weight * static_cast<float>(impact);
      }
    }
    return score;
  }

  /// Takes the documents whose scores reach the threshold, which it raises. A whole warp.
  __device__ void add(float score, std::uint32_t document) {
    bool enters = score > 0 && score >= threshold() &&
                  (segment_->removed == nullptr ||
                   (__ldg(segment_->removed + document / 32) >> document % 32 & 1) == 0);
    if (__ballot_sync(kWholeWarp, enters) == 0) return;
    if (query_.k <= kWarp) {
      const float last = best_.add(enters ? score : 0, query_.k);
      enters = enters && score >= last;
      if (lane_id() == 0 && last > threshold()) raise(__float_as_uint(last));
    }
    const std::uint32_t entering = __ballot_sync(kWholeWarp, enters);
    std::uint32_t begin = 0;
    if (lane_id() == 0) {
      begin = atomicAdd(&shared_.found, static_cast<std::uint32_t>(__popc(entering)));
    }
    begin = __shfl_sync(kWholeWarp, begin, 0);
    if (!enters) return;
    const auto place = begin + static_cast<std::uint32_t>(__popc(entering & lanes_below()));
    found_[place] = FoundKey{~__float_as_uint(score)} << 32 | (segment_->first_document + document);
  }

  FoundKey* const found_;  ///< what is kept, then what was found since
  FoundKey* const other_;
  const std::uint32_t most_;  ///< superblocks that are ordered together
  const PlacedBlocks* segment_ = nullptr;
  OpenList own_list_{};     ///< of the lane
  std::uint32_t kept_ = 0;  ///< sorted
  BestScores best_;         ///< that the warp found
};

}  // namespace warpdex::gpu
