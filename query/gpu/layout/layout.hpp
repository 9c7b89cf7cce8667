// A batch of queries as the kernels read it: lists, queries, what changes while they run, and where
// all of it lies. Filled by batch_builder, read by every kernel of query/gpu/. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/length_codes.hpp"
#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/query/gpu/gpu_stages.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Documents in a tile: what OR bounds scores by, and adds up at a time. A power of two.
inline constexpr std::uint32_t kTileShift = 14;
inline constexpr std::uint32_t kTileDocuments = 1U << kTileShift;
static_assert(kTileDocuments == kRangeDocuments, "an index's bounds of ranges are those of tiles");
/// OR takes a query's tiles in rounds, the most promising first; between two, the threshold rises.
inline constexpr std::uint32_t kRounds = 3;  ///< at most
/// Of a table with an entry a tile, the entries of a query or of a list: those of its tiles and
/// one.
constexpr std::uint32_t tile_row(std::uint32_t tiles) { return tiles + 1; }
/// Bins of a query's histogram of accumulated scores.
inline constexpr std::uint32_t kBins = 1024;
/// What accumulators of 16 bits may reach; the scale of a query is chosen by it.
inline constexpr float kLargestSum = 60'000.F;
/// Distinct terms of a query that the kernels can hold; longer ones are answered by the CPU.
inline constexpr std::uint32_t kMostLists = 64;
/// Postings of a list that is uploaded decoded with its query: those below kBlockSize.
inline constexpr std::uint32_t kRawEntries = 128;
/// Bytes of shared memory that a CTA takes, at most: to sort 10,000 answers.
inline constexpr std::size_t kNeededSharedMemory = 163 << 10;
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
  std::uint32_t row;    ///< where its row of the tile tables starts; kNone: it has none
  std::uint32_t flags;  ///< ListFlags
  std::uint32_t owner;  ///< its query, among those of OR
  std::uint32_t place;  ///< in its query
};

enum QueryFlags : std::uint32_t {
  kCount = 1,       ///< all matches are counted, so nothing is skipped
  kExhaustive = 2,  ///< nothing is skipped, for comparison
  kFallback = 4,    ///< OR only if AND matched less than `least`
  kNoLookups = 8,   ///< OR adds up whole tiles only, for comparison
  kNoTiles = 16,    ///< OR adds up no tile, for comparison
  kOneList = 32,    ///< all postings of its one list match
};
/// Of queries that OR answers by adding up only.
inline constexpr std::uint32_t kAddsUpOnly = kCount | kExhaustive | kNoLookups;

/// One query as one of AND and OR reads it. Lists in canonical order, prohibited ones last.
struct alignas(16) Query {
  std::uint32_t first_list;
  std::uint32_t scoring;  ///< lists that score: the first of its lists
  std::uint32_t lists;    ///< with the prohibited
  std::uint32_t k;
  std::uint32_t flags;       ///< QueryFlags
  std::uint32_t state;       ///< its QueryState
  std::uint32_t slot;        ///< its place among the answers
  std::uint32_t row;         ///< where its row of the tables of queries and tiles starts
  std::uint32_t least;       ///< of AND with OR: AND's matches that suffice, else 0
  std::uint32_t seed;        ///< a threshold to start with, in units
  std::uint32_t cap;         ///< units of a posting, at most; no threshold passes it
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
  unsigned long long matches;
  /// Sum above, inverted docID below: k documents up to this one reach the sum, so that equal sums
  /// behind it do not count. The largest there was.
  unsigned long long tie;
  std::uint32_t fell_back;  ///< OR ran where AND matched too few
  std::uint32_t overflow;   ///< candidates were lost: the answer is of no use
  std::uint32_t highest;    ///< bound of a tile, where OR is done at once
  std::uint32_t lowest;     ///< likewise the threshold before
};

/// A document that may be in the answer, and the sum of its scores in units.
struct Candidate {
  std::uint32_t document;
  std::uint32_t sum;
};

