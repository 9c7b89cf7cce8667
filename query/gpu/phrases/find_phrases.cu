// Documents with a phrase: the rarest word's documents are looked up in the other words' lists, and
// where all words are, their positions are compared.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/phrases/phrase_kernels.hpp"
#include "gpu/phrases/phrase_threshold.cuh"
#include "gpu/phrases/position_walk.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// Documents that wait to be looked up: those of a block, and fewer than a warp before.
constexpr std::uint32_t kQueue = kBlockSize + kWarp;
/// After so many candidates, or k / 4, a phrase's threshold is raised.
constexpr std::uint32_t kRaiseEvery = 32;

/// One warp's, in shared memory.
struct PhraseMemory {
  LookupMemory lookup;
  std::uint32_t documents[kQueue];
  Occurrences occurrences[kQueue];  ///< of the rarest word
};

/// A warp on its way through an item.
template <CodecKind kCodec>
class ItemSearch {
 public:
  __device__ ItemSearch(const PhraseBatch& batch, const PhraseItem& item, PhraseMemory& memory)
      : batch_(batch),
        phrase_(batch.phrases[item.phrase]),
        query_(batch.phrase_queries[phrase_.query]),
        segment_(batch.segments[phrase_.segment]),
        state_(batch.phrase_states[phrase_.query]),
        memory_(memory) {}

  /// A whole warp, as all that follow.
  __device__ void run(std::uint32_t first) {
    const List& list = batch_.lists[phrase_.first_list];
    const std::uint32_t end = min(first + batch_.item_blocks, list.blocks);
    for (std::uint32_t block = first; block < end; ++block) {
      read_threshold();
      if (is_passed(list, block)) continue;
      take_block(block);
      std::uint32_t begin = 0;
      for (; queued_ - begin >= kWarp; begin += kWarp) look_up(begin, kWarp);
      move_to_front(begin);
    }
    if (queued_ > 0) look_up(0, queued_);
  }

 private:
  __device__ void read_threshold() {
    threshold_ = __shfl_sync(kWholeWarp, __ldcg(&state_.threshold), 0);
  }
  __device__ bool prunes() const { return threshold_ > 0 && query_.prunes && !batch_.counts; }

  /// Whether no document of the rarest word's block can be in the answer.
  __device__ bool is_passed(const List& list, std::uint32_t block) const {
    if (!prunes() || !query_.prunes_blocks || list.bounds == nullptr) return false;
    const auto bound = reinterpret_cast<const uint2*>(list.bounds)[block];
    return bin_of(query_, block_bound(batch_, query_, bound)) < threshold_;
  }

  /// Whether a document may be in the answer if the phrase is in it so often or less.
  __device__ bool may_enter(std::uint32_t document, std::uint32_t frequency) const {
    if (!prunes()) return true;
    const auto length = static_cast<float>(segment_.lengths.of(document));
    float bound =
        phrase_score(batch_, query_, static_cast<float>(frequency), length) * query_.slack;
    if (segment_.static_scores != nullptr) bound += segment_.static_scores[document];
    return bin_of(query_, bound) >= threshold_;
  }

  __device__ bool is_removed(std::uint32_t document) const {
    if (segment_.removed == nullptr) return false;
    const std::uint32_t own = document - segment_.first_document;
    return (__ldg(segment_.removed + own / 32) >> own % 32 & 1) != 0;
  }

  /// Reads a block's frequencies, four a lane. Returns how many occurrences of the list are before
  /// the lane's first.
  __device__ std::uint32_t read_frequencies(std::uint32_t list_index, std::uint32_t block,
                                            std::uint32_t (&frequencies)[4]) {
    const List& list = batch_.lists[list_index];
    read_values<kCodec>(batch_, list_index, block, memory_.lookup.scratch, frequencies);
    std::uint32_t sum = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const bool exists = block * kBlockSize + lane_id() * 4 + i < list.size;
      frequencies[i] = exists ? frequencies[i] + 1 : 0;
      sum += frequencies[i];
    }
    const std::uint32_t* const starts = batch_.positions[list_index].starts;
    return (starts == nullptr ? 0 : __ldg(starts + block)) + inclusive_sum(sum) - sum;
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

