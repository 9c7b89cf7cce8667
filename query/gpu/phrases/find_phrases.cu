// Documents with a phrase: the rarest word's documents are looked up in the other words' lists, and
// where all words are, their positions are compared.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/phrases/phrase_kernels.hpp"
#include "gpu/phrases/verify_phrases.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 64;
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

/// A lane's document, if it has one.
struct Found {
  bool has = false;
  std::uint32_t document = 0;
  Occurrences rarest{};
  Places places;
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

  /// A whole warp, as all that follow. Each step has one place in the code: it is read from memory
  /// as it runs, and warps are at different steps.
  __device__ void run(std::uint32_t block) {
    const List& list = batch_.lists[phrase_.first_list];
    const std::uint32_t end = min(block + batch_.item_blocks, list.blocks);
    for (;;) {
      const bool all_are_queued = block >= end;
      Found found;
      if (found_ >= kWarp || (all_are_queued && queued_ == 0 && found_ > 0)) {
        take_found(found);
      } else if (queued_ >= kWarp || (all_are_queued && queued_ > 0)) {
        look_up(found);
        if (phrase_.lists <= kQueuedLists) {
          queue_found(found);
          continue;
        }
      } else if (!all_are_queued) {
        Base::read_threshold();
        if (!is_passed(list, block)) queue_block(block);
        ++block;
        continue;
      } else {
        return;
      }
      verify(found.has, found.document, found.rarest, found.places);
    }
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
  __device__ void queue_block(std::uint32_t block) {
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

  /// Takes the last documents of the queue and looks them up in the other lists, a lane each.
  __device__ void look_up(Found& found) {
    const std::uint32_t count = min(queued_, kWarp);
    queued_ -= count;
    bool has = lane_id() < count;
    if (has) {
      found.document = memory_.documents[queued_ + lane_id()];
      found.rarest = memory_.occurrences[queued_ + lane_id()];
    }
    for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
      if (__ballot_sync(kWholeWarp, has) == 0) break;
      if (phrase_.lists > 2) held_ = kNone;  // the memory holds a block of another list
      const PostingPlace posting = find_document<kCodec, LookupGoal::kThroughput>(
          batch_, phrase_.first_list + i, has, found.document, held_, memory_.lookup);
      has = posting.place != kNone;
      const std::uint32_t block = posting.block == kNone ? 0 : posting.block;  // 0: of a raw list
      found.places[i] = block << kPlaceBits | posting.place % kBlockSize;
    }
    found.has = has;
  }

  /// Queues the documents of lanes that have all words.
  __device__ void queue_found(const Found& found) {
    const std::uint32_t group = __ballot_sync(kWholeWarp, found.has);
    const std::uint32_t place = found_ + __popc(group & lanes_below());
    if (found.has) {
      memory_.found[place] = found.document;
      memory_.found_occurrences[place] = found.rarest;
      for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
        memory_.found_places[i - 1][place] = found.places[i];
      }
    }
    found_ += __popc(group);
    __syncwarp();
  }

  /// Takes the last documents of that queue.
  __device__ void take_found(Found& found) {
    const std::uint32_t count = min(found_, kWarp);
    found_ -= count;
    found.has = lane_id() < count;
    if (!found.has) return;
    const std::uint32_t place = found_ + lane_id();
    found.document = memory_.found[place];
    found.rarest = memory_.found_occurrences[place];
    for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
      found.places[i] = memory_.found_places[i - 1][place];
    }
  }

  PhraseMemory& memory_;
  std::uint32_t queued_ = 0;
  std::uint32_t found_ = 0;     ///< documents in memory_.found
  std::uint32_t held_ = kNone;  ///< the block in memory_.lookup.block, of a phrase with two lists
};

/// Work item: some blocks of the list of a phrase's rarest word, a warp; CTAs of 2 warps, 16 at a
/// time. Shared memory: 5 KiB a warp. Of 753 phrases of 2 to 8 words in 3 million documents, 32
/// looked-up documents take 1,250 instructions: 200 to search a list's blocks, 240 to decode them,
/// 110 to decode frequencies, 310 to compare positions: of 32 lanes 3 compare at a time, since each
/// has another document. Bound by waiting: schedulers issue in a third of the cycles. Of all stalls
/// a third are for reads, a quarter for instructions (40 KB of them run), a quarter for the
/// instruction before. 24, 32 and 40 warps of a multiprocessor take the same time, and so do
/// shorter items. By bytes it were far less: 2 a posting, and 1 to 2 a position.
template <CodecKind kCodec>
__global__ void __launch_bounds__(kThreads, ctas_at_once(kThreads, 16))
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