/// Blocks of a list that one CTA looks at, before OR and in its rounds: in large batches and in
/// those that would not fill the GPU. Blocks that one takes of AND's driver.
inline constexpr std::uint32_t kStretchBlocks = 2048;
inline constexpr std::uint32_t kShortStretchBlocks = 256;
inline constexpr std::uint32_t kAndBlocks = 8;

/// Some of a list's blocks: the work item of find_tile_blocks and find_blocks, and of AND.
struct Stretch {
  std::uint32_t owner;  ///< a list; of AND, a query, whose driver's blocks are meant
  std::uint32_t first;  ///< block
  std::uint32_t blocks;
};

/// A tile of a query that is added up, or two neighbours that are added up together.
struct TileItem {
  std::uint32_t query;  ///< among all
  std::uint32_t tile : 30;
  std::uint32_t count : 2;  ///< tiles, from this one on
};
inline constexpr std::uint32_t kMostTogether = 2;

/// What is to be done with a tile of a query: the round it waits for, or one of these.
enum TileState : std::uint8_t {
  kLookupTile = 0x80,  ///< and the round: documents are looked for list by list
  kAddedTile = 0xFE,   ///< it is added up
  kDoneTile = 0xFF,    ///< nothing: it is hopeless
};

/// Some things of a list that one warp takes together: blocks to read, or documents to look up.
struct Chunk {
  std::uint32_t list;
  std::uint32_t first;  ///< in Batch::blocks or Batch::found
  std::uint32_t count;
};

/// Chunks that a kernel makes for the next, and how many that has drawn. There may be less room
/// than is wanted.
struct alignas(8) ChunkCounters {
  std::uint32_t chunks;  ///< this and the next are raised together, as one number
  std::uint32_t things;
  std::uint32_t drawn;
};

/// Queries of OR that have accumulators in global memory at a time, for comparison.
struct Wave {
  std::uint32_t first_query;  ///< among those of OR
  std::uint32_t queries;
  std::uint32_t first_stretch;  ///< of their lists, among Batch::table_stretches
  std::uint32_t stretches;
  bool has_prohibited;  ///< lists
};

/// What a round of OR looks up.
struct RoundCounters {
  ChunkCounters blocks;
  ChunkCounters documents;
};

/// A block whose documents may be in the answer, where OR is done at once.
struct Promise {
  std::uint32_t list;
  std::uint32_t block;
  std::uint32_t bound;  ///< no sum of its documents passes this
};

/// They lie in classes, the most promising first. OR is done in phases: each takes some classes
/// more than the one before, and of their blocks the documents that this left.
inline constexpr std::uint32_t kClasses = 32;
inline constexpr std::uint32_t kPhases = 2;
struct PromiseCounters {
  std::uint32_t counts[kClasses];
  std::uint32_t drawn[kPhases];
  std::uint32_t ended;  ///< CTAs of the first phase
};

/// Likewise tiles that are added up. Those of the first round come first; those of all others are
/// done together, after the last.
struct TileCounters {
  std::uint32_t items;
  std::uint32_t drawn;
};
inline constexpr std::uint32_t kTilePasses = 2;

/// What the host is told of a query, beside its hits.
struct Answer {
  std::uint32_t hits;
  std::uint32_t overflow;   ///< candidates were lost: the answer is of no use
  std::uint32_t fell_back;  ///< and-or: the answer is OR's
  std::uint32_t ticket;     ///< Batch::ticket, written last
  unsigned long long matches;
  std::uint32_t threshold;  ///< the last: where the query can start if it runs again
};

/// Counters of what the kernels did, for people who tune.
struct WorkCounters {
  unsigned long long and_blocks;  ///< decoded to find documents of AND in them
  unsigned long long tiles;       ///< added up
  unsigned long long or_blocks;   ///< whose documents were looked for in other lists, if they could
  unsigned long long lookups;     ///< of a document in a list
  unsigned long long rescored;
  unsigned long long match_cycles[kGpuPhases];  ///< by GpuPhase
  unsigned long long tile_cycles[kGpuPhases];
};

