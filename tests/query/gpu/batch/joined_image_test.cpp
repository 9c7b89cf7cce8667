// The image of a batch over all segments of a snapshot: a query's entries share what they must,
// their lists and tables lie apart, thresholds are ones that k live documents reach, and caps hide
// no score of an answer. Needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <set>
#include <vector>

#include "gpu/batch/batch_builder.hpp"
#include "gpu/batch/short_lists.hpp"
#include "tests/query/gpu/batch/host_image.hpp"
#include "tests/query/gpu/batch/joined_snapshot_support.hpp"
#include "tests/reference/compare.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kJoinedCapacity = 1'000;

/// What the images of several batches share.
struct SharedSlices {
  explicit SharedSlices(std::size_t gpu_bytes = std::size_t{4} << 20,
                        std::size_t host_bytes = TermRows::kMaxBytes)
      : rows(gpu_bytes), slices(std::make_shared<QuerySlices>(rows.view(), host_bytes)) {}
  SharedSlices(const SharedSlices&) = delete;
  SharedSlices& operator=(const SharedSlices&) = delete;

  Rows rows;
  std::shared_ptr<QuerySlices> slices;
};

/// The image of some queries.
struct JoinedImage : HostImage {
  JoinedImage(const Joined& joined, std::span<const PlannedQuery> plans,
              std::span<const SearchSettings> settings, SharedSlices* shared = nullptr) {
    BatchBuilder builder(joined.all, {},
                         shared == nullptr ? std::make_shared<QuerySlices>() : shared->slices);
    std::vector<std::uint32_t> slots(plans.size());
    for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = i;
    const BatchShape& measured = builder.measure(SegmentPlans::of_all(plans), slots, settings);
    if (shared != nullptr) shared->rows.upload(builder.rows());
    static_cast<HostImage&>(*this) = HostImage(builder, measured, kJoinedCapacity, nullptr);
    and_queries = shape.and_queries + shape.and_fallback_queries;
  }
  std::span<const List> lists() const { return {host.lists, shape.lists}; }
  std::span<const Query> queries() const { return {host.queries, and_queries + shape.or_queries}; }
  std::span<const Query> or_queries() const { return queries().subspan(and_queries); }

  std::uint32_t and_queries = 0;
};

