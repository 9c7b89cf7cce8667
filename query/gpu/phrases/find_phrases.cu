// Documents with a phrase: the rarest word's documents are looked up in the other words' lists, and
// where all words are, their positions are compared.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/phrases/phrase_kernels.hpp"
#include "gpu/phrases/verify_phrases.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// Documents that wait to be looked up: those of a block, and fewer than a warp before.
constexpr std::uint32_t kQueue = kBlockSize + kWarp;
/// Documents with all words wait for others, so that all lanes have one, if the phrase has so many
/// lists or fewer.
constexpr std::uint32_t kQueuedLists = 4;
constexpr std::uint32_t kFoundQueue = 2 * kWarp;

/// One warp's, in shared memory.
struct PhraseMemory {
  LookupMemory lookup;
  std::uint32_t documents[kQueue];
  Occurrences occurrences[kQueue];   ///< of the rarest word
  std::uint32_t found[kFoundQueue];  ///< documents with all words; what follows is of these
  Occurrences found_occurrences[kFoundQueue];
  std::uint32_t found_places[kQueuedLists - 1][kFoundQueue];  ///< by the other lists
};

/// A warp on its way through an item.
template <CodecKind kCodec>
class ItemSearch : PhraseVerifier<kCodec> {
  using Base = PhraseVerifier<kCodec>;
  using Base::batch_;
  using Base::may_enter;
  using Base::phrase_;
  using Base::prunes;
  using Base::query_;
  using Base::read_frequencies;
  using Base::segment_;
  using Base::threshold_;
  using Base::verify;

 public:
  __device__ ItemSearch(const PhraseBatch& batch, const PhraseItem& item, PhraseMemory& memory)
      : Base(batch, batch.phrases[item.phrase], memory.lookup.scratch), memory_(memory) {}

  /// A whole warp, as all that follow.
  __device__ void run(std::uint32_t first) {
    const List& list = batch_.lists[phrase_.first_list];
    const std::uint32_t end = min(first + batch_.item_blocks, list.blocks);
    for (std::uint32_t block = first; block < end; ++block) {
      Base::read_threshold();
      if (is_passed(list, block)) continue;
      take_block(block);
      std::uint32_t begin = 0;
      for (; queued_ - begin >= kWarp; begin += kWarp) look_up(begin, kWarp);
      move_to_front(begin);
    }
    if (queued_ > 0) look_up(0, queued_);
    if (found_ > 0) verify_found(found_);
  }

 private:
  /// Whether no document of the rarest word's block can be in the answer.
  __device__ bool is_passed(const List& list, std::uint32_t block) const {
    if (!prunes() || !query_.prunes_blocks || list.bounds == nullptr) return false;
    const auto bound = reinterpret_cast<const uint2*>(list.bounds)[block];
    return bin_of(query_, block_bound(batch_, query_, bound)) < threshold_;
  }

  __device__ bool is_removed(std::uint32_t document) const {
    if (segment_.removed == nullptr) return false;
    const std::uint32_t own = document - segment_.first_document;
    return (__ldg(segment_.removed + own / 32) >> own % 32 & 1) != 0;
  }

