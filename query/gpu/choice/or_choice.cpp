// The rules. Each reads what decides, top to bottom: the first that holds is the reason.
#include "gpu/choice/or_choice.hpp"

#include <algorithm>

#include "gpu/layout/layout.hpp"

namespace warpdex::gpu {
namespace {

/// OR goes by bound only if the competitive blocks take no more than this share of the memory.
constexpr std::size_t kCompetitiveShares = 8;

/// Documents that a round must have room for, for each query of a part, more if k is large. With
/// less room, found documents are not written: each warp looks up what it found.
constexpr std::size_t kFoundShare = std::size_t{1} << 16;
constexpr std::size_t kFoundShareOfMany = kFoundShare / 2 * 3;
constexpr std::uint32_t kManyAnswers = 64;

/// A batch of so many postings may decode its lists once, if they are used so often on average.
constexpr std::size_t kManyPostings = std::size_t{1} << 28;
constexpr std::size_t kStoredUses = 5;
/// To decode a list takes 4 ps a posting (an H200), and lookups in decoded lists save some 0.4 us
/// of a query, so they are worth so many postings of it.
constexpr std::size_t kStoredOfQuery = 100'000;
/// Documents are looked up in decoded lists if there are so many for each answer, in batches of
/// many queries and of fewer. Else too many reach the threshold before it rises: a small batch
/// searches most tiles at the same time. Of 8.8 million documents and 1,000 answers, 6,980 queries
/// take a sixth less time so, and 500 a fifth more.
constexpr std::uint32_t kManyQueries = 2048;
constexpr std::uint64_t kDocumentsOfAnswer = 8192;
constexpr std::uint64_t kDocumentsOfFewQueries = 65'536;

/// Lookups for exact scores that are many for a query.
constexpr std::uint64_t kManyLookups = std::uint64_t{1} << 15;
/// Blocks of a tile that are many, on average, beside those that meet its ends: accumulating so
/// many takes some 130 us.
constexpr std::size_t kFullTile = 1024;
constexpr std::uint32_t kMaxTilePieces = 8;

/// With so many tiles or more, each multiprocessor has several of one query to add up.
constexpr std::uint32_t kManyTiles = 512;

bool is_small(const BatchShape& shape) { return shape.range_blocks < kRangeBlocks; }

bool is_asked(const OrFacts& facts) { return facts.or_by != OrMethod::kByCost; }

bool has_full_tiles(const BatchShape& shape, std::size_t pieces) {
  return shape.or_blocks > kFullTile * pieces * shape.tile_entries;
}

/// Whether exact scores take so many lookups that all multiprocessors should share them: where
/// queries are few, the teams of `finish` would leave most of the GPU idle. Those of huge queries
/// do: `finish` holds fewer lists.
bool shares_scores(const BatchShape& shape, const OrFacts& facts) {
  if (shape.are_huge) return true;
  const std::uint64_t lists = shape.or_lists / shape.segments;  // of all queries
  return shape.or_states > 0 && shape.queries <= kFewQueries &&
         facts.k * lists >= shape.queries * kManyLookups;
}

/// How documents are found. Small batches have few or no rounds, since each takes time.
OrRule find_way(const BatchShape& shape, const OrFacts& facts, const OrMemory& memory) {
  const std::size_t competitive = kBoundClasses * shape.or_blocks * sizeof(CompetitiveBlock);
  if (is_asked(facts)) return OrRule::kRoundsAsked;
  if (facts.attempt > 0) return OrRule::kRoundsAgain;
  if (!is_small(shape)) return OrRule::kRoundsOfMany;
  if (shape.some_add_up) return OrRule::kRoundsToAddUp;
  if (shape.longest_or > kLongQuery) return OrRule::kRoundsOfLong;
  if (competitive > memory.share / kCompetitiveShares) return OrRule::kRoundsForRoom;
  return OrRule::kByBound;
}

/// Two rounds look up more documents than three, but take less time, unless lists are read over
/// the bus.
OrRule find_rounds(const BatchShape& shape, const OrFacts& facts) {
  if (shape.adds_up_only) return OrRule::kTwoToAddUp;
  if (facts.attempt > 0) return OrRule::kThreeAgain;
  if (is_small(shape)) return OrRule::kTwoOfFew;
  return facts.is_resident ? OrRule::kTwoResident : OrRule::kThreeOverBus;
}

OrRule find_lookups(const BatchShape& shape, const OrFacts& facts, const OrMemory& memory) {
  const std::size_t of_query = facts.k > kManyAnswers ? kFoundShareOfMany : kFoundShare;
  const std::size_t wanted = std::min(shape.queries * of_query, shape.or_postings / 4);
  if (facts.attempt > 0) return OrRule::kLookUpAtOnceAgain;
  if (facts.or_by == OrMethod::kFusedLookUp) return OrRule::kLookUpAtOnceAsked;
  return memory.documents < wanted ? OrRule::kLookUpAtOnceForRoom : OrRule::kLookUpApart;
}

/// Why a part adds all tiles up.
OrRule why_added_up(const BatchShape& shape, const OrFacts& facts) {
  if (!kernels_for(shape.form).lookups) return OrRule::kAddUpForm;
  if (facts.or_by == OrMethod::kAccumulate) return OrRule::kAddUpAsked;
  return shape.some_read_all ? OrRule::kAddUpMatches : OrRule::kAddUpLong;
}

/// Whether what may be decoded once is: the postings and their tables take half of a share at most,
/// and kernels can count them by 32 bits.
OrRule find_stored(const BatchShape& shape, const OrFacts& facts, const OrMemory& memory) {
  if (!shape.stores_lists()) return shape.stored_rule;
  if (facts.attempt > 0) return OrRule::kNoneStoredAgain;
  const std::size_t postings = std::size_t{shape.stored_blocks} * kBlockSize;
  const std::size_t starts = std::size_t{shape.stored_rows} * tile_row_entries(facts.tiles);
  const std::size_t items = std::size_t{shape.or_queries} * facts.tiles;
  const std::size_t uses = shape.adds_stored() ? 0
                                               : shape.lists * sizeof(StoredUse) +
                                                     shape.or_queries * sizeof(StoredQuery);
  const bool has_room =
      std::max(postings, starts) < kNone &&
      (postings + starts + items) * sizeof(std::uint32_t) + uses <= memory.share / 2;
  const bool is_wanted = facts.is_resident && has_room && memory.has_stored;
  return is_wanted ? shape.stored_rule : OrRule::kNoneStoredRoom;
}

/// In how many pieces a tile is accumulated, so that each takes some 130 us at most.
std::uint32_t tile_pieces(const BatchShape& shape) {
  std::uint32_t pieces = 1;
  if (shape.queries > kFewQueries) return pieces;
  while (pieces < kMaxTilePieces && has_full_tiles(shape, pieces)) pieces *= 2;
  return pieces;
}

/// In which way decoded lists would be read.
OrRule stored_way(const BatchShape& shape, const OrFacts& facts) {
  if (!kernels_for(shape.form).searched) return OrRule::kAddStoredForm;
  if (!facts.searches_stored) return OrRule::kAddStoredSmall;
  if (shape.or_lists > std::uint64_t{kLongQuery} * shape.or_queries) return OrRule::kAddStoredLong;
  const bool are_many = shape.or_queries >= kManyQueries;
  const std::uint64_t wanted =
      std::uint64_t{facts.k} * (are_many ? kDocumentsOfAnswer : kDocumentsOfFewQueries);
  return is_asked(facts) || facts.documents >= wanted ? OrRule::kSearchStored
                                                      : OrRule::kAddStoredAnswers;
}

}  // namespace

std::uint32_t tile_flags(OrMethod or_by, UnitForm form) {
  std::uint32_t flags = 0;
  if (or_by == OrMethod::kAccumulate || !kernels_for(form).lookups) flags |= kNoLookups;
  if (or_by == OrMethod::kLookUp || or_by == OrMethod::kFusedLookUp) flags |= kNoTiles;
  return flags;
}

bool adds_up_long(OrMethod or_by, std::size_t queries, std::uint32_t tiles, bool has_all_lists) {
  return or_by == OrMethod::kByCost && queries == 1 && tiles >= kManyTiles && has_all_lists;
}

OrRule choose_stored(const BatchShape& shape, const OrFacts& facts) {
  const bool is_asked_for = facts.or_by == OrMethod::kDecodeOnce;
  const std::size_t postings = std::size_t{shape.stored_blocks} * kBlockSize;
  if (shape.segments > 1) return OrRule::kNoneStoredSegments;
  if (shape.has_static) return OrRule::kNoneStoredStatic;
  if (!kernels_for(shape.form).stored) return OrRule::kNoneStoredForm;
  if (shape.adds_up_only) return OrRule::kNoneStoredAddsUp;
  if (is_asked_for) return stored_way(shape, facts);
  if (is_asked(facts)) return OrRule::kNoneStoredAsked;
  if (shape.or_postings < kManyPostings) return OrRule::kNoneStoredFew;
  if (shape.or_postings < kStoredUses * postings) return OrRule::kNoneStoredUses;
  const OrRule way = stored_way(shape, facts);
  const bool is_worth_it = postings <= kStoredOfQuery * shape.or_queries;
  return way == OrRule::kSearchStored && !is_worth_it ? OrRule::kNoneStoredUses : way;
}

OrChoice choose(const BatchShape& shape, const OrFacts& facts, const OrMemory& memory) {
  OrChoice choice;
  const auto obey = [&](OrRule rule) { choice.rules.set(static_cast<std::size_t>(rule)); };
  choice.tile_pieces = tile_pieces(shape);
  choice.shares_scores = shares_scores(shape, facts);
  if (choice.shares_scores) obey(OrRule::kScoresShared);
  const OrRule way = find_way(shape, facts, memory);
  obey(way);
  if (way == OrRule::kByBound) return choice;
  const OrRule rounds = find_rounds(shape, facts);
  const OrRule lookups = find_lookups(shape, facts, memory);
  const OrRule stored = find_stored(shape, facts, memory);
  choice.rounds = rounds < OrRule::kThreeOverBus ? 2 : kRounds;
  choice.has_document_room = lookups == OrRule::kLookUpApart;
  choice.has_stored = stored == shape.stored_rule && shape.stores_lists();
  obey(rounds);
  obey(stored);
  obey(shape.adds_up_only ? why_added_up(shape, facts) : lookups);
  if (choice.tile_pieces > 1) obey(OrRule::kTilesCut);
  return choice;
}

void count(const BatchShape& shape, const OrChoice& choice, OrCounts& counts) {
  if (shape.or_queries == 0) return;
  ++counts.parts;
  counts.queries += shape.or_states;
  counts.lists += shape.or_lists;
  counts.postings += shape.or_postings;
  for (std::size_t rule = 0; rule < kOrRules; ++rule) counts.by_rule[rule] += choice.rules[rule];
}

}  // namespace warpdex::gpu