  /// Where each lane's posting has its occurrences. Each block of frequencies is decoded once.
  __device__ Occurrences find_occurrences(std::uint32_t list_index, const PostingPlace& posting) {
    Occurrences found{};
    std::uint32_t none = kNone - 1;  // no block, nor that of raw lists
    std::uint32_t(&upto)[kBlockSize] = memory_.lookup.scratch.words;
    std::uint32_t first = 0;
    for_each_wanted<LaneLists::kSame>(
        posting.place != kNone, list_index, posting.block, none,
        [&](int lane) {
          std::uint32_t block = __shfl_sync(kWholeWarp, posting.block, lane);
          if (block == kNone) block = 0;  // of a raw list
          std::uint32_t sums[4];
          std::uint32_t before = read_frequencies(list_index, block, sums);
          first = __shfl_sync(kWholeWarp, before, 0);
#pragma unroll
          for (std::uint32_t& sum : sums) sum = before += sum;
          __syncwarp();
          put_block(sums, upto);
        },
        [&] {
          found.begin = posting.place == 0 ? first : upto[posting.place - 1];
          found.count = upto[posting.place] - found.begin;
        });
    return found;
  }

  /// Looks `count` queued documents up in the other lists, a lane each, and takes those that have
  /// the phrase.
  __device__ void look_up(std::uint32_t begin, std::uint32_t count) {
    bool has = lane_id() < count;
    const std::uint32_t document = has ? memory_.documents[begin + lane_id()] : 0;
    Occurrences occurrences[kMaxGpuPhraseWords];
    occurrences[0] = has ? memory_.occurrences[begin + lane_id()] : Occurrences{};
    std::uint32_t least = occurrences[0].count;
    for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
      if (__ballot_sync(kWholeWarp, has) == 0) return;
      if (phrase_.lists > 2) held_ = kNone;  // the memory holds a block of another list
      const std::uint32_t list_index = phrase_.first_list + i;
      const PostingPlace posting = find_document<kCodec, LookupGoal::kThroughput>(
          batch_, list_index, has, document, held_, memory_.lookup);
      has = posting.place != kNone;
      occurrences[i] = find_occurrences(list_index, posting);
      least = min(least, occurrences[i].count);
      has = has && may_enter(document, least);
    }
    const std::uint32_t frequency = has ? count_phrase(batch_, phrase_, occurrences) : 0;
    __syncwarp();
    take(frequency > 0, document, frequency);
  }

  /// Appends the documents of those lanes that have the phrase to the candidates.
  __device__ void take(bool has, std::uint32_t document, std::uint32_t frequency) {
    const std::uint32_t matches = __ballot_sync(kWholeWarp, has);
    if (matches == 0) return;
    if (lane_id() == 0) {
      atomicAdd(&state_.matches, static_cast<unsigned long long>(__popc(matches)));
    }
    float score = 0;
    if (has) {
      const auto length = static_cast<float>(segment_.lengths.of(document));
      score = phrase_score(batch_, query_, static_cast<float>(frequency), length);
      if (segment_.static_scores != nullptr) score += segment_.static_scores[document];
    }
    const std::uint32_t bin = bin_of(query_, score);
    const bool stays = has && bin >= threshold_;
    const std::uint32_t group = __ballot_sync(kWholeWarp, stays);
    if (group == 0) return;
    std::uint32_t first = 0;
    if (lane_id() == 0) first = atomicAdd(&state_.candidates, __popc(group));
    first = __shfl_sync(kWholeWarp, first, 0);
    const std::uint32_t place = first + __popc(group & lanes_below());
    if (stays && place < query_.capacity) {  // always, but in a damaged index
      const std::uint32_t own = document - segment_.first_document + segment_.snapshot_document;
      batch_.found[query_.first_candidate + place] =
          PhraseCandidate{~__float_as_uint(score)} << 32 | own;
      atomicAdd(&batch_.bins[std::size_t{phrase_.query} * kPhraseBins + bin], 1);
    }
    const std::uint32_t next = first + __popc(group);
    const std::uint32_t every = max(kRaiseEvery, batch_.k / 4);
    if (next < batch_.k || (first >= batch_.k && first / every == next / every)) return;
    __syncwarp();
    raise_phrase_threshold(batch_, phrase_.query);
    read_threshold();
  }

  const PhraseBatch& batch_;
  const SegmentPhrase& phrase_;
  const PhraseQuery& query_;
  const HybridSegment& segment_;
  PhraseState& state_;
  PhraseMemory& memory_;
  std::uint32_t queued_ = 0;
  std::uint32_t threshold_ = 0;
  std::uint32_t held_ = kNone;  ///< the block in memory_.lookup.block, of a phrase with two lists
};

/// Work item: some blocks of the list of a phrase's rarest word, a warp; CTAs of 8 warps. Shared
/// memory: 3 KiB a warp. Bound by instruction issue: of two common words, for each 32 documents of
/// the rarer one some 60 instructions to decode them with their frequencies, 60 to search the other
/// list's blocks and 80 for each of its 2 to 6 blocks that are decoded, the same again for its
/// frequencies where it has the documents, and 300 to 500 to compare positions. So 32 documents
/// take 1,000 to 1,500 instructions, and 50,000 documents some 4 us where all are looked at. By
/// bytes it were far less: 2 bytes a posting and 1 to 2 a position.
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
