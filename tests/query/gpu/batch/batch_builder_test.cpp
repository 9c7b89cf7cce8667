// A batch's image is that of its queries, each built alone, one after the other, whatever threads
// built it; its ranges are all blocks of its lists, in the order that they are to have.
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "gpu/batch/batch_builder.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/gpu/batch/host_image.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::gpu {
namespace {

using test::Random;

constexpr std::uint32_t kCapacity = 4096;
/// Batches of fewer postings have short ranges.
constexpr std::uint64_t kFewPostings = std::uint64_t{1} << 26;
const std::uint32_t* const kDeviceRaw = reinterpret_cast<const std::uint32_t*>(0x70000000);

/// An index whose lists have places that no other has, without a GPU.
struct NoPlace : PlacedIndex {
  explicit NoPlace(const Index& placed) : PlacedIndex(placed) {
    for (const std::uint32_t length : placed.lengths()) {
      longest_document = std::max(longest_document, length);
    }
    for (const float bound : placed.sections().static_bounds) {
      largest_static = std::max(largest_static, bound);
    }
  }

  void place(const PostingsEntry& entry, ListSource& list) const override {
    list.docids = reinterpret_cast<const std::uint8_t*>(entry.docid_offset + 1);
    list.frequencies = reinterpret_cast<const std::uint8_t*>(entry.frequency_offset + 2);
    list.docid_tail = entry.docid_bytes - entry.docid_tail_bytes;
    list.frequency_tail = entry.frequency_bytes - entry.frequency_tail_bytes;
  }
  RawList find_raw(const PostingsEntry&) const override { return {nullptr, 0}; }
};

struct Image : HostImage {
  using HostImage::HostImage;
  std::vector<std::uint32_t> cpu_queries{};

  std::span<const List> lists() const { return {host.lists, shape.lists}; }
  /// Those of AND, then those that come second, then those of OR.
  std::span<const Query> queries() const {
    return {host.queries, shape.and_queries + shape.and_fallback_queries + shape.or_queries};
  }
};

Image build(BatchBuilder& builder, std::span<const PlannedQuery> plans,
            std::span<const std::uint32_t> slots, const SearchSettings& settings,
            const Answer* before = nullptr) {
  const BatchShape& shape = builder.measure(plans, slots, std::span(&settings, 1), before);
  Image image(builder, shape, kCapacity, const_cast<std::uint32_t*>(kDeviceRaw));
  image.cpu_queries = builder.unanswerable();
  return image;
}

/// A list's raw entries, given its pointer to them; none of a list that is not raw.
std::vector<std::uint32_t> raw_entries(const Image& image, const List& list) {
  if ((list.flags & kRaw) == 0) return {};
  const auto* const docids = reinterpret_cast<const std::uint32_t*>(list.docids.bytes);
  EXPECT_EQ(list.frequencies.bytes, reinterpret_cast<const std::uint8_t*>(docids + kRawEntries));
  EXPECT_EQ(list.last_docids, docids + list.size - 1);
  const std::uint32_t* const first = image.host.raw + (docids - kDeviceRaw);
  return {first, first + kRawListEntries};
}

bool same_bytes(const void* one, const void* other, std::size_t bytes) {
  return std::memcmp(one, other, bytes) == 0;
}

bool same_query(const Query& one, const Query& other) {
  return same_bytes(&one, &other, sizeof(Query));
}

/// All of a list that is not a place in its image.
bool same_list(const List& one, const List& other) {
  const std::size_t first = (one.flags & kRaw) != 0 ? offsetof(List, bounds) : 0;
  return same_bytes(reinterpret_cast<const char*>(&one) + first,
                    reinterpret_cast<const char*>(&other) + first, sizeof(List) - first);
}

/// The ranges of OR's lists, as the tables take them.
std::vector<BlockRange> table_ranges(const Image& image) {
  std::vector<BlockRange> ranges;
  for (const Query& query : image.queries().last(image.shape.or_queries)) {
    for (std::uint32_t i = query.first_list; i < query.first_list + query.list_count; ++i) {
      std::uint32_t left = image.lists()[i].blocks;
      for (std::uint32_t first = 0; left > 0;) {
        const std::uint32_t blocks = std::min(left, image.shape.range_blocks);
        ranges.push_back({i, first, blocks});
        first += blocks;
        left -= blocks;
      }
    }
  }
  return ranges;
}

/// The ranges of queries of AND, from the `first` on.
std::vector<BlockRange> and_ranges(const Image& image, std::uint32_t first, std::uint32_t count) {
  std::vector<BlockRange> ranges;
  for (std::uint32_t owner = first; owner < first + count; ++owner) {
    const auto lists = image.lists().subspan(image.queries()[owner].first_list);
    const auto driver = std::find_if(
        lists.begin(), lists.end(), [](const List& list) { return (list.flags & kRequired) != 0; });
    const bool are_few = image.shape.postings < kFewPostings;
    const std::uint32_t step = and_range_blocks(driver->blocks, are_few);
    for (std::uint32_t block = 0; block < driver->blocks; block += step) {
      ranges.push_back({owner, block, std::min(step, driver->blocks - block)});
    }
  }
  std::stable_sort(ranges.begin(), ranges.end(), [](const BlockRange& a, const BlockRange& b) {
    return a.first / kAndBlocks < b.first / kAndBlocks;
  });
  return ranges;
}

void expect_stretches(const BlockRange* ranges, std::size_t count,
                      const std::vector<BlockRange>& right) {
  ASSERT_EQ(count, right.size());
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(ranges[i].owner, right[i].owner) << "range " << i;
    ASSERT_EQ(ranges[i].first, right[i].first) << "range " << i;
    ASSERT_EQ(ranges[i].blocks, right[i].blocks) << "range " << i;
  }
}

