// The arguments of the kernels of each stage, by value: pointers to the data that they read and
// write, and counts. place_*() and complete() fill them in. Internal.
#pragma once

#include <cstdint>

#include "gpu/layout/layout.hpp"
#include "scorers/base/unit_form.hpp"

namespace warpdex::gpu {

/// What BM25 knows of each text field, where documents have several.
struct FieldConstants {
  static constexpr std::uint32_t kMost = 8;

  std::uint32_t count;  ///< 0: there is one text, or more than kMost
  float c1[kMost];      ///< by field
};

/// The arguments of the kernels of all stages. Each stage adds its own.
struct Batch {
  const List* lists;
  void* exception_tails;  ///< `pfor` only: two parsed tails a list, of its docIDs and its values
  const Query* queries;   ///< those of AND, then AND's fallbacks, then those of OR
  QueryState* states;
  std::uint32_t* histograms;  ///< kHistogramBins a state
  Candidate* candidates;
  std::uint32_t* first_blocks;  ///< by list and tile: the first block that meets the tile
  WorkCounters* work;           ///< or null
  Lengths lengths;
  const float* static_scores;  ///< or null
  const float* static_bounds;  ///< of each kStaticWindow documents, or null
  /// One bit for each document, set if it was removed, padded with zeros to whole tiles. Null if no
  /// document was removed.
  const std::uint32_t* removed;
  std::uint32_t documents;  ///< where the docIDs end
  std::uint32_t k;          ///< the largest of all queries
  std::uint32_t list_count;
  std::uint32_t and_queries;  ///< with the fallbacks
  UnitForm form;
  float c0;  ///< c0 and c1 of BM25, and c1 of query likelihood, are the same for all terms; query
             ///< likelihood's c0 is not
  float c1;  ///< of several text fields that of any one
  FieldConstants fields;
  bool prefetches_values;  ///< lookups prefetch values while they decode docIDs: in small batches
  bool overlaps_launches;  ///< a kernel may start while the one before ends
  std::uint8_t scorer_number;  ///< ScorerKind, of exact scores
  bool are_huge;               ///< its queries, all of them; else none is

  WARPDEX_HOST_DEVICE ScorerKind scorer() const { return static_cast<ScorerKind>(scorer_number); }
};

/// AND.
struct AndBatch : Batch {
  const BlockRange* and_ranges;
  std::uint32_t and_fallback_queries;  ///< queries of AND that run only if an earlier AND of the
                                       ///< same query matched too few
  std::uint32_t and_range_count;       ///< with those of the fallbacks
  std::uint32_t and_fallback_range_count;  ///< the last of them
  bool has_short_ranges;                   ///< most of them have one block or two
  bool skips_nothing;                      ///< all queries are kExhaustive
};

/// What the shared memory of a CTA that accumulates tiles has room for.
struct TileRoom {
  std::uint32_t tiles;  ///< of an item, 1 to kMaxItemTiles
  bool has_lengths;     ///< the length codes of their documents