class JoinedImageTest : public JoinedSnapshotTest {
 protected:
  /// Judges the entries of one query.
  void expect_entries(const JoinedImage& image, const PlannedQuery& plan,
                      const SearchSettings& settings) {
    SearchSettings counting = settings;
    counting.count = true;
    const SearchResult right = CpuSearcher(*snapshot_).run(plan, counting);
    const double kth = right.hits.size() < settings.k ? -1 : right.hits.back().score;
    for (const Query& query : image.queries()) {
      EXPECT_EQ(query.scale, image.queries()[0].scale);
      EXPECT_EQ(query.unit_cap, image.queries()[0].unit_cap);
      EXPECT_EQ(query.bin_shift, image.queries()[0].bin_shift);
      EXPECT_EQ(query.rounding_slack, image.queries()[0].rounding_slack);
      EXPECT_EQ(query.seed_threshold, image.queries()[0].seed_threshold);
      if (query.seed_threshold > 0) ++seeded_;
      EXPECT_LE(query.seed_threshold, std::max(kth, 0.0) * static_cast<double>(query.scale));
      if (kth > 0 && query.unit_cap != kNone) {
        EXPECT_GE(query.unit_cap, kth * static_cast<double>(query.scale));
      }
      if (query.flags & kOneList) {
        EXPECT_EQ(image.host.list_matches[0], right.matches);
      }
      double most = 0;
      for (const List& list : image.lists().subspan(query.first_list, query.scoring_lists)) {
        const double units = static_cast<double>(list.bound) * static_cast<double>(query.scale);
        most += std::min<double>(units, query.unit_cap) + 3;
      }
      if (GetParam() != JoinedKind::kWeights || query.rounding_slack > 0) {
        EXPECT_LT(most, 65'536);
      }
    }
  }

  std::size_t seeded_ = 0;
};

TEST_P(JoinedImageTest, EntriesShareAScaleAndAValidThreshold) {
  ASSERT_EQ(snapshot_->segments().size(), 5U);
  const test::LivingLog log = make_log(600);
  for (std::size_t i = 0; i < log.plans.size(); ++i) {
    const JoinedImage image(*joined_, std::span(log.plans).subspan(i, 1),
                            std::span(log.settings).subspan(i, 1));
    expect_entries(image, log.plans[i], log.settings[i]);
    ASSERT_FALSE(HasFailure()) << reference::describe(log.queries[i])
                               << reference::describe(log.settings[i]);
  }
  EXPECT_GT(seeded_, 10U);
}

/// The segment whose spaced docIDs a tile has.
std::size_t segment_of_tile(std::uint32_t tile) { return tile >> (kSpaceShift - kTileShift); }

TEST_P(JoinedImageTest, SegmentsLieApart) {
  const test::LivingLog log = make_log(300);
  const JoinedImage image(*joined_, log.plans, log.settings);
  std::set<std::uint32_t> rows;   // entries of the tables by list and tile
  std::set<std::uint32_t> tiles;  // entries of the tables by query and tile
  for (const Query& query : image.or_queries()) {
    const PlacedIndex& placed = *joined_->all[segment_of_tile(query.first_tile)];
    ASSERT_EQ(query.end_tile - query.first_tile, placed.tiles());
    for (std::uint32_t tile = query.first_tile; tile < query.end_tile; ++tile) {
      EXPECT_TRUE(tiles.insert(query.tile_row + tile).second);
    }
    for (std::uint32_t i = 0; i < query.list_count; ++i) {
      const List& list = image.lists()[query.first_list + i];
      EXPECT_EQ(list.first_document, placed.first_document);
      for (std::uint32_t tile = query.first_tile; tile <= query.end_tile; ++tile) {
        EXPECT_TRUE(rows.insert(list.tile_row + tile).second);
      }
      if ((list.flags & kRaw) == 0) continue;
      const auto* const docids = reinterpret_cast<const std::uint32_t*>(list.docids.bytes);
      EXPECT_GE(docids[0], placed.first_document);
      EXPECT_LT(list.last_docids[0], placed.first_document + placed.index.counts().documents);
    }
  }
  EXPECT_EQ(rows.size(), image.shape.row_entries);
  EXPECT_EQ(tiles.size(), image.shape.tile_entries);
  if (!rows.empty()) {
    EXPECT_EQ(*rows.begin(), image.shape.row_shift);
    EXPECT_EQ(*rows.rbegin() + 1, image.shape.row_shift + image.shape.row_entries);
  }
}

TEST_P(JoinedImageTest, QueriesKnowTheirEntries) {
  const test::LivingLog log = make_log(300);
  const JoinedImage image(*joined_, log.plans, log.settings);
  const std::size_t segments = joined_->all.size();
  for (const Query& query : image.queries()) {
    const std::uint32_t first = image.lists()[query.first_list].first_document;
    const ListSpan& span =
        image.host.list_spans[query.state * segments + segment_of_tile(first >> kTileShift)];
    EXPECT_EQ(span.first, query.first_list);
    EXPECT_EQ(span.count, query.scoring_lists);
    EXPECT_LE(span.count, image.host.final_queries[query.state].scoring_lists);
  }
  std::uint32_t next = 0;  // entry of OR
  for (std::uint32_t i = 0; i < image.shape.or_states; ++i) {
    const QueryTiles& of_query = image.host.query_tiles[i];
    EXPECT_EQ(of_query.query, next);
    const std::uint32_t state = image.or_queries()[next].state;
    std::uint32_t begin = of_query.begin;
    for (; next < image.shape.or_queries && image.or_queries()[next].state == state; ++next) {
      const Query& query = image.or_queries()[next];
      EXPECT_EQ(query.tile_row + query.first_tile, begin);
      begin += query.end_tile - query.first_tile;
    }
    EXPECT_EQ(begin, of_query.begin + of_query.tiles);
  }
  EXPECT_EQ(next, image.shape.or_queries);
}

/// The lists of an entry are those of its plan in the segment.
void expect_lists(const JoinedImage& image, const Query& query, const PlannedQuery& plan,
                  const PlacedIndex& placed, const ScorerSettings& wanted) {
  std::vector<PlannedTerm> terms;  // in the order of the image
  for (const bool prohibited : {false, true}) {
    std::ranges::copy_if(plan.terms, std::back_inserter(terms),
                         [&](const PlannedTerm& term) { return term.is_prohibited == prohibited; });
  }
  ASSERT_EQ(query.list_count, terms.size());
  const ScorerSettings scorer = effective_scorer(placed.index.settings(), wanted);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const PlannedTerm& term = terms[i];
    const List& list = image.lists()[query.first_list + i];
    const TermScorer right =
        make_term_scorer(scorer, plan.statistics_for(term, {}), term.document_frequency,
                         term.collection_frequency, term.weight > 0 ? term.weight : 1.0F);
    EXPECT_EQ(list.weight, right.weight);
    EXPECT_EQ(list.c0, right.c0);
    EXPECT_EQ(list.c1, right.c1);
    EXPECT_EQ(list.field, term.entry.field);
    EXPECT_EQ(list.size, term.entry.document_frequency);
    EXPECT_EQ((list.flags & kProhibited) != 0, term.is_prohibited);
    EXPECT_EQ((list.flags & kRaw) != 0, term.entry.is_short());
    if (term.entry.is_short()) {
      std::vector<std::uint32_t> raw(kRawListEntries);
      write_raw_list(placed.index, term.entry, placed.first_document, raw.data());
      const auto* const written = reinterpret_cast<const std::uint32_t*>(list.docids.bytes);
      EXPECT_TRUE(std::equal(raw.begin(), raw.end(), written));
    } else {
      ListSource source{};
      placed.place(term.entry, source);
      EXPECT_EQ(list.docids.bytes, source.docids);
      EXPECT_EQ(list.frequencies.bytes, source.frequencies);
    }
  }
}

