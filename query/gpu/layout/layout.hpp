// A batch of queries as the kernels read it: its lists, its queries, their state while the kernels
// run, and work items. batch_builder fills it in; batch.hpp has the pointers to it. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/length_codes.hpp"
#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/indexer/format/score_bound.hpp"
#include "warpdex/query/gpu/gpu_stages.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex::gpu {

/// Documents of a tile, a power of two. OR has upper bounds for each tile and may accumulate one
/// whole tile at a time.
inline constexpr std::uint32_t kTileShift = 14;
inline constexpr std::uint32_t kTileDocuments = 1U << kTileShift;
static_assert(kTileDocuments == kRangeDocuments, "the index stores its range bounds by tile");
/// A snapshot's segments lie in one space of docIDs, each from a multiple of this on, so that a
/// tile, and a word of bits by tile, belongs to one segment. Kernels see these *spaced* docIDs
/// alone.
inline constexpr std::uint32_t kSpaceShift = kTileShift + 5;
inline constexpr std::uint32_t kSpaceDocuments = 1U << kSpaceShift;
/// OR takes a query's tiles in this many rounds at most, those with the highest bounds first. The
/// threshold rises between two rounds.
inline constexpr std::uint32_t kRounds = 3;
/// Entries of one list or query in a table by tile: one for each tile, and one more.
constexpr std::uint32_t tile_row_entries(std::uint32_t tiles) { return tiles + 1; }
/// Bins of a query's histogram of sums.
inline constexpr std::uint32_t kHistogramBins = 1024;
/// The scale of a query is chosen so that no sum in a 16-bit accumulator exceeds this.
inline constexpr float kMaxSum = 60'000.F;
/// Likewise for huge queries, whose accumulators have 32 bits. A sum of `n` floats is off by
/// n * 2^-24 of itself at most: so by half a unit for each, where sums go up to this. It is also
/// the most that a posting may count.
inline constexpr float kMaxHugeSum = 1U << 23;
/// Lists of a query that kernels hold at a time. A query with more is *huge*: its lists are taken
/// in groups of so many, one after the other.
inline constexpr std::uint32_t kMaxLists = 64;
/// DocIDs of a raw list: a list of fewer than kBlockSize postings is decoded on the host, and
/// uploaded with the index or with its query.
inline constexpr std::uint32_t kRawEntries = 128;
/// Those of both its parts: docIDs, then values.
inline constexpr std::uint32_t kRawListEntries = 2 * kRawEntries;
/// Bytes of shared memory that a CTA may have on the smallest GPU, a T4. Where there are more,
/// kernels take larger shapes.
inline constexpr std::size_t kLeastSharedMemory = 64 << 10;
/// "No block" in a table of blocks, "no document" in a list of candidates.
inline constexpr std::uint32_t kNone = 0xFFFFFFFFU;

enum ListFlags : std::uint32_t {
  kRaw = 1,              ///< docids.bytes and frequencies.bytes point to kRawEntries plain numbers
  kRequired = 2,         ///< a match must have the term
  kProhibited = 4,       ///< a match must not have the term
  kHugeFrequencies = 8,  ///< some frequency may be 2^23 or more
};

/// One distinct term of one query.
struct alignas(16) List {
  device::DeviceValues docids;
  device::DeviceValues frequencies;
  const std::uint32_t* last_docids;     ///< by block
  const ScoreBound* bounds;             ///< by block; null for a raw list
  const ScoreBound* tile_score_bounds;  ///< by tile, or null
  std::uint32_t blocks;
  std::uint32_t size;  ///< postings
  float weight;        ///< weight, c0 and c1 are those of TermScorer
  float c0;
  float c1;
  float bound;             ///< no posting scores more
  std::uint32_t tile_row;  ///< its row in the tables by list and tile starts here, at the entry
                           ///< that tile 0 would have; kNone: it has none
  std::uint16_t flags;     ///< ListFlags
  std::uint8_t rank;       ///< its number among the lists of its query; not read of a huge one
  std::uint8_t field;      ///< its text field; 0 where documents have one text
  std::uint32_t or_query;  ///< its query's number among those of OR
  std::uint32_t first_document;  ///< the first docID of its segment
  std::uint32_t stored_block;    ///< its first block among those decoded once for all queries
  std::uint32_t stored_row;      ///< its row in stored_starts
  float c2;                      ///< of TermScorer
};

enum QueryFlags : std::uint32_t {
  kCount = 1,          ///< all matches are counted, so nothing is skipped
  kExhaustive = 2,     ///< nothing is skipped, for comparison
  kFallback = 4,       ///< it runs only if AND matched fewer than `min_matches`
  kNoLookups = 8,      ///< OR accumulates whole tiles only: for scorers without kernels for lookups
  kNoTiles = 16,       ///< OR accumulates no tile, for comparison
  kOneList = 32,       ///< all postings of its one list match
  kCodedLengths = 64,  ///< no document is too long for a length code: each is off by 1/17 at most
  kStored = 128,       ///< its lists are decoded once for all queries of the batch that have them
};
/// OR answers queries with one of these flags by accumulating tiles only.
inline constexpr std::uint32_t kAddsUpOnly = kCount | kExhaustive | kNoLookups;