/// Compares an image with those of its queries alone.
class Comparison {
 public:
  Comparison(const Image& whole, std::uint32_t tiles) : whole_(whole), tiles_(tiles) {}

  /// The next query in the image.
  void expect(const Image& one) {
    expect_lists(one);
    const BatchShape& all = whole_.shape;
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < one.shape.and_queries; ++i) {
      expect_query(one.queries()[next++], whole_.queries()[before_.and_queries]);
    }
    for (std::uint32_t i = 0; i < one.shape.and_fallback_queries; ++i) {
      expect_query(one.queries()[next++],
                   whole_.queries()[all.and_queries + before_.and_fallback_queries]);
    }
    for (std::uint32_t i = 0; i < one.shape.or_queries; ++i) {
      expect_query(
          one.queries()[next++],
          whole_.queries()[all.and_queries + all.and_fallback_queries + before_.or_queries], true);
    }
    const bool ends_with_or = one.shape.or_queries > 0;
    expect_query(one.host.final_queries[0], whole_.host.final_queries[before_.queries],
                 ends_with_or);
    slots_.insert(slots_.end(), one.cpu_queries.begin(), one.cpu_queries.end());
    before_.add(one.shape);
  }

  /// That was all.
  void finish() const {
    const BatchShape& all = whole_.shape;
    EXPECT_EQ(all.queries, before_.queries);
    EXPECT_EQ(all.lists, before_.lists);
    EXPECT_EQ(all.raw_lists, before_.raw_lists);
    EXPECT_EQ(all.and_queries, before_.and_queries);
    EXPECT_EQ(all.and_fallback_queries, before_.and_fallback_queries);
    EXPECT_EQ(all.or_queries, before_.or_queries);
    EXPECT_EQ(all.or_states, all.or_queries);
    EXPECT_EQ(all.or_lists, before_.or_lists);
    EXPECT_EQ(all.postings, before_.postings);
    EXPECT_EQ(all.or_blocks, before_.or_blocks);
    EXPECT_EQ(all.or_postings, before_.or_postings);
    EXPECT_EQ(all.adds_up_only, before_.adds_up_only);
    EXPECT_EQ(all.some_add_up, before_.some_add_up);
    EXPECT_EQ(all.some_read_all, before_.some_read_all);
    EXPECT_EQ(all.longest_or, before_.longest_or);
    EXPECT_EQ(all.row_entries, all.or_lists * tile_row_entries(tiles_));
    EXPECT_EQ(all.tile_entries, all.or_queries * tiles_);
    EXPECT_EQ(whole_.cpu_queries, slots_);
  }

 private:
  void expect_lists(const Image& one) const {
    for (std::uint32_t i = 0; i < one.shape.lists; ++i) {
      List right = one.lists()[i];
      if (right.tile_row != kNone) {
        right.or_query += before_.or_queries;
        right.tile_row += before_.or_lists * tile_row_entries(tiles_);
      }
      const List& list = whole_.lists()[before_.lists + i];
      right.stored_block = list.stored_block;  // by the batch's distinct lists
      right.stored_row = list.stored_row;
      EXPECT_TRUE(same_list(list, right)) << "list " << before_.lists + i;
      EXPECT_EQ(raw_entries(whole_, list), raw_entries(one, one.lists()[i]));
    }
  }

  void expect_query(Query right, const Query& query, bool is_or = false) const {
    right.state = before_.queries;
    if (right.list_count > 0) {
      right.first_list += before_.lists;
      right.first_candidate += before_.queries * kCapacity;
    }
    if (is_or) right.tile_row += before_.or_queries * tiles_;
    right.flags = (right.flags & ~kStored) | (query.flags & kStored);  // as the batch is large
    EXPECT_TRUE(same_query(query, right)) << "query of state " << before_.queries;
  }

  const Image& whole_;
  std::uint32_t tiles_;
  BatchShape before_;
  std::vector<std::uint32_t> slots_;
};

