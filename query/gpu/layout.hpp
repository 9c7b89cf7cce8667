// A batch of queries as the kernels read it: lists, queries, what changes while they run, and where
// all of it lies. Filled by batch_builder, read by every kernel of query/gpu/. Internal.
#pragma once

#include <cstdint>

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/query/engine.hpp"

namespace warpdex::gpu {

/// Documents in a tile: the work item of OR. A power of two.
inline constexpr std::uint32_t kTileShift = 14;
inline constexpr std::uint32_t kTileDocuments = 1U << kTileShift;
static_assert(kTileDocuments == kRangeDocuments, "an index's bounds of ranges are those of tiles");
/// Documents in a region: what a query's work on OR is shared out by. Where a query has few
/// postings to add up there, all of it is done at once, else tile by tile.
inline constexpr std::uint32_t kRegionShift = 16;
inline constexpr std::uint32_t kRegionDocuments = 1U << kRegionShift;
inline constexpr std::uint32_t kRegionTiles = kRegionDocuments / kTileDocuments;
/// Bins of a query's histogram of accumulated scores.
inline constexpr std::uint32_t kBins = 1024;
/// What accumulators of 16 bits may reach; the scale of a query is chosen by it.
inline constexpr float kLargestSum = 60'000.F;
/// Distinct terms of a query that the kernels can hold; longer ones are answered by the CPU.
inline constexpr std::uint32_t kMostLists = 64;
/// Postings of a list that is uploaded decoded with its query: those below kBlockSize.
inline constexpr std::uint32_t kRawEntries = 128;
/// "No block" in a table of blocks, "no document" in a list of candidates.
inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

/// How scores are computed; the values of an impact index are scores already.
enum class ScoreForm : std::uint32_t { kImpact, kBm25, kQueryLikelihood };

enum ListFlags : std::uint32_t {
  kRaw = 1,         ///< docids and frequencies.bytes point to 128 plain numbers, as read_raw says
  kRequired = 2,    ///< a match must have it
  kProhibited = 4,  ///< a match must not have it
  kHugeFrequencies = 8,  ///< some may be 2^23 and more
};

/// One distinct term of one query.
struct alignas(16) List {
  device::DeviceValues docids;
  device::DeviceValues frequencies;
  const std::uint32_t* last_docids;  ///< of this list's blocks
  const ScoreBound* bounds;          ///< of this list's blocks; null for a raw list
  const ScoreBound* range_bounds;    ///< of each kTileDocuments documents, or null
  std::uint32_t blocks;
  std::uint32_t size;  ///< postings
  float weight;        ///< of TermScorer, as are c0 and c1
  float c0;
  float c1;
  float bound;          ///< no posting scores more
  std::uint32_t row;    ///< where its row of the tile tables starts
  std::uint32_t flags;  ///< ListFlags
};

enum QueryFlags : std::uint32_t {
  kCount = 1,       ///< all matches are counted, so nothing is skipped
  kExhaustive = 2,  ///< nothing is skipped, for comparison
  kFallback = 4,    ///< OR only if AND matched less than `least`
};

/// One query as one of AND and OR reads it. Lists in canonical order, prohibited ones last.
struct alignas(16) Query {
  std::uint32_t first_list;
  std::uint32_t scoring;  ///< lists that score: the first of its lists
  std::uint32_t lists;    ///< with the prohibited
  std::uint32_t k;
  std::uint32_t flags;       ///< QueryFlags
  std::uint32_t state;       ///< its QueryState
  std::uint32_t slot;        ///< its place among the answers
  std::uint32_t regions;     ///< of OR; 0: nothing to do
  std::uint32_t order;       ///< where its row of the order of regions starts
  std::uint32_t least;       ///< kFallback: AND's matches that suffice
  std::uint32_t seed;        ///< a threshold to start with, in units
  float scale;               ///< units a score of 1 has in an accumulator
  float static_scale;        ///< likewise of a static score; 0 where there are none
  std::uint32_t bin_shift;   ///< units to bins of the histogram
  std::uint32_t slack;       ///< units that a sum may be above its score by rounding
  float weights;             ///< of its lists, together, in units
  std::uint32_t candidates;  ///< where its candidates start
  std::uint32_t capacity;    ///< how many there may be
  std::uint32_t
      lengths_are_coded;  ///< no document is too long for a code: each is off by 1/17 at most
};

/// What the kernels find out about a query. Zero before the first.
struct QueryState {
  std::uint32_t threshold;   ///< sums below it cannot be among the k best
  std::uint32_t candidates;  ///< appended; above the capacity some were lost
  std::uint32_t survivors;   ///< candidates left for exact scores
  unsigned long long matches;
  /// Sum above, inverted docID below: the tile or region that starts there has k documents that
  /// reach the sum, so that equal sums in those behind it do not count. The largest there was.
  unsigned long long tie;
  std::uint32_t fell_back;  ///< OR ran where AND matched too few
  std::uint32_t overflow;   ///< candidates were lost: the answer is of no use
};

/// A document that may be in the answer, and the sum of its scores in units.
struct Candidate {
  std::uint32_t document;
  std::uint32_t sum;
};

/// Blocks that one CTA takes of a list when it finds tiles' blocks; of AND's driver.
inline constexpr std::uint32_t kStretchBlocks = 2048;
inline constexpr std::uint32_t kAndBlocks = 8;

/// Some of a list's blocks: the work item of find_tile_blocks, and of AND.
struct Stretch {
  std::uint32_t owner;  ///< a list; of AND, a query, whose driver's blocks are meant
  std::uint32_t first;  ///< block
};

/// What the host is told of a query, beside its hits.
struct Answer {
  std::uint32_t hits;
  std::uint32_t overflow;   ///< candidates were lost: the answer is of no use
  std::uint32_t fell_back;  ///< and-or: the answer is OR's
  std::uint32_t padding;
  unsigned long long matches;
};

/// Counters of what the kernels did, for people who tune.
struct WorkCounters {
  unsigned long long and_blocks;  ///< decoded to find documents of AND in them
  unsigned long long tiles;       ///< not skipped
  unsigned long long rescored;
};

/// All that a kernel needs: passed by value.
struct Batch {
  const List* lists;
  const Query* queries;  ///< those of AND, those of AND that come second, those of OR
  const Query* finals;   ///< by state: the last that may have run
  QueryState* states;
  std::uint32_t* histograms;     ///< kBins a state
  std::uint32_t* first_blocks;   ///< by list and tile
  std::uint32_t* upper_bounds;   ///< by list and tile, in units; 0: no posting
  std::uint32_t* region_order;   ///< by query: regions, the most promising first
  std::uint32_t* region_bounds;  ///< by query and region, in units
  Candidate* candidates;
  unsigned long long* keys;  ///< by candidate: score bits above, inverted docID below
  Hit* hits;                 ///< what is returned, best first
  Answer* answers;           ///< by slot; hits likewise, k each
  const Stretch* table_stretches;
  const Stretch* and_stretches;
  std::uint32_t* counters;  ///< one a kernel that draws its items from it
  WorkCounters* work;       ///< or null
  const std::uint32_t* lengths;
  const std::uint8_t* length_codes;  ///< by docID, padded to whole tiles
  const float* static_scores;        ///< or null
  const float* static_bounds;        ///< of each kStaticWindow documents, or null
  std::uint32_t documents;
  std::uint32_t k;               ///< of all queries
  std::uint32_t and_queries;     ///< with those that come second
  std::uint32_t second_queries;  ///< that come second
  std::uint32_t or_queries;
  std::uint32_t state_count;
  std::uint32_t table_stretch_count;
  std::uint32_t and_stretch_count;     ///< with those of the second
  std::uint32_t second_stretch_count;  ///< the last of them
  std::uint32_t regions;               ///< of each query of OR
  std::uint32_t pfor_levels;
  ScoreForm form;
  float c0;  ///< of BM25 and likelihood: the same for all terms, but for
  float c1;  ///< likelihood's c0
};

}  // namespace warpdex::gpu
