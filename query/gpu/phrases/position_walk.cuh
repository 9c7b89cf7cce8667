// How often a phrase stands in a document: each lane reads the positions of its own document's
// words. Internal.
#pragma once

#include "gpu/phrases/phrase_batch.hpp"
#include "warpdex/codecs/block.hpp"
#include "warpdex/codecs/device/pfor_block.cuh"
#include "warpdex/codecs/device/warp.cuh"

namespace warpdex::gpu {

/// Positions that a lane reads together.
inline constexpr std::uint32_t kRun = 8;

/// Blocks of a group share a base; the first group's is 0.
inline constexpr std::uint32_t kPositionGroup = 32;

/// Where a word stands in one document.
struct Occurrences {
  std::uint32_t begin;  ///< the number of the first occurrence in its list
  std::uint32_t count;

  __device__ std::uint32_t end() const { return begin + count; }
};

/// Reads `count` (1 to kRun) steps from step `first` of a list on, all of one block. One thread.
/// Some 10 instructions a step, and 12 for each exception of the block that does not lie behind.
__device__ inline void read_steps(const PositionList& list, std::uint32_t first,
                                  std::uint32_t count, std::uint32_t (&steps)[kRun]) {
  const std::uint32_t block = first / kBlockSize;
  const std::uint32_t place = first % kBlockSize;
  const std::uint8_t* at = list.bytes;
  if (list.offsets != nullptr) at += __ldg(list.offsets + block);
  if (block >= kPositionGroup) at += __ldg(list.bases + (block / kPositionGroup - 1));
  const std::uint8_t code = __ldg(list.codes + block);
  const std::uint32_t width = device::pfor_block::width_of(code);
#pragma unroll
  for (std::uint32_t j = 0; j < kRun; ++j) {
    if (j < count) steps[j] = device::read_bits(at, (place + j) * width, width);
  }
  if ((code & kExceptionsFlag) == 0) return;
  const std::uint32_t values = min(list.occurrences - block * kBlockSize, kBlockSize);
  const std::uint8_t* const header = at + (values * width + 7) / 8;
  const std::uint32_t exceptions = min(std::uint32_t{__ldg(header)}, kBlockSize);
  const std::uint32_t high_width = min(std::uint32_t{__ldg(header + 1)}, 32U);
  const std::uint8_t* const entries = header + device::pfor_block::kHeaderBytes;
  const std::uint32_t entry_width = device::pfor_block::kPositionBits + high_width;
  for (std::uint32_t i = 0; i < exceptions; ++i) {  // by rising places
    const std::uint32_t at_step = device::read32(entries, i * entry_width) % kBlockSize - place;
    if (at_step + place >= place + count) break;
    if (at_step >= count) continue;  // before the first: it wrapped around
    const std::uint32_t high =
        device::read_bits(entries, i * entry_width + device::pfor_block::kPositionBits, high_width);
    steps[at_step] += (high + 1) << width;
  }
}

/// A word's positions in a document, from the one on that was read last.
struct PositionWalk {
  std::uint32_t next;      ///< the number of the next step in its list
  std::uint32_t position;  ///< that was read last; 0 before the first

  /// Reads positions up to the occurrence `end`. Returns their number, up to kRun; 0 at the end.
  __device__ std::uint32_t read(const PositionList& list, std::uint32_t end,
                                std::uint32_t (&positions)[kRun]) {
    const std::uint32_t last = min(end, list.occurrences);  // it is less in a damaged index
    if (next >= last) return 0;
    const std::uint32_t count = min(min(last - next, kRun), kBlockSize - next % kBlockSize);
    if (list.bytes == nullptr) {
      positions[0] = list.single_position;
    } else {
      read_steps(list, next, count, positions);
    }
#pragma unroll
    for (std::uint32_t j = 0; j < kRun; ++j) {
      if (j < count) positions[j] = position += positions[j];
    }
    next += count;
    return count;
  }
};

/// Of some starts of a phrase, which never fall, the bits of `alive` say which are wanted. Keeps
/// those where a word, whose walk stands before its first step or behind a position that no earlier
/// start needed, stands at `offset`. Leaves the walk likewise for later starts. Returns false if no
/// later start can be kept. One thread.
__device__ inline bool narrow_starts(const PositionList& list, std::uint32_t end,
                                     const std::uint32_t (&starts)[kRun], std::uint32_t offset,
                                     PositionWalk& walk, std::uint32_t& alive) {
  std::uint32_t run[kRun];
  std::uint32_t count = 0;
  std::uint32_t taken = 0;
  PositionWalk before = walk;  // where the run began
  for (std::uint32_t left = alive; left != 0; left &= left - 1) {
    const std::uint32_t j = __ffs(static_cast<int>(left)) - 1;
    const std::uint32_t wanted = starts[j] + offset;
    while (taken == count || run[taken] < wanted) {
      if (taken < count) {
        ++taken;
        continue;
      }
      before = walk;
      count = walk.read(list, end, run);
      taken = 0;
      if (count != 0) continue;
      alive &= ~left;
      return false;
    }
    if (run[taken] != wanted) alive &= ~(1U << j);
  }
  // Those from `taken` on may be wanted still.
  walk.next = before.next + taken;
  walk.position = taken == 0 ? before.position : run[taken - 1];
  return true;
}

/// How often a phrase stands in a document of which each list has some occurrences. Reads a run of
/// the rarest word's positions at a time, and of the others as far as these go. One thread.
__device__ inline std::uint32_t count_phrase(const PhraseBatch& batch, const SegmentPhrase& phrase,
                                             const Occurrences (&occurrences)[kMaxGpuPhraseWords]) {
  const PositionList* const lists = batch.positions + phrase.first_list;
  const PhraseWord* const words = batch.words + phrase.first_word;
  PositionWalk walks[kMaxGpuPhraseWords];
  for (std::uint32_t i = 0; i < phrase.words; ++i) walks[i] = {occurrences[words[i].list].begin, 0};
  const PhraseWord rarest = words[0];
  PositionWalk walk = walks[0];
  std::uint32_t count = 0;
  for (bool goes_on = true; goes_on;) {
    std::uint32_t starts[kRun];
    const std::uint32_t read =
        walk.read(lists[rarest.list], occurrences[rarest.list].end(), starts);
    if (read == 0) break;
    std::uint32_t alive = 0;
#pragma unroll
    for (std::uint32_t j = 0; j < kRun; ++j) {
      if (j < read && starts[j] >= rarest.offset) alive |= 1U << j;
      if (j < read) starts[j] -= rarest.offset;
    }
    for (std::uint32_t i = 1; i < phrase.words && alive != 0; ++i) {
      const PhraseWord word = words[i];
      goes_on = narrow_starts(lists[word.list], occurrences[word.list].end(), starts, word.offset,
                              walks[i], alive) &&
                goes_on;
    }
    count += __popc(alive);
  }
  return count;
}

}  // namespace warpdex::gpu
