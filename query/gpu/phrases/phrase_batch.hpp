// What the kernels of phrases read: phrases with their words' lists in every segment. Internal.
#pragma once

#include <cstdint>

#include "gpu/hybrid/hybrid_batch.hpp"
#include "gpu/layout/batch.hpp"
#include "warpdex/query/gpu/gpu_phrases.hpp"

namespace warpdex::gpu {

/// Bins of a phrase's histogram of scores.
inline constexpr std::uint32_t kPhraseBins = 512;

/// Where the positions of a list's word are. Pointers are the GPU's.
struct PositionList {
  const std::uint8_t* bytes;     ///< of the first block; null: a single occurrence
  const std::uint8_t* codes;     ///< of the blocks
  const std::uint16_t* offsets;  ///< likewise, from their group's base; null: there is one block
  const std::uint32_t* bases;    ///< of the groups of blocks but the first
  const std::uint32_t* starts;   ///< by block of postings: occurrences before it; null: one block
  std::uint32_t occurrences;
  std::uint32_t single_position;
};

/// The members of TermScorer that scorers read.
struct PhrasePart {
  float weight;
  float c0;
  float c1;
  float c2;
};

/// A place of a phrase: where its word is to stand.
struct PhraseWord {
  std::uint32_t offset;
  std::uint32_t list;  ///< its number among the lists of the phrase in a segment
};

/// A phrase in all segments.
struct PhraseQuery {
  std::uint64_t first_candidate;  ///< where its candidates start
  std::uint32_t capacity;         ///< the candidates that there is room for: as many as can match
  std::uint32_t first_part;       ///< of PhraseScorer::parts()
  std::uint32_t parts;
  float slack;         ///< PhraseScorer::slack()
  float bin_scale;     ///< a score times this is its bin of the histogram
  bool prunes;         ///< a score rises with the frequency and falls with the length
  bool prunes_blocks;  ///< bounds of the lists' blocks bound it, too
};

/// A phrase in a segment that has all of its words.
struct SegmentPhrase {
  std::uint32_t query;
  std::uint32_t segment;
  std::uint32_t first_list;  ///< its lists, the rarest first
  std::uint32_t lists;       ///< 1 or more: a word may be in it more than once
  std::uint32_t first_word;  ///< its words, the rarest first
  std::uint32_t words;       ///< 2 to kMaxGpuPhraseWords
};

/// Blocks of the rarest word's list.
struct PhraseItem {
  std::uint32_t phrase;  ///< the number of a SegmentPhrase
  std::uint32_t first;   ///< block
};

/// The state of a phrase while the kernels run. All zero before.
struct PhraseState {
  unsigned long long matches;
  std::uint32_t threshold;   ///< documents whose score lies in a bin below this are not wanted
  std::uint32_t candidates;  ///< appended so far
};

/// A document that may be in the answer: the inverted bits of its score above its docID in the
/// snapshot. The better is the smaller.
using PhraseCandidate = unsigned long long;

/// Of Batch it has k, lists, list_count, exception_tails and the scorer.
struct PhraseBatch : Batch {
  const HybridSegment* segments;
  const PositionList* positions;  ///< by list
  const PhraseQuery* phrase_queries;
  const SegmentPhrase* phrases;
  const PhraseWord* words;
  const PhrasePart* parts;
  const PhraseItem* items;
  PhraseState* phrase_states;  ///< by query
  std::uint32_t* bins;         ///< kPhraseBins for each query; zeros before
  PhraseCandidate* found;      ///< by query
  PhraseCandidate* best;       ///< k for each query, best first
  std::uint32_t item_count;
  std::uint32_t item_blocks;  ///< of an item, at most
  std::uint32_t query_count;
  bool counts;  ///< all matches are counted, so no document is passed over
};

}  // namespace warpdex::gpu
