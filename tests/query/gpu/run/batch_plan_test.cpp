// Plans of parts of random shapes: their pieces fit the memory, do not overlap, and have room for
// what kernels rely on.
#include "gpu/run/batch_plan.hpp"

#include <algorithm>
#include <limits>

#include "gpu/batch/batch_image.hpp"
#include "gpu/kernels/kernels.cuh"
#include "gpu/run/batch_places.hpp"
#include "tests/support.hpp"

namespace warpdex::gpu {
namespace {

using Random = std::mt19937_64;

std::uint32_t up_to(Random& random, std::uint64_t most) {
  return static_cast<std::uint32_t>(random() % (most + 1));
}

/// Of any size, small ones as often as large ones.
std::uint32_t some(Random& random, std::uint32_t bits) {
  return up_to(random, (std::uint64_t{1} << up_to(random, bits)) - 1);
}

struct Case {
  PlannedCollection collection;
  GpuAblation ablation;
  BatchShape shape;
  std::uint32_t queries;
  std::uint32_t k;
  std::uint32_t attempt;
  std::size_t share;

  explicit Case(Random& random) {
    collection.documents = 1 + some(random, 25);
    collection.codec = random() % 2 == 0 ? CodecKind::kPfor : CodecKind::kRice;
    collection.is_resident = random() % 4 != 0;
    ablation.or_by = static_cast<OrMethod>(up_to(random, 3));
    ablation.time_stages = random() % 4 == 0;
    const auto tiles = static_cast<std::uint32_t>(collection.documents / kTileDocuments + 1);
    queries = 1 + some(random, 11);
    k = 1 + up_to(random, random() % 2 == 0 ? 9 : kMaxK - 1);
    attempt = up_to(random, kMaxRetries);
    shape.queries = queries;
    shape.or_queries = up_to(random, queries);
    shape.or_states = shape.or_queries;
    shape.and_queries = queries - shape.or_queries;
    shape.or_lists = shape.or_queries * (1 + up_to(random, 4));
    shape.lists = shape.or_lists + shape.and_queries;
    shape.or_blocks = std::size_t{shape.or_lists} * (1 + some(random, 12));
    shape.or_postings = shape.or_blocks * kBlockSize;
    shape.range_blocks = random() % 2 == 0 ? kRangeBlocks : kShortRangeBlocks;
    shape.table_ranges =
        shape.or_lists + static_cast<std::uint32_t>(shape.or_blocks / shape.range_blocks);
    shape.row_entries = shape.or_lists * tile_row_entries(tiles);
    shape.tile_entries = shape.or_queries * tiles;
    shape.adds_up_only = random() % 4 == 0;
    shape.some_add_up = shape.adds_up_only || random() % 4 == 0;
    shape.longest_or = 1 + up_to(random, 24);
    if (random() % 2 == 0) {
      shape.stored_rows = 1 + up_to(random, shape.or_lists);
      shape.stored_blocks = shape.stored_rows + some(random, 20);
      shape.stored_ranges = shape.stored_rows + shape.stored_blocks / kShortRangeBlocks;
      shape.stored_rule = random() % 2 == 0 ? OrRule::kSearchStored : OrRule::kAddStoredLong;
      shape.stored_marked = shape.adds_stored() ? 0 : std::min(shape.stored_rows, kMaxMarked);
    }
    share = std::size_t{1} << (20 + up_to(random, 14));
  }