  /// Queues the documents of a block of the rarest word that may be in the answer.
  __device__ void take_block(std::uint32_t block) {
    std::uint32_t docids[4];
    read_docids<kCodec>(batch_, phrase_.first_list, block, memory_.lookup.scratch, docids);
    __syncwarp();
    std::uint32_t frequencies[4];
    std::uint32_t before = read_frequencies(phrase_.first_list, block, frequencies);
    std::uint32_t kept = 0;  // bits
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const bool stays =
          frequencies[i] > 0 && !is_removed(docids[i]) && may_enter(docids[i], frequencies[i]);
      if (stays) kept |= 1U << i;
    }
    const std::uint32_t count = __popc(kept);
    const std::uint32_t upto = inclusive_sum(count);
    std::uint32_t place = queued_ + upto - count;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (kept >> i & 1) {
        memory_.documents[place] = docids[i];
        memory_.occurrences[place++] = {before, frequencies[i]};
      }
      before += frequencies[i];
    }
    queued_ += __shfl_sync(kWholeWarp, upto, kWarp - 1);
    __syncwarp();
  }

  /// Drops the first `begin` documents of the queue; fewer than a warp are left.
  __device__ void move_to_front(std::uint32_t begin) {
    queued_ -= begin;
    if (begin == 0) return;
    const bool has = lane_id() < queued_;
    const std::uint32_t document = has ? memory_.documents[begin + lane_id()] : 0;
    const Occurrences own = has ? memory_.occurrences[begin + lane_id()] : Occurrences{};
    __syncwarp();
    if (has) {
      memory_.documents[lane_id()] = document;
      memory_.occurrences[lane_id()] = own;
    }
    __syncwarp();
  }

  /// Looks `count` queued documents up in the other lists, a lane each.
  __device__ void look_up(std::uint32_t begin, std::uint32_t count) {
    bool has = lane_id() < count;
    const std::uint32_t document = has ? memory_.documents[begin + lane_id()] : 0;
    const Occurrences rarest = has ? memory_.occurrences[begin + lane_id()] : Occurrences{};
    Places places;
    for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
      if (__ballot_sync(kWholeWarp, has) == 0) return;
      if (phrase_.lists > 2) held_ = kNone;  // the memory holds a block of another list
      const PostingPlace posting = find_document<kCodec, LookupGoal::kThroughput>(
          batch_, phrase_.first_list + i, has, document, held_, memory_.lookup);
      has = posting.place != kNone;
      const std::uint32_t block = posting.block == kNone ? 0 : posting.block;  // 0: of a raw list
      places[i] = block << kPlaceBits | posting.place % kBlockSize;
    }
    if (phrase_.lists > kQueuedLists) return verify(has, document, rarest, places);
    queue_found(has, document, rarest, places);
    if (found_ >= kWarp) verify_found(kWarp);
  }

  /// Queues the documents of lanes that have all words.
  __device__ void queue_found(bool has, std::uint32_t document, const Occurrences& rarest,
                              const Places& places) {
    const std::uint32_t group = __ballot_sync(kWholeWarp, has);
    const std::uint32_t place = found_ + __popc(group & lanes_below());
    if (has) {
      memory_.found[place] = document;
      memory_.found_occurrences[place] = rarest;
      for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
        memory_.found_places[i - 1][place] = places[i];
      }
    }
    found_ += __popc(group);
    __syncwarp();
  }

  /// Verifies the first `count` documents of that queue, and drops them.
  __device__ void verify_found(std::uint32_t count) {
    const auto take = [&](std::uint32_t from, Occurrences& rarest, Places& places) {
      rarest = memory_.found_occurrences[from];
      for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
        places[i] = memory_.found_places[i - 1][from];
      }
      return memory_.found[from];
    };
    Occurrences rarest{};
    Places places;
    const bool has = lane_id() < count;
    const std::uint32_t document = has ? take(lane_id(), rarest, places) : 0;
    verify(has, document, rarest, places);
    found_ -= count;
    const bool moves = lane_id() < found_;
    const std::uint32_t moved = moves ? take(count + lane_id(), rarest, places) : 0;
    __syncwarp();
    if (moves) {
      memory_.found[lane_id()] = moved;
      memory_.found_occurrences[lane_id()] = rarest;
      for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
        memory_.found_places[i - 1][lane_id()] = places[i];
      }
    }
    __syncwarp();
  }

  PhraseMemory& memory_;
  std::uint32_t queued_ = 0;
  std::uint32_t found_ = 0;     ///< documents in memory_.found
  std::uint32_t held_ = kNone;  ///< the block in memory_.lookup.block, of a phrase with two lists
};

/// Work item: some blocks of the list of a phrase's rarest word, a warp; CTAs of 8 warps. Shared
/// memory: 4.5 KiB a warp. Bound by the latency of some 40 dependent reads for each 32 documents,
/// then by instruction issue. 32 documents take about 30 instructions to decode them with their
/// frequencies, 60 to search the other list's blocks, and 80 for each block that is decoded: 1.6 of
/// them for the phrases of the Search Benchmark Game over 25,000 articles, of which a sixth of the
/// documents had all words. 32 such take 90 instructions for each block of frequencies, of 4, and
/// 600 to compare positions, of which exceptions are the most. So 50,000 documents take some
/// 600,000 instructions, about a microsecond of the GPU. By bytes it were far less: 2 a posting,
/// and 1 to 2 a position.
template <CodecKind kCodec>
__global__ void __launch_bounds__(kThreads, ctas_at_once(kThreads, 3))
    find_phrases(PhraseBatch batch) {
  __shared__ PhraseMemory memory[kWarps];
  const std::uint32_t number = blockIdx.x * kWarps + warp_id();
  if (number >= batch.item_count) return;
  const PhraseItem item = batch.items[number];
  ItemSearch<kCodec>(batch, item, memory[warp_id()]).run(item.first);
}

}  // namespace

void launch_find_phrases(const PhraseBatch& batch, CodecKind codec, const Stream& stream) {
  if (batch.item_count == 0) return;
  with_codec(codec, [&]<CodecKind kCodec>() {
    warpdex::launch({.name = "find_phrases",
                     .ctas = (batch.item_count + kWarps - 1) / kWarps,
                     .threads = kThreads,
                     .stream = stream.handle()},
                    find_phrases<kCodec>, batch);
  });
}

}  // namespace warpdex::gpu