  WARPDEX_HOST_DEVICE constexpr std::uint32_t documents() const { return tiles * kTileDocuments; }
};

/// OR before it looks up or accumulates: the tables by tile.
struct OrTables : Batch {
  /// By list and tile, in units: the suffix upper bound of MaxScore. What all later scoring lists
  /// of the query and a static score can add at most.
  std::uint32_t* suffix_bounds;
  std::uint32_t* tile_bounds;  ///< by query and tile: the bound of all its lists; 0: no posting
  std::uint32_t* competitive_tiles;  ///< by list, a bit a tile: block_finder.cuh
  const BlockRange* table_ranges;
  std::uint32_t table_range_count;
  std::uint32_t range_blocks;   ///< kRangeBlocks or less
  std::uint32_t range_threads;  ///< that share a block range: 1 to 8 warps
  std::uint32_t or_queries;
  std::uint32_t tiles;        ///< where the tiles end
  std::uint32_t max_tiles;    ///< of one segment
  std::uint32_t tile_count;   ///< of all queries together
  std::uint32_t tile_pieces;  ///< in how many pieces a tile is accumulated; a power of two
  TileRoom tile_room;
  /// By query in all segments; null where there is one segment.
  const QueryTiles* query_tiles;
  std::uint32_t query_tile_count;
  bool is_one_query;          ///< of OR, in however many segments
  std::uint32_t raise_every;  ///< raise a query's threshold after this many candidates, or k
  std::uint32_t round_count;  ///< of OR, up to kRounds; 0: OR goes by bound, without rounds
};

/// OR in rounds, by lookups and by accumulating tiles.
struct OrRounds : OrTables {
  std::uint8_t* tile_states;  ///< by query and tile
  TileItem* tile_items;
  TileCounters* tile_passes;  ///< kTilePasses
  RoundCounters* rounds;      ///< kRounds
  std::uint32_t* blocks;      ///< that a round reads
  Chunk* block_chunks;
  Candidate* lookup_documents;  ///< that a round looks up, each with its sum so far
  Chunk* document_chunks;
  std::uint32_t max_blocks;  ///< room for this many, and so on
  std::uint32_t max_block_chunks;
  std::uint32_t max_documents;
  std::uint32_t max_document_chunks;
  std::uint32_t chunk_blocks;  ///< of a full chunk of blocks
  bool has_document_room;      ///< found documents are written, and all warps look them up; else
                               ///< each warp looks up what it found
  bool spares_bus;             ///< many lists are read over the bus: each block by few warps

  // Lists that are decoded once for all queries:
  StoredPosting* stored;  ///< kBlockSize for each block, list by list; null: none are
  /// By stored list and tile: the first posting that is not before the tile. A row has
  /// tile_row_entries(tiles).
  std::uint32_t* stored_starts;
  StoredUse* stored_uses;       ///< by list of the batch, where documents are looked up
  StoredQuery* stored_queries;  ///< likewise, by query of OR
  /// Likewise; by row, of the lists with the most postings: the number of the first one, among all
  /// decoded ones; kNone: no query reads the list.
  const std::uint32_t* stored_marked;
  std::uint32_t stored_marked_count;
  std::uint32_t* stored_items;   ///< by tile, or_queries for each: queries of OR
  std::uint32_t* stored_counts;  ///< by tile: queries; of the first round, then of later ones
  const BlockRange* stored_ranges;
  std::uint32_t stored_range_count;
  /// The cost that tiles would save (tile_costs.cuh), before the first round and before the second.
  unsigned long long* stored_saving;
  unsigned long long stored_cost;  ///< what decoding the lists costs
  bool adds_stored;                ///< tiles are added up from them; else they are searched
  bool stores_all;                 ///< decodes them whatever it costs, for comparison
};

/// OR by bound.
struct OrByBound : OrTables {
  CompetitiveBlock* competitive_blocks;  ///< kBoundClasses times max_competitive_blocks
  CompetitiveCounters* competitive_counters;
  std::uint32_t max_competitive_blocks;  ///< room for this many in each class
  std::uint32_t first_phase_blocks;      ///< competitive blocks that the first phase takes, about
};

/// The end of a batch.
struct FinishBatch : Batch {
  /// By state, from the first state of this launch on: the last entry of each query that may have
  /// run.
  const Query* final_queries;
  const std::uint32_t* list_matches;  ///< by state: the matches of a query that is kOneList
  const ListSpan* list_spans;         ///< by state and segment; null where there is one segment
  const SpaceEntry* space;            ///< likewise; by docID / kSpaceDocuments
  std::uint32_t segments;
  unsigned long long* keys;   ///< by candidate: score bits above, inverted docID below
  Hit* hits;                  ///< the answers' hits, best first; k for each slot
  Answer* answers;            ///< by slot
  std::uint32_t state_count;  ///< of this launch
  std::uint32_t ticket;       ///< if the host waits for each answer by it; else 0
  bool has_clusters;          ///< the GPU has thread block clusters
  bool rescores_apart;  ///< exact scores are made by all multiprocessors, before the last kernel
};

/// The arguments of a batch's kernels, by stage. `rounds` serves for the tables of OR, too, also
/// where OR goes by bound.
struct BatchStages {
  AndBatch matching;
  OrRounds rounds;
  OrByBound by_bound;
  FinishBatch finishing;
};

}  // namespace warpdex::gpu