  BatchPlan plan() const { return plan_with(share); }
  BatchPlan plan_with(std::size_t bytes) const {
    return BatchPlanner(collection, ablation).plan(shape, queries, k, attempt, bytes);
  }
};

std::size_t bytes_of(const BatchPlan& plan) {
  BatchStages places{};
  return plan.image_bytes + place_cleared(nullptr, plan, places) +
         place_tables(nullptr, plan, places) + place_documents(nullptr, plan, places);
}

void check_stored(const Case& given, const BatchPlan& plan) {
  const BatchShape& wanted = given.shape;
  if (plan.shape.stored_rows == 0) {
    EXPECT_EQ(plan.shape.stored_blocks + plan.shape.stored_ranges, 0U);
    EXPECT_EQ(plan.shape.stored_marked, 0U);
    return;
  }
  EXPECT_EQ(plan.shape.stored_rows, wanted.stored_rows);
  EXPECT_EQ(plan.shape.stored_blocks, wanted.stored_blocks);
  EXPECT_EQ(plan.shape.stored_ranges, wanted.stored_ranges);
  EXPECT_EQ(plan.shape.stored_marked, wanted.stored_marked);
  EXPECT_EQ(given.attempt, 0U);
  EXPECT_TRUE(given.collection.is_resident);
  EXPECT_LE(std::size_t{wanted.stored_blocks} * kBlockSize * sizeof(StoredPosting),
            given.share / 2);
  EXPECT_LE(bytes_of(plan), given.share);  // else the part would have to be cut for them
}

void check_method(const Case& given, const BatchPlan& plan) {
  const bool may_go_by_bound =
      given.attempt == 0 && !given.shape.some_add_up && given.shape.longest_or <= 12 &&
      given.ablation.or_by == OrMethod::kByCost && given.shape.range_blocks < kRangeBlocks;
  if (plan.choice.is_by_bound()) {
    EXPECT_TRUE(may_go_by_bound);
    EXPECT_EQ(plan.max_competitive_blocks, given.shape.or_blocks);
    EXPECT_EQ(plan.max_blocks + plan.max_documents, 0U);
    return;
  }
  EXPECT_TRUE(plan.choice.rounds == 2 || plan.choice.rounds == kRounds);
  EXPECT_EQ(plan.max_competitive_blocks, 0U);
  EXPECT_GE(plan.chunk_blocks, 1U);
  EXPECT_LE(plan.max_blocks, given.shape.or_blocks);
  EXPECT_LE(plan.max_documents, given.shape.or_postings);
  if (!plan.choice.has_document_room) {
    EXPECT_EQ(plan.max_documents, 0U);
  } else {
    EXPECT_EQ(given.attempt, 0U);
    EXPECT_NE(given.ablation.or_by, OrMethod::kFusedLookUp);
  }
  if (given.shape.or_queries == 0) return;
  // Each range may end with a chunk that is not full.
  EXPECT_GE(plan.max_block_chunks, plan.max_blocks / plan.chunk_blocks + given.shape.table_ranges);
  // The first attempt may find too many blocks; the others have room for all.
  if (given.attempt > 0) {
    EXPECT_EQ(plan.max_blocks, given.shape.or_blocks);
  }
}

TEST(BatchPlan, SuitsThePartAndFitsTheShare) {
  Random random = test::generator(611);
  std::size_t by_bound = 0;
  std::size_t with_room = 0;
  std::size_t without_room = 0;
  std::size_t with_stored = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Case given(random);
    const BatchPlan plan = given.plan();
    check_method(given, plan);
    check_stored(given, plan);
    const std::uint64_t documents = given.collection.documents;
    EXPECT_LE(plan.capacity, documents);
    EXPECT_GE(plan.capacity, std::min<std::uint64_t>(16 * given.k, documents));
    EXPECT_EQ(plan.tiles, (documents + kTileDocuments - 1) / kTileDocuments);
    EXPECT_EQ(plan.counts_work, given.ablation.time_stages);
    // With no memory beyond what is needed, there is the smallest room for all.
    const BatchPlan least = given.plan_with(0);
    EXPECT_EQ(least.shape.stored_rows, 0U);
    EXPECT_LE(least.capacity, plan.capacity);
    const bool is_same_method = (least.choice.is_by_bound()) == (plan.choice.is_by_bound());
    if (is_same_method && plan.choice.has_document_room == least.choice.has_document_room) {
      EXPECT_LE(bytes_of(plan), std::max(given.share, bytes_of(least)));
    }
    ASSERT_FALSE(HasFailure()) << "case " << i;
    with_stored += plan.shape.stored_rows > 0 ? 1 : 0;
    ++(plan.choice.is_by_bound() ? by_bound : plan.max_documents > 0 ? with_room : without_room);
  }
  EXPECT_GT(by_bound, 100U);
  EXPECT_GT(with_room, 100U);
  EXPECT_GT(without_room, 100U);
  EXPECT_GT(with_stored, 100U);
}

/// A piece of memory.
struct Piece {
  const void* begin;
  std::size_t bytes;
};

TEST(BatchPlaces, DoNotOverlap) {
  Random random = test::generator(612);
  for (int i = 0; i < 2000; ++i) {
    BatchPlan plan = Case(random).plan();
    const BatchShape& shape = plan.shape;
    if (random() % 2 == 0) plan.early_queries = static_cast<std::uint32_t>(random() % plan.queries);
    const std::size_t candidates = std::size_t{plan.queries} * plan.capacity;
    const std::size_t early = std::size_t{plan.early_queries} * plan.capacity;
    const bool has_stored = shape.stored_rows > 0;
    auto* const begin = reinterpret_cast<std::uint8_t*>(std::uintptr_t{1} << 40);
    BatchStages places{};
    std::vector<std::vector<Piece>> regions(4);
    const std::size_t cleared = place_cleared(begin, plan, places);
    regions[0] = {{places.rounds.states, plan.queries * sizeof(QueryState)},
                  {places.rounds.histograms, std::size_t{plan.queries} * kHistogramBins * 4},
                  {places.rounds.tile_passes, kTilePasses * sizeof(TileCounters)},
                  {places.rounds.rounds, kRounds * sizeof(RoundCounters)},
                  {places.rounds.stored_counts, has_stored ? std::size_t{plan.tiles} * 8 : 0},
                  {places.rounds.stored_saving, 2 * sizeof(unsigned long long)},
                  {places.by_bound.competitive_counters, sizeof(CompetitiveCounters)},
                  {places.rounds.work, plan.counts_work ? sizeof(WorkCounters) : 0},
                  {begin + cleared, 0}};
    const std::size_t tables = place_tables(begin, plan, places);
    const bool has_rounds = !plan.choice.is_by_bound();
    regions[1] = {
        {places.rounds.first_blocks, std::size_t{shape.row_entries} * 4},
        {places.rounds.suffix_bounds, std::size_t{shape.row_entries} * 4},
        {places.rounds.tile_bounds, std::size_t{shape.tile_entries} * 4},
        {places.rounds.exception_tails, tails_bytes(CodecKind::kPfor, shape.lists)},
        {places.rounds.competitive_tiles, std::size_t{shape.lists} * ((plan.tiles + 31) / 32)},
        {begin + tables, 0}};
    if (plan.tails_bytes == 0) regions[1][3].bytes = 0;
    if (has_stored) {
      const std::size_t rows = shape.stored_rows;
      regions[1].insert(
          regions[1].end(),
          {{places.rounds.stored, std::size_t{shape.stored_blocks} * kBlockSize * 4},
           {places.rounds.stored_starts, rows * tile_row_entries(plan.tiles) * 4},
           {places.rounds.stored_uses, shape.adds_stored() ? 0 : shape.lists * sizeof(StoredUse)},
           {places.rounds.stored_queries,
            shape.adds_stored() ? 0 : shape.or_queries * sizeof(StoredQuery)},
           {places.rounds.stored_items, std::size_t{shape.or_queries} * plan.tiles * 4}});
    }
    if (has_rounds) {
      regions[1].insert(regions[1].end(),
                        {{places.rounds.tile_states, shape.tile_entries},
                         {places.rounds.tile_items, shape.tile_entries * sizeof(TileItem)},
                         {places.rounds.blocks, std::size_t{plan.max_blocks} * 4},
                         {places.rounds.block_chunks, plan.max_block_chunks * sizeof(Chunk)}});
    } else {
      regions[1].push_back({places.by_bound.competitive_blocks,
                            kBoundClasses * shape.or_blocks * sizeof(CompetitiveBlock)});
    }
    const std::size_t documents = place_documents(begin, plan, places);
    regions[2] = {{places.rounds.candidates, candidates * sizeof(Candidate)},
                  {places.finishing.keys, candidates * sizeof(unsigned long long)},
                  {begin + documents, 0}};
    regions[3] = {{places.rounds.candidates, candidates * sizeof(Candidate)},
                  {places.finishing.keys, early * sizeof(unsigned long long)},
                  {places.rounds.lookup_documents, plan.max_documents * sizeof(Candidate)},
                  {places.rounds.document_chunks, plan.max_document_chunks * sizeof(Chunk)},
                  {begin + documents, 0}};
    for (std::vector<Piece>& pieces : regions) {
      std::erase_if(pieces, [&](const Piece& each) {
        return each.bytes == 0 && each.begin < static_cast<const void*>(begin + 1);
      });
      std::ranges::sort(pieces, {},
                        [](const Piece& each) { return std::pair(each.begin, each.bytes); });
      const std::uint8_t* end = begin;
      for (const Piece& each : pieces) {
        ASSERT_GE(static_cast<const std::uint8_t*>(each.begin), end) << "case " << i;
        end = static_cast<const std::uint8_t*>(each.begin) + each.bytes;
      }
    }
  }
}

/// A query of so many terms, planned over segments; each has some of the postings.
PlannedQuery plan_over(Random& random, std::size_t segments, std::size_t terms) {
  PlannedQuery whole;
  whole.terms.resize(terms);
  whole.segments.resize(segments);
  for (PlannedTerm& term : whole.terms) {
    for (PlannedQuery& segment : whole.segments) {
      if (random() % 4 == 0) continue;
      PlannedTerm& own = segment.terms.emplace_back();
      own.entry.document_frequency = 1 + some(random, 16);
      term.entry.document_frequency += own.entry.document_frequency;
    }
  }
  return whole;
}

// Whether all queries fit is first asked of the plan of the whole. A query that never fits makes
// the planner look at each query in each segment: as many fit then.
TEST(BatchPlan, TheWholeSaysNoMoreFitThanDo) {
  Random random = test::generator(61);
  int all_fit = 0;
  for (int i = 0; i < 100; ++i) {
    PlannedCollection collection;
    collection.segments.resize(2 + up_to(random, 18));
    for (std::uint64_t& documents : collection.segments) documents = 1 + some(random, 20);
    for (const std::uint64_t documents : collection.segments) {
      collection.documents += documents;
      collection.tile_end += static_cast<std::uint32_t>(documents / kTileDocuments + 32);
    }
    std::vector<PlannedQuery> plans;
    std::vector<std::uint32_t> slots;
    const std::uint32_t count = 1 + up_to(random, 60);
    while (slots.size() < count) {
      slots.push_back(static_cast<std::uint32_t>(slots.size()));
      plans.push_back(plan_over(random, collection.segments.size(), 1 + random() % 5));
    }
    plans.push_back(plan_over(random, collection.segments.size(), 12'000));
    std::vector<std::uint32_t> more = slots;
    more.push_back(count);
    const BatchPlanner planner(collection, {});
    const std::size_t share = std::size_t{1} << (18 + up_to(random, 6));
    const SegmentPlans all = SegmentPlans::of_all(plans);
    const std::size_t fit = planner.queries_of_part(all, slots, 10, 0, share);
    EXPECT_EQ(fit, std::min<std::size_t>(count, planner.queries_of_part(all, more, 10, 0, share)));
    all_fit += fit == count ? 1 : 0;
  }
  EXPECT_GT(all_fit, 5);
  EXPECT_LT(all_fit, 95);
}

}  // namespace
}  // namespace warpdex::gpu
