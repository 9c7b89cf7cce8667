// OR by blocks of documents: a CTA for each query.
#include <algorithm>

#include "gpu/blocks/block_reader.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/block_sort.cuh"
#include "warpdex/core/select/networks.cuh"

namespace warpdex::gpu {
namespace {

/// Of all CTAs of a multiprocessor.
constexpr std::uint32_t kThreadsAtOnce = 1024;
/// Superblocks are sorted by so many levels of their bounds.
constexpr std::uint32_t kLevels = 256;
/// With room for fewer superblocks, smaller CTAs are used.
constexpr std::uint32_t kFewestOrdered = 1'024;
/// Superblocks that a thread bounds together, so that reads of memory overlap.
constexpr std::uint32_t kBoundedTogether = 2;
/// After so many more documents, or k if that is more, what was found is sorted.
constexpr std::uint32_t kFewFound = 128;
/// Sorts as documents do: score descending, then docID ascending. Scores are above 0.
using FoundKey = unsigned long long;

template <std::uint32_t kThreads>
struct Shared {
  OpenList lists[kMostBlockTerms];
  PresentList present[kThreads / kWarp][kMostBlockTerms];  ///< in the canonical order
  std::uint32_t levels[kLevels];  ///< superblocks of each; then where these end
  std::uint32_t found;
  std::uint32_t next;       ///< place in the order
  std::uint32_t highest;    ///< bound, as bits
  std::uint32_t threshold;  ///< a float's bits, which never fall
};

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
class Search {
 public:
  __device__ Search(const BlockQuery& query, Shared<kThreads>& shared, FoundKey* memory,
                    const BlockBatch& batch)
      : query_(query),
        shared_(shared),
        most_found_(found_room(kThreads, batch.most)),
        found_(memory),
        other_(found_ + most_found_),
        sums_(reinterpret_cast<float*>(other_ + most_found_)),
        order_(reinterpret_cast<std::uint16_t*>(sums_ + batch.superblocks)),
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
  /// Sums of the largest impacts: first of lists with words, superblock by superblock, then of the
  /// others, list by list.
  __device__ void bound_superblocks() {
    for (std::uint32_t first = threadIdx.x; first < size_; first += kBoundedTogether * kThreads) {
      float sums[kBoundedTogether] = {};
#pragma unroll 2
      for (std::uint32_t list = 0; list < lists_; ++list) {
        const OpenList& own = shared_.lists[list];
        if (own.words != nullptr) add_bounds(own, first, sums);
      }
#pragma unroll
      for (std::uint32_t i = 0; i < kBoundedTogether; ++i) {
        if (first + i * kThreads < size_) sums_[first + i * kThreads] = sums[i];
      }
    }
    if (threadIdx.x < kLevels) shared_.levels[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
      shared_.next = 0;
      shared_.highest = 0;
    }
    __syncthreads();
    for (std::uint32_t list = warp_id_; list < lists_; list += kThreads / kWarp) {
      const OpenList& own = shared_.lists[list];
      if (own.words != nullptr) continue;
      for (std::uint32_t i = lane_id(); i < own.count; i += kWarp) {
        const std::uint32_t superblock = __ldg(own.numbers + i) - begin_;
        if (superblock >= size_) continue;
        atomicAdd(sums_ + superblock, own.weight * static_cast<float>(__ldg(own.largest + i)));
      }
    }
    __syncthreads();
  }

  /// Of a list with words.
  __device__ void add_bounds(const OpenList& list, std::uint32_t first,
                             float (&sums)[kBoundedTogether]) const {
    std::uint32_t places[kBoundedTogether];
#pragma unroll
    for (std::uint32_t i = 0; i < kBoundedTogether; ++i) {
      const std::uint32_t superblock = first + i * kThreads;
      places[i] = superblock < size_ ? list.place_in_word(begin_ + superblock) : BlockList::kNone;
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kBoundedTogether; ++i) {
      const std::uint32_t largest =
          places[i] != BlockList::kNone ? __ldg(list.largest + places[i]) : 0;
      sums[i] += list.weight * static_cast<float>(largest);
    }
  }

