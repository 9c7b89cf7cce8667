// Documents with all words of a phrase: how often the phrase is in each, and which of them are
// candidates. Internal.
#pragma once

#include "gpu/device/lookup.cuh"
#include "gpu/phrases/phrase_threshold.cuh"
#include "gpu/phrases/position_walk.cuh"

namespace warpdex::gpu {

/// After so many candidates, or k / 4, a phrase's threshold is raised.
inline constexpr std::uint32_t kRaiseEvery = 32;

/// Where a document is in each list but the rarest word's: the block, and below it 7 bits of the
/// place there.
using Places = std::uint32_t[kMaxGpuPhraseWords];
inline constexpr std::uint32_t kPlaceBits = 7;
static_assert(kBlockSize == 1U << kPlaceBits);

/// A warp's, for one phrase in one segment. All functions are for whole warps.
template <CodecKind kCodec>
class PhraseVerifier {
 public:
  /// `scratch` is the warp's, in shared memory.
  __device__ PhraseVerifier(const PhraseBatch& batch, const SegmentPhrase& phrase,
                            device::WarpScratch& scratch)
      : batch_(batch),
        phrase_(phrase),
        query_(batch.phrase_queries[phrase.query]),
        segment_(batch.segments[phrase.segment]),
        state_(batch.phrase_states[phrase.query]),
        scratch_(scratch) {}

 protected:
  __device__ void read_threshold() {
    threshold_ = __shfl_sync(kWholeWarp, __ldcg(&state_.threshold), 0);
  }
  __device__ bool prunes() const { return threshold_ > 0 && query_.prunes && !batch_.counts; }

  /// Whether a document may be in the answer if the phrase is in it so often or less.
  __device__ bool may_enter(std::uint32_t document, std::uint32_t frequency) const {
    if (!prunes()) return true;
    const auto length = static_cast<float>(segment_.lengths.of(document));
    float bound =
        phrase_score(batch_, query_, static_cast<float>(frequency), length) * query_.slack;
    if (segment_.static_scores != nullptr) bound += segment_.static_scores[document];
    return bin_of(query_, bound) >= threshold_;
  }

  /// Reads a block's frequencies, four a lane. Returns how many occurrences of the list are before
  /// the lane's first.
  __device__ std::uint32_t read_frequencies(std::uint32_t list_index, std::uint32_t block,
                                            std::uint32_t (&frequencies)[4]) {
    const List& list = batch_.lists[list_index];
    read_values<kCodec>(batch_, list_index, block, scratch_, frequencies);
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

  /// Where each lane's posting has its occurrences. Each block of frequencies is decoded once.
  __device__ Occurrences find_occurrences(std::uint32_t list_index, bool has, std::uint32_t place) {
    Occurrences found{};
    std::uint32_t none = kNone;
    std::uint32_t(&upto)[kBlockSize] = scratch_.words;
    std::uint32_t first = 0;
    const std::uint32_t own = place % kBlockSize;
    for_each_wanted<LaneLists::kSame>(
        has, list_index, place >> kPlaceBits, none,
        [&](int lane) {
          const std::uint32_t block = __shfl_sync(kWholeWarp, place >> kPlaceBits, lane);
          std::uint32_t sums[4];
          std::uint32_t before = read_frequencies(list_index, block, sums);
          first = __shfl_sync(kWholeWarp, before, 0);
#pragma unroll
          for (std::uint32_t& sum : sums) sum = before += sum;
          __syncwarp();
          put_block(sums, upto);
        },
        [&] {
          found.begin = own == 0 ? first : upto[own - 1];
          found.count = upto[own] - found.begin;
        });
    return found;
  }

  /// Takes the documents that have the phrase, of the lanes that have one with all words.
  __device__ void verify(bool has, std::uint32_t document, const Occurrences& rarest,
                         const Places& places) {
    Occurrences occurrences[kMaxGpuPhraseWords];
    occurrences[0] = rarest;
    std::uint32_t least = rarest.count;
    for (std::uint32_t i = 1; i < phrase_.lists; ++i) {
      if (__ballot_sync(kWholeWarp, has) == 0) return;
      occurrences[i] = find_occurrences(phrase_.first_list + i, has, has ? places[i] : 0);
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
  device::WarpScratch& scratch_;
  std::uint32_t threshold_ = 0;
};

}  // namespace warpdex::gpu