/// All that a kernel needs: passed by value.
struct Batch {
  const List* lists;
  void* tails;           ///< of `pfor`: two parsed tails a list, of docIDs and of values
  const Query* queries;  ///< those of AND, those of AND that come second, those of OR
  const Query* finals;   ///< by state: the last that may have run
  QueryState* states;
  std::uint32_t* histograms;    ///< kBins a state
  std::uint32_t* first_blocks;  ///< by list and tile
  /// By list and tile, in units: what the scoring lists behind this one and a static score add at
  /// most.
  std::uint32_t* rests;
  std::uint32_t* tile_bounds;  ///< by query and tile: of all its lists; 0: no posting
  std::uint8_t* tile_states;   ///< by query and tile
  TileItem* tile_items;
  TileCounters* tile_passes;    ///< kTilePasses
  std::uint32_t* wanted_tiles;  ///< by list: a bit a tile, set where a round may find documents
  RoundCounters* rounds;        ///< kRounds
  Promise* promises;            ///< kClasses times `most_promises`, where OR is done at once
  PromiseCounters* promise_counters;
  std::uint32_t* blocks;  ///< that a round reads
  Chunk* block_chunks;
  Candidate* found;  ///< the documents that a round looks up, with what a list has for them
  Chunk* found_chunks;
  /// An accumulator a document of whole tiles, for each query of a Wave; null if OR needs none.
  std::uint32_t* accumulators;
  Candidate* candidates;
  unsigned long long* keys;  ///< by candidate: score bits above, inverted docID below
  Hit* hits;                 ///< what is returned, best first
  Answer* answers;           ///< by slot; hits likewise, k each
  const Stretch* table_stretches;
  const Stretch* and_stretches;
  WorkCounters* work;  ///< or null
  Lengths lengths;
  const float* static_scores;  ///< or null
  const float* static_bounds;  ///< of each kStaticWindow documents, or null
  std::uint32_t documents;
  std::uint32_t k;  ///< of all queries
  std::uint32_t list_count;
  std::uint32_t and_queries;     ///< with those that come second
  std::uint32_t second_queries;  ///< that come second
  std::uint32_t or_queries;
  std::uint32_t accumulated_queries;  ///< of a Wave, at most
  std::uint32_t state_count;
  std::uint32_t table_stretch_count;
  std::uint32_t and_stretch_count;     ///< with those of the second
  std::uint32_t second_stretch_count;  ///< the last of them
  std::uint32_t tiles;                 ///< of the collection
  std::uint32_t most_promises;
  std::uint32_t most_blocks;  ///< that there is room for, and so on
  std::uint32_t most_block_chunks;
  std::uint32_t most_found;  ///< documents
  std::uint32_t most_found_chunks;
  std::uint32_t round_count;     ///< of OR, to kRounds; 0: it is done at once
  std::uint32_t raise_every;     ///< candidates, or k: when a query's threshold is raised
  std::uint32_t first_promises;  ///< blocks that the first phase takes of all, about
  std::uint32_t chunk_blocks;    ///< of a full chunk of blocks
  std::uint32_t stretch_blocks;  ///< kStretchBlocks or less
  std::uint32_t pfor_levels;
  std::uint32_t ticket;    ///< if the host waits for each answer by it; else 0
  bool has_clusters;       ///< the GPU has
  bool has_found_room;     ///< what is found is looked up by all; else by the warp that found it
  bool spares_bus;         ///< many lists are read over the bus: each block by few warps
  bool skips_nothing;      ///< all queries are kExhaustive
  bool overlaps_launches;  ///< kernels start while the one before ends, as the GPU can
  ScoreForm form;
  float c0;  ///< of BM25 and likelihood: the same for all terms, but for
  float c1;  ///< likelihood's c0
};

}  // namespace warpdex::gpu