void expect_image(const PlacedIndex& placed, BatchBuilder& builder,
                  std::span<const PlannedQuery> plans, std::span<const std::uint32_t> slots,
                  const SearchSettings& settings) {
  const Image whole = build(builder, plans, slots, settings);
  Comparison comparison(whole, placed.tiles());
  for (std::size_t i = 0; i < slots.size(); ++i) {
    comparison.expect(build(builder, plans, slots.subspan(i, 1), settings));
    if (testing::Test::HasFailure()) return;
  }
  comparison.finish();
  const BatchShape& shape = whole.shape;
  EXPECT_EQ(shape.range_blocks, shape.postings < kFewPostings ? kShortRangeBlocks : kRangeBlocks);
  expect_stretches(whole.host.table_ranges, shape.table_ranges, table_ranges(whole));
  expect_stretches(whole.host.and_ranges, shape.and_ranges,
                   and_ranges(whole, 0, shape.and_queries));
  expect_stretches(whole.host.and_ranges + shape.and_ranges, shape.and_fallback_ranges,
                   and_ranges(whole, shape.and_queries, shape.and_fallback_queries));
}

/// Says that long lists are far longer than they are, for what no test could hold.
void lengthen(Random& random, std::vector<PlannedQuery>& plans) {
  for (PlannedQuery& plan : plans) {
    for (PlannedTerm& term : plan.terms) {
      if (term.entry.is_short()) continue;
      term.entry.document_frequency <<= test::below(random, 14);
      term.entry.collection_frequency = 2 * std::uint64_t{term.entry.document_frequency};
      term.entry.first_seed = 0;  // that of a list of any length
    }
  }
}

class BatchBuilderTest : public testing::TestWithParam<bool> {
 protected:
  /// `threads` at once, as far as there are so many.
  void expect_images(const Index& index, std::uint64_t vocabulary, std::size_t count) {
    const SearchSettings settings = maker_.draw();
    std::vector<PlannedQuery> plans;
    for (std::size_t i = 0; i < count + 3; ++i) {
      const std::uint64_t terms = std::min<std::uint64_t>(maker_.draw_terms(), 130);
      plans.push_back(plan_query(index, test::random_query(random_, vocabulary, terms)));
    }
    if (test::chance(random_, 50)) lengthen(random_, plans);
    std::vector<std::uint32_t> slots(count + 3);
    for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = i;
    std::shuffle(slots.begin(), slots.end(), random_);
    slots.resize(count);  // a part of a batch, in any order
    const NoPlace placed(index);
    BatchBuilder builder(placed, test::kWays[ways_.draw(random_)].ablation);
    for (const int threads : {1, 8}) {
      tbb::task_arena(threads).execute(
          [&] { expect_image(placed, builder, plans, slots, settings); });
      ASSERT_FALSE(HasFailure()) << count << " queries, " << threads << " threads, "
                                 << test::describe(index.counts().documents, index.settings().codec,
                                                   settings, {});
    }
  }

  Random random_ = test::generator(700);
  test::SettingsMaker maker_{random_};
  test::Deck<std::size_t> ways_{{0, 0, 1, 2, 3, 4}};
};