  __device__ float threshold() const {
    return __uint_as_float(*static_cast<const volatile std::uint32_t*>(&shared_.threshold));
  }
  __device__ std::uint32_t found() const {
    return *static_cast<const volatile std::uint32_t*>(&shared_.found);
  }
  __device__ bool can_enter(float bound) const { return bound * query_.slack >= threshold(); }
  /// No superblock of a lower bound can have a document that enters.
  __device__ float lowest() const { return threshold() / query_.slack * (2 - query_.slack); }
  /// 0 is that of the highest bounds.
  __device__ std::uint32_t level(float bound) const {
    return min(static_cast<std::uint32_t>((highest_ - bound) * scale_), kLevels - 1);
  }

  /// Sorts the superblocks that can enter by levels of their bounds.
  __device__ void order_superblocks() {
    float highest = 0;
    for (std::uint32_t i = threadIdx.x; i < size_; i += kThreads)
      highest = fmaxf(highest, sums_[i]);
    highest = warp_max(highest);
    if (lane_id() == 0) atomicMax(&shared_.highest, __float_as_uint(highest));
    __syncthreads();
    highest_ = __uint_as_float(shared_.highest);
    const float least = lowest();
    scale_ = highest_ > least ? static_cast<float>(kLevels - 1) / (highest_ - least) : 0.0F;
    for (std::uint32_t i = threadIdx.x; i < size_; i += kThreads) {
      if (sums_[i] > 0 && sums_[i] >= least) atomicAdd(shared_.levels + level(sums_[i]), 1U);
    }
    __syncthreads();
    if (warp_id_ == 0) begin_levels();
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size_; i += kThreads) {
      if (sums_[i] > 0 && sums_[i] >= least) {
        order_[atomicAdd(shared_.levels + level(sums_[i]), 1U)] = static_cast<std::uint16_t>(i);
      }
    }
    __syncthreads();
  }

  /// Makes the levels' sizes their beginnings. A whole warp.
  __device__ void begin_levels() {
    constexpr std::uint32_t kOfLane = kLevels / kWarp;
    std::uint32_t* const own = shared_.levels + lane_id() * kOfLane;
    std::uint32_t sizes[kOfLane];
    std::uint32_t sum = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kOfLane; ++i) {
      sizes[i] = own[i];
      sum += sizes[i];
    }
    std::uint32_t begin = inclusive_sum(sum) - sum;
#pragma unroll
    for (std::uint32_t i = 0; i < kOfLane; ++i) {
      own[i] = begin;
      begin += sizes[i];
    }
  }

  /// How many of the order can still enter.
  __device__ std::uint32_t end_of_order() const {
    const float least = lowest();
    return least > highest_ ? 0 : shared_.levels[level(least)];
  }

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