/// One query in one segment, as AND or OR reads it. Its lists are in canonical order, prohibited
/// ones last. In all segments it has the same state, place for candidates, k, threshold and scale.
struct alignas(16) Query {
  std::uint32_t first_list;
  std::uint32_t scoring_lists;  ///< lists that score: the first of its lists
  std::uint32_t list_count;     ///< all its lists, prohibited ones too
  std::uint32_t k;
  std::uint32_t flags;               ///< QueryFlags
  std::uint32_t state;               ///< the number of its QueryState
  std::uint32_t slot;                ///< its place among the answers
  std::uint32_t tile_row;            ///< as List::tile_row, in the tables by query and tile
  std::uint32_t first_tile;          ///< of its segment; a multiple of 32
  std::uint32_t end_tile;            ///< of its segment
  std::uint32_t min_matches;         ///< AND with OR: with fewer matches of AND, OR runs; else 0
  std::uint32_t seed_threshold;      ///< the threshold to start with, in units
  std::uint32_t unit_cap;            ///< a posting counts no more units; no threshold exceeds it
  float scale;                       ///< units of a score of 1
  float static_scale;                ///< units of a static score of 1; 0 if there are none
  std::uint32_t bin_shift;           ///< units >> bin_shift is the bin of the histogram
  std::uint32_t rounding_slack;      ///< units that rounding may put a sum above its score
  float weight_units;                ///< the sum of its lists' weights, in units
  std::uint32_t first_candidate;     ///< where its candidates start
  std::uint32_t candidate_capacity;  ///< how many candidates there is room for
};
static_assert(sizeof(Query) == 80);

/// The scoring lists of a query in one segment.
struct ListSpan {
  std::uint32_t first;
  std::uint32_t count;
};

/// Documents [i * kSpaceDocuments, (i + 1) * kSpaceDocuments) of a snapshot, by spaced docID.
struct SpaceEntry {
  std::uint32_t segment;  ///< the number of their segment
  std::uint32_t shift;    ///< the spaced docID minus the docID
};

/// The state of a query, which the kernels change. All zero before the first kernel.
struct QueryState {
  std::uint32_t threshold;   ///< a document with a smaller sum is not among the k best
  std::uint32_t candidates;  ///< appended so far; above the capacity, some were lost
  unsigned long long matches;
  /// High half: a sum. Low half: an inverted docID. k documents up to this docID reach the sum, so
  /// documents behind it with the same sum do not count. The largest such pair so far.
  unsigned long long tie;
  std::uint32_t fell_back;        ///< OR ran since AND matched too few
  std::uint32_t overflow;         ///< candidates were lost: the answer must not be used
  std::uint32_t max_tile_bound;   ///< of all tiles, where OR goes by bound
  std::uint32_t start_threshold;  ///< the threshold before OR, where OR goes by bound
};

/// A document that may be in the answer, with the sum of its scores in units.
struct Candidate {
  std::uint32_t document;
  std::uint32_t sum;
};

/// Blocks of a list that one CTA examines before OR and in its rounds: in large batches, and in
/// batches with too few postings to fill the GPU. Then, blocks of AND's driver that one CTA takes.
inline constexpr std::uint32_t kRangeBlocks = 2048;
inline constexpr std::uint32_t kShortRangeBlocks = 256;
inline constexpr std::uint32_t kAndBlocks = 8;

/// Neighbouring blocks of a list: the work item of find_tile_blocks and find_blocks, and of AND.
struct BlockRange {
  std::uint32_t owner;  ///< the list; for AND the query, whose driver's blocks are meant
  std::uint32_t first;  ///< block
  std::uint32_t blocks;
};

/// One or two neighbouring tiles of a query that are accumulated together.
struct TileItem {
  std::uint32_t query;      ///< its number among all queries
  std::uint32_t tile : 30;  ///< the first
  std::uint32_t count : 2;  ///< tiles
};
inline constexpr std::uint32_t kMaxItemTiles = 2;

/// A posting that is decoded once for all queries of a batch. The low kStoredShift bits are twice
/// its document's number in its tile: the place of the document's accumulator, in bytes. The bits
/// above depend on how scores are computed. An impact lies from bit kStoredImpactShift on. For BM25
/// they are the share of the list's weight that the posting scores, rounded up to a multiple of
/// 2^-(32 - kStoredShift). A share of 1 has no room: it becomes the largest that has.
using StoredPosting = std::uint32_t;
inline constexpr std::uint32_t kStoredShift = kTileShift + 1;
inline constexpr std::uint32_t kStoredImpactShift = 24;
/// Read as a number of 32 bits, a posting of BM25 has a share that is too large by 2.2 times its
/// last digit at most. So with weights up to this, in units, a posting counts no more than
/// rounding_slack allows. Where shares of 1 have lost a last digit, a document's sum may be below
/// its score by kMaxSum of these digits, which is less than half a unit. All thresholds are lower
/// by one unit at least.
inline constexpr float kMaxStoredWeight = 1U << (32 - kStoredShift);
/// A tile is accumulated from such postings if its scoring lists have no more chunks of 128 there.
inline constexpr std::uint32_t kMaxStoredChunks = 512;