TEST_P(BatchBuilderTest, IsThatOfEachQueryAlone) {
  const tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
  test::CollectionMaker maker(random_, 3'000);
  const reference::Collection collection = maker.make();
  const test::TemporaryFolder folder;
  if (GetParam()) {
    test::write_quantised_index(collection, {CodecKind::kBitpack, 1}, folder / "index");
  } else {
    test::write_index(collection, {CodecKind::kBitpack, 1}, folder / "index");
  }
  const Index index = Index::open(folder / "index");
  ASSERT_GE(index.sections().seeds.size(), 3U);
  for (const std::size_t count : {0, 1, 2, 31, 32, 33, 127, 128, 129, 300, 1000}) {
    for (int round = 0; round < 6; ++round) {
      expect_images(index, maker.vocabulary(), count);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(BatchBuilderTest, PassesFailuresOn) {
  test::CollectionMaker maker(random_, 300);
  const test::TemporaryFolder folder;
  test::write_index(maker.make(), {CodecKind::kBitpack, 1}, folder / "index");
  const Index index = Index::open(folder / "index");
  std::vector<PlannedQuery> plans(GetParam() ? 1000 : 1);
  std::vector<std::uint32_t> slots(plans.size());
  for (std::uint32_t i = 0; i < slots.size(); ++i) slots[i] = i;
  PlannedTerm damaged{.entry = {.document_frequency = 5}, .weight = 1};  // of no bytes
  const NoPlace placed(index);
  BatchBuilder builder(placed, {});
  plans.back().terms.push_back(damaged);
  EXPECT_THROW(build(builder, plans, slots, {}), FormatError);
  plans.back().terms.clear();
  EXPECT_EQ(build(builder, plans, slots, {}).shape.lists, 0U);  // it can be used again
}

/// That a query's sums fit 16 bits, and that the k-th best score of its answer is none that its
/// postings' cap would hide. Returns whether it has a cap.
bool expect_cap(const Image& image, const Query& query, float last) {
  double most = 0;
  for (const List& list : image.lists().subspan(query.first_list, query.scoring_lists)) {
    most += std::min<double>(list.bound * query.scale, query.unit_cap) + 3;
  }
  EXPECT_LT(most, 65'536);
  if (query.unit_cap == kNone) return false;
  EXPECT_GE(query.unit_cap, static_cast<double>(last) * query.scale);
  return true;
}

TEST(BatchBuilderCaps, NoThresholdPassesThem) {
  Random random = test::generator(701);
  test::SettingsMaker settings_maker(random);
  int capped = 0;
  for (int turn = 0; turn < 12; ++turn) {
    test::CollectionMaker maker(random, 2'000);
    const reference::Collection collection = maker.make();
    const test::TemporaryFolder folder;
    test::write_index(collection, {CodecKind::kBitpack, 1}, folder / "index");
    const Index index = Index::open(folder / "index");
    const NoPlace placed(index);
    BatchBuilder builder(placed, {});
    for (int i = 0; i < 60; ++i) {
      const SearchSettings settings = settings_maker.draw();
      const warpdex::Query query =
          test::random_query(random, maker.vocabulary(), 1 + test::below(random, 6));
      const PlannedQuery plan = plan_query(index, query);
      const std::uint32_t slot = 0;
      const Image image = build(builder, {&plan, 1}, {&slot, 1}, settings);
      const auto ranking = test::find_truth(collection, query, settings).float_ranking;
      const float last = ranking.size() < settings.k ? 0 : ranking[settings.k - 1].score;
      for (const gpu::Query& written : image.queries()) {
        if (expect_cap(image, written, last)) ++capped;
        ASSERT_FALSE(HasFailure())
            << test::describe(index.counts().documents, index.settings().codec, settings, query);
      }
    }
  }
  EXPECT_GT(capped, 5);
}

TEST(BatchBuilderCaps, QueriesThatRunAgainStartWhereTheyEnded) {
  Random random = test::generator(702);
  test::CollectionMaker maker(random, 500);
  const test::TemporaryFolder folder;
  test::write_index(maker.make(), {CodecKind::kBitpack, 1}, folder / "index");
  const Index index = Index::open(folder / "index");
  std::vector<PlannedQuery> plans;
  while (plans.size() < 3) {
    warpdex::Query query = test::random_query(random, maker.vocabulary(), 3);
    for (QueryTerm& term : query.terms) term.occur = Occur::kUnsigned;
    plans.push_back(plan_query(index, query));
    if (plans.back().terms.empty()) plans.pop_back();
  }
  const NoPlace placed(index);
  BatchBuilder builder(placed, {});
  const SearchSettings settings;
  const std::vector<std::uint32_t> slots{2, 0};
  const Image first = build(builder, plans, slots, settings);
  std::vector<Answer> before(3);
  before[0].threshold = 0;
  before[2].threshold = 59'000;
  const Image second = build(builder, plans, slots, settings, before.data());
  for (std::size_t i = 0; i < second.queries().size(); ++i) {
    const gpu::Query& query = second.queries()[i];
    EXPECT_EQ(query.seed_threshold,
              std::max(first.queries()[i].seed_threshold, before[query.slot].threshold));
  }
  EXPECT_EQ(second.queries()[0].seed_threshold, 59'000U);
}

INSTANTIATE_TEST_SUITE_P(Forms, BatchBuilderTest, testing::Bool());

}  // namespace
}  // namespace warpdex::gpu
