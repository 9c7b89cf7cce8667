// Decides how a part of a batch answers OR: the one place that does, before its kernels run. What
// depends on thresholds is left to kernels: whether a tile is looked up or added up, and whether
// decoding lists once pays (kernels/or/tile_costs.cuh). Plain C++ that is in every build. Internal.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "gpu/layout/batch_shape.hpp"
#include "scorers/base/unit_form.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/or_rules.hpp"

namespace warpdex::gpu {

/// A batch of more queries fills the GPU anyway.
inline constexpr std::uint32_t kFewQueries = 16;
/// A query with more terms is long: lookups may cost far more than accumulating. Over 25 million
/// documents, lookups take a third less time with 9 terms for ten answers, and a quarter more with
/// 16 terms for a thousand.
inline constexpr std::uint32_t kLongQuery = 12;
/// With fewer postings, a batch is small: each kernel's latency takes most of the time, and long
/// block ranges would not fill the GPU.
inline constexpr std::uint64_t kSmallBatchPostings = std::uint64_t{1} << 26;

/// What decides beside the shape: of the search, and of the index.
struct OrFacts {
  std::uint32_t k = 0;        ///< the largest of all queries
  std::uint32_t attempt = 0;  ///< 0: the first
  OrMethod or_by = OrMethod::kByCost;
  std::uint64_t documents = 0;
  std::uint32_t tiles = 0;      ///< where the tiles end
  bool is_resident = true;      ///< all lists are in GPU memory
  bool searches_stored = true;  ///< the GPU has the shared memory to look up in decoded lists
};

/// What there is memory for. What is not known yet is unlimited.
struct OrMemory {
  static constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

  std::size_t share = kUnlimited;      ///< bytes that the part may take
  std::size_t documents = kUnlimited;  ///< between the kernels that find and that look up
  bool has_stored = true;              ///< decoded lists fit beside all else
};

/// What was chosen, and why.
struct OrChoice {
  std::uint32_t rounds = 0;        ///< kRounds or fewer; 0: by bound, without rounds
  bool has_document_room = false;  ///< found documents are written, and all warps look them up
  bool has_stored = false;         ///< lists are decoded once, as the shape says
  bool shares_scores = false;      ///< all multiprocessors share the exact scores
  std::uint32_t tile_pieces = 1;   ///< in how many a tile is accumulated; a power of two
  std::bitset<kOrRules> rules;     ///< by OrRule; one of each group that matters

  bool is_by_bound() const { return rounds == 0; }
};

/// Flags of all queries of a part: which ways to answer a tile they have, kNoLookups and kNoTiles.
std::uint32_t tile_flags(OrMethod or_by, UnitForm form);
/// Whether a part of so many queries adds all `tiles` of a long one up (kLongQuery): where it is
/// alone, and each multiprocessor has several tiles to take. Over 25 million documents, k 10, 30 to
/// 60 terms take 347 us so, and 439 where tiles are looked up, too (H200).
bool adds_up_long(OrMethod or_by, std::size_t queries, std::uint32_t tiles, bool has_all_lists);

/// Whether lists may be decoded once for all queries, in which way, and why. Sizes of the decoded
/// lists that are 0 are not known yet. The GPU weighs later whether it pays.
OrRule choose_stored(const BatchShape& shape, const OrFacts& facts);

/// All the rest. `shape` says what may be decoded once, by choose_stored(). O(1).
OrChoice choose(const BatchShape& shape, const OrFacts& facts, const OrMemory& memory);

/// Counts a part that was answered so.
void count(const BatchShape& shape, const OrChoice& choice, OrCounts& counts);

}  // namespace warpdex::gpu