/// Lists of a query whose documents are looked up in decoded lists, at most: a warp knows one a
/// lane.
inline constexpr std::uint32_t kMaxSearchedLists = 32;
/// The most of these lists that are marked in bit sets.
inline constexpr std::uint32_t kMaxMarked = 96;

/// A list of a query whose documents are looked up in decoded lists.
struct alignas(16) StoredUse {
  std::uint32_t first;     ///< the number of its first posting, among all decoded ones
  std::uint32_t row;       ///< List::stored_row
  std::uint32_t weight;    ///< stored_weight()
  std::uint32_t tile_row;  ///< List::tile_row
};

/// A query whose documents are looked up in decoded lists.
struct alignas(16) StoredQuery {
  std::uint32_t first_list;
  std::uint32_t lists;     ///< low 16 bits: the scoring lists; high 16 bits: all lists
  std::uint32_t tile_row;  ///< this and the next members are those of Query
  std::uint32_t state;
  std::uint32_t seed_threshold;
  std::uint32_t unit_cap;
};

/// A query of OR in all segments: its tiles lie side by side in the tables by query and tile.
struct QueryTiles {
  std::uint32_t query;  ///< its number among those of OR in the first of the segments
  std::uint32_t begin;  ///< the entry of its first tile
  std::uint32_t tiles;
};

/// What happens to a tile of a query: the number of the round it waits for, or one of these.
enum TileState : std::uint8_t {
  kLookupTile = 0x80,  ///< plus the round: its documents are looked up list by list
  kStoredTile = 0xFD,  ///< it is answered from lists that are decoded once for all queries
  kAddedTile = 0xFE,   ///< it is accumulated
  kDoneTile = 0xFF,    ///< nothing: its bound is below the threshold
};

/// Items of a list that one warp takes together: blocks to read, or documents to look up.
struct Chunk {
  std::uint32_t list;
  std::uint32_t first;  ///< in OrRounds::blocks or lookup_documents
  std::uint32_t count;
};

/// Counts the chunks that one kernel makes and the next one takes. More may be counted than there
/// is room for.
struct alignas(8) ChunkCounters {
  std::uint32_t chunks;  ///< raised together with `items`, as one 64-bit number
  std::uint32_t items;
  std::uint32_t taken;  ///< chunks, by the next kernel
};

/// The work of one round of OR.
struct RoundCounters {
  ChunkCounters blocks;
  ChunkCounters documents;
};

/// A block that may hold documents of the answer, where OR goes by bound.
struct CompetitiveBlock {
  std::uint32_t list;
  std::uint32_t block;
  std::uint32_t bound;  ///< no sum of its documents exceeds this
};

/// Competitive blocks lie in classes by their bound, the highest first. OR by bound has two phases.
/// The first takes the blocks of the first classes; of a single query only those documents that can
/// reach the bounds of these classes. The second takes all other blocks and documents.
inline constexpr std::uint32_t kBoundClasses = 32;
inline constexpr std::uint32_t kPhases = 2;
struct CompetitiveCounters {
  std::uint32_t counts[kBoundClasses];
  std::uint32_t taken[kPhases];
  std::uint32_t finished_ctas;  ///< of the first phase
};

/// Counts the tiles to accumulate in one of two passes: those of the first round, and those of all
/// other rounds, which are accumulated together after the last.
struct TileCounters {
  std::uint32_t items;
  std::uint32_t taken;
};
inline constexpr std::uint32_t kTilePasses = 2;

/// A query's answer to the host, beside its hits.
struct Answer {
  std::uint32_t hits;
  std::uint32_t overflow;   ///< candidates were lost: the answer must not be used
  std::uint32_t fell_back;  ///< AND with OR: the answer is OR's
  std::uint32_t ticket;     ///< FinishBatch::ticket, written last
  unsigned long long matches;
  std::uint32_t threshold;  ///< the last one: the query can start with it if it runs again
};

/// Counts the work of the kernels, for measurements.
struct WorkCounters {
  unsigned long long and_blocks;  ///< decoded to find documents of AND in them
  unsigned long long tiles;       ///< accumulated
  unsigned long long or_blocks;   ///< decoded to look their documents up in other lists
  unsigned long long lookups;     ///< of a document in a list
  unsigned long long rescored;
  unsigned long long match_cycles[kGpuPhases];  ///< by GpuPhase
  unsigned long long tile_cycles[kGpuPhases];
};

}  // namespace warpdex::gpu
