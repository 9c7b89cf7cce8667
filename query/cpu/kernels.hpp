// The engine's inner loops, in one form for each instruction set of core/cpu_features.hpp. All
// forms give the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex {

/// The value of an accumulator that no posting touched: minus zero. Adding any score, even zero,
/// clears its sign.
inline constexpr float kUntouched = -0.0F;

/// Sums that share a mark: a cache line of them.
inline constexpr std::uint32_t kLineSums = 16;

/// Documents that may enter the answer, and their scores so far.
struct Candidates {
  std::uint32_t* documents;
  float* scores;
};

/// The loops of one scorer.
struct ScorerKernels {
  /// scores[i] = the score of frequencies[i] in document docids[i], for i < count; may compute and
  /// write up to the next multiple of 16, for which docids must be below the number of lengths.
  void (*score)(const TermScorer& scorer, const std::uint32_t* docids,
                const std::uint32_t* frequencies, const std::uint32_t* lengths, std::size_t count,
                float* scores);

  /// bounds[i] = the largest score of blocks[i]'s pairs, without slack for rounding. Null
  /// if pairs do not bound the scorer.
  void (*bound)(const TermScorer& scorer, const ScoreBound* blocks, std::size_t count,
                float* bounds);
};

struct Kernels {
  std::array<ScorerKernels, kScorerKinds> scorers;  ///< by ScorerKind

  const ScorerKernels& of(ScorerKind kind) const { return scorers[static_cast<std::size_t>(kind)]; }

  /// For each of `lines` lines with a mark (a byte that is not 0): appends (first + i, sums[i]) for
  /// its sums that were touched and are at least `need` (0 or more), in order, sets them all to
  /// kUntouched and the mark to 0. `lines` is a multiple of 64. Returns how many were appended;
  /// there is room for 16 more than those.
  std::size_t (*drain_lines)(float* sums, std::uint8_t* marks, std::size_t lines,
                             std::uint32_t first, float need, const Candidates& candidates);

  /// Appends (docids[i], scores[i]) for all i < count with scores[i] >= need, in order. Returns
  /// how many; may read up to the next multiple of 16 and has room for 16 more.
  std::size_t (*select_scores)(const std::uint32_t* docids, const float* scores, std::size_t count,
                               float need, const Candidates& candidates);

  /// The first position with docids[position] >= target. `from` is a position at or before it.
  /// docids has kBlockSize ascending entries, the last of which is not below target; 16 more are
  /// readable.
  std::uint32_t (*seek)(const std::uint32_t* docids, std::uint32_t from, std::uint32_t target);

  /// Finds wanted[0 .. count), which ascend, among docids, which ascend from position `from` on and
  /// end with one that is not below the last wanted; 16 more are readable. Sets matched[j] = i and
  /// positions[j] = p for the j-th i with wanted[i] == docids[p]. Returns how many.
  std::size_t (*intersect)(const std::uint32_t* wanted, std::size_t count,
                           const std::uint32_t* docids, std::uint32_t from, std::uint8_t* matched,
                           std::uint8_t* positions);

  /// How many of the first `count` bits of `bytes` are set; reads up to 8 bytes past them.
  std::uint32_t (*rank)(const std::uint8_t* bytes, std::uint32_t count);
};

/// The forms for this processor.
const Kernels& kernels();

/// Each of these returns one form, for kernels() and for tests. Forms that this processor lacks
/// must not be called.
extern const Kernels kBaselineKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

}  // namespace warpdex