  /// The place in the order of a superblock that can enter; size_ where the warp stops. A whole
  /// warp. The threshold may rise at any time, so one lane decides.
  __device__ std::uint32_t take(std::uint32_t enough) {
    std::uint32_t place = size_;
    if (lane_id() == 0) {
      while (found() <= enough) {
        const std::uint32_t next = atomicAdd(&shared_.next, 1U);
        if (next >= end_of_order()) break;
        if (!can_enter(sums_[order_[next]])) continue;
        place = next;
        break;
      }
    }
    return __shfl_sync(kWholeWarp, place, 0);
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

  __device__ void raise(std::uint32_t threshold) { atomicMax(&shared_.threshold, threshold); }

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

  const BlockQuery query_;
  Shared<kThreads>& shared_;
  const std::uint32_t most_found_;
  FoundKey* const found_;  ///< what is kept, then what was found since
  FoundKey* const other_;
  float* const sums_;
  std::uint16_t* const order_;
  const std::uint32_t most_;
  const std::uint32_t warp_id_ = warp_id();
  const PlacedBlocks* segment_ = nullptr;
  std::uint32_t lists_ = 0;
  OpenList own_list_{};      ///< of the lane
  std::uint32_t begin_ = 0;  ///< of the superblocks that are ordered together
  std::uint32_t size_ = 0;
  float highest_ = 0;
  float scale_ = 0;
  std::uint32_t kept_ = 0;  ///< sorted
  BestScores best_;         ///< that the warp found
};

/// Dynamic shared memory: what was found, twice; then sums and order of superblocks.
std::size_t shared_bytes(std::uint32_t threads, std::uint32_t most) {
  return 2 * sizeof(FoundKey) * found_room(threads, most);
}
constexpr std::size_t kBytesOfSuperblock = sizeof(float) + sizeof(std::uint16_t);

/// Work item: a query, a CTA. Of 200,000 documents and 25 terms it bounds 800
/// superblocks, looks at 140 to 300 of them, some 280 instructions of a warp each, and scores 70 to
/// 110 pairs of blocks, some 330 each. Bound by these instructions, 180,000 a query: reads are 100
/// bytes a term and superblock. At full issue 500 queries would take 50 us on an H200; they take
/// about 500, since each multiprocessor issues 0.4 of what it could, and half of them wait for
/// those with the queries of the most superblocks. A second batch beside fills that.
template <std::uint32_t kThreads>
__global__ void __launch_bounds__(kThreads, ctas_at_once(kThreads, kThreadsAtOnce / kThreads))
    search_blocks(BlockBatch batch) {
  extern __shared__ __align__(16) FoundKey memory[];
  __shared__ Shared<kThreads> shared;
  const std::uint32_t number = blockIdx.x;
  Search<kThreads> search(batch.queries[number], shared, memory, batch);
  std::uint32_t first = batch.queries[number].first_term;
  for (std::uint32_t i = 0; i < batch.segment_count; ++i) {
    const std::uint32_t end = batch.term_ends[number * batch.segment_count + i];
    search.search(batch.segments[i], batch.terms + first, end - first);
    first = end;
  }
  search.write(batch.hits + std::size_t{number} * batch.most, batch.counts + number);
}

template <std::uint32_t kThreads>
void launch_of(const BlockBatch& batch, const Stream& stream) {
  constexpr auto kernel = search_blocks<kThreads>;
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  warpdex::launch(
      {.name = "search_blocks",
       .ctas = batch.query_count,
       .threads = kThreads,
       .shared_memory = shared_bytes(kThreads, batch.most) + batch.superblocks * kBytesOfSuperblock,
       .stream = stream.handle()},
      kernel, batch);
}

/// Superblocks of which a CTA has room for the sums and the order.
template <std::uint32_t kThreads>
std::uint32_t room_for_superblocks(std::size_t shared_memory, std::uint32_t most) {
  const std::size_t taken = sizeof(Shared<kThreads>) + shared_bytes(kThreads, most);
  if (shared_memory < taken) return 0;
  return static_cast<std::uint32_t>((shared_memory - taken) / kBytesOfSuperblock);
}

}  // namespace

BlockShape block_shape(std::size_t shared_memory, std::uint32_t most, std::uint32_t superblocks) {
  constexpr std::uint32_t kWord = 64;  // superblocks
  // Many warps share the queries of the most superblocks out, where there is room for two CTAs.
  BlockShape shape{.threads = 512, .superblocks = room_for_superblocks<512>(shared_memory, most)};
  if (shape.superblocks < std::min(superblocks, kFewestOrdered)) {
    shape = {.threads = 256, .superblocks = room_for_superblocks<256>(shared_memory, most)};
  }
  const std::uint32_t wanted = (superblocks + kWord - 1) / kWord * kWord;
  shape.superblocks = std::min(wanted, shape.superblocks / kWord * kWord);
  return shape;
}

void launch_search_blocks(const BlockBatch& batch, const Stream& stream) {
  if (batch.threads == 512) return launch_of<512>(batch, stream);
  launch_of<256>(batch, stream);
}

}  // namespace warpdex::gpu
