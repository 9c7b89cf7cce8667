// The engine's inner loops, in one form for each instruction set of core/cpu_features.hpp. All
// forms give the same bits.
#pragma once

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

struct Kernels {
  /// scores[i] = BM25 of frequencies[i] in document docids[i], for i < count; may compute and write
  /// up to the next multiple of 16, for which docids must be below the number of lengths.
  void (*score_bm25)(const TermScorer& scorer, const std::uint32_t* docids,
                     const std::uint32_t* frequencies, const std::uint32_t* lengths,
                     std::size_t count, float* scores);

  /// bounds[i] = the largest BM25 score of blocks[i]'s pairs, without slack for rounding.
  void (*bound_bm25)(const TermScorer& scorer, const ScoreBound* blocks, std::size_t count,
                     float* bounds);

  /// The same for impacts: scores[i] = weight * impacts[i]; bounds[i] = weight * the largest
  /// impact.
  void (*score_impacts)(const TermScorer& scorer, const std::uint32_t* impacts, std::size_t count,
                        float* scores);
  void (*bound_impacts)(const TermScorer& scorer, const ScoreBound* blocks, std::size_t count,
                        float* bounds);

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