TEST_P(JoinedImageTest, ListsAreThoseOfTheSegments) {
  const test::LivingLog log = make_log(300);
  const JoinedImage image(*joined_, log.plans, log.settings);
  for (const Query& query : image.queries()) {
    const std::uint32_t first = image.lists()[query.first_list].first_document;
    const std::size_t segment = segment_of_tile(first >> kTileShift);
    expect_lists(image, query, log.plans[query.slot].segments[segment], *joined_->all[segment],
                 log.settings[0].scorer);
    ASSERT_FALSE(HasFailure()) << reference::describe(log.queries[query.slot]);
  }
}

void expect_same_query(const Query& one, const Query& other) {
  EXPECT_EQ(std::memcmp(&one, &other, sizeof(Query)), 0) << "query " << one.slot;
}

/// Compares two images, save for what padding holds and where raw lists lie.
void expect_same(const JoinedImage& one, const JoinedImage& other) {
  ASSERT_EQ(one.shape.lists, other.shape.lists);
  ASSERT_EQ(one.queries().size(), other.queries().size());
  ASSERT_EQ(one.shape.table_ranges, other.shape.table_ranges);
  for (std::size_t i = 0; i < one.queries().size(); ++i) {
    expect_same_query(one.queries()[i], other.queries()[i]);
  }
  for (std::size_t i = 0; i < one.shape.queries; ++i) {
    expect_same_query(one.host.final_queries[i], other.host.final_queries[i]);
    EXPECT_EQ(one.host.list_matches[i], other.host.list_matches[i]);
  }
  for (std::size_t i = 0; i < one.shape.lists; ++i) {
    const List& list = one.lists()[i];
    const List& same = other.lists()[i];
    EXPECT_EQ(list.size, same.size);
    EXPECT_EQ(list.flags, same.flags);
    EXPECT_EQ(list.tile_row, same.tile_row);
    EXPECT_EQ(list.or_query, same.or_query);
    EXPECT_EQ(list.bound, same.bound);
    if ((list.flags & kRaw) == 0) {
      EXPECT_EQ(list.docids.bytes, same.docids.bytes);
      continue;
    }
    const auto* const numbers = reinterpret_cast<const std::uint32_t*>(list.docids.bytes);
    EXPECT_TRUE(std::equal(numbers, numbers + kRawListEntries,
                           reinterpret_cast<const std::uint32_t*>(same.docids.bytes)));
  }
}

// Images do not depend on which terms have rows already, nor on whether there is room for them.
TEST_P(JoinedImageTest, RowsOrNotIsTheSame) {
  const test::LivingLog log = make_log(300);
  const JoinedImage alone(*joined_, log.plans, log.settings);
  SharedSlices shared;
  const std::span plans(log.plans);
  const std::span settings(log.settings);
  const auto part = [&](std::size_t first, std::size_t count) {
    return JoinedImage(*joined_, plans.subspan(first, count),
                       settings.size() == 1 ? settings : settings.subspan(first, count), &shared);
  };
  part(150, 1);
  part(100, 100);
  for (int turn = 0; turn < 2; ++turn) expect_same(part(0, 300), alone);
  const JoinedImage with_rows = part(0, 300);
  EXPECT_TRUE(with_rows.shape.sends_entries);
  EXPECT_EQ(with_rows.shape.own_lists, 0U);
  for (const std::size_t bytes : {0, 1'000, 20'000}) {
    for (const bool is_of_host : {false, true}) {
      SharedSlices small(is_of_host ? 1 << 20 : bytes, is_of_host ? bytes : TermRows::kMaxBytes);
      for (int turn = 0; turn < 2; ++turn) {
        const JoinedImage image(*joined_, log.plans, log.settings, &small);
        expect_same(image, alone);
        EXPECT_GT(image.shape.own_lists, 0U);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, JoinedImageTest, testing::ValuesIn(kJoinedKinds));

}  // namespace
}  // namespace warpdex::gpu
