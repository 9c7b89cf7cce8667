// Counts of live documents that reach seeds: never more than there are, and of random removals
// nearly all; counted at once or commit by commit.
#include "gpu/batch/live_seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/batch/start_seed.hpp"
#include "plan/seed_threshold.hpp"
#include "tests/query/engine/living_support.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex::gpu {
namespace {

/// Live documents of a list that reach a seed.
std::uint32_t live_documents(const Index& index, const PostingsEntry& entry, const ListSeed& seed) {
  const Postings list = read_postings(index, entry);
  std::uint32_t live = 0;
  for (std::size_t i = 0; i < list.docids.size(); ++i) {
    if (index.removed().contains(list.docids[i]) || list.frequencies[i] < seed.frequency) continue;
    if (!index.settings().impacts && index.lengths()[list.docids[i]] > decode_length(seed.length)) {
      continue;
    }
    ++live;
  }
  return live;
}

class LiveSeedsTest : public testing::TestWithParam<bool> {};

TEST_P(LiveSeedsTest, AreThereAndNearlyAll) {
  test::Living living(896, CodecKind::kBitpack, GetParam(), 4'000);
  const Snapshot before = Snapshot::open(living.index());
  LiveSeeds step_by_step(*before.segments()[0].index);
  RemovedRows old;
  std::vector<Snapshot> snapshots;  // which `old` points into
  for (int commit = 0; commit < 3; ++commit) {
    living.remove_share(10);
    living.commit();
    snapshots.push_back(Snapshot::open(living.index()));
    const Index& index = *snapshots.back().segments()[0].index;
    step_by_step.remove(index, old, index.removed());
    old = index.removed();
    LiveSeeds at_once(index);
    at_once.remove(index, {}, index.removed());
    std::uint64_t counted = 0;
    std::uint64_t ranks = 0;
    index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
      if (entry.is_short()) return;
      const auto seeds = list_seeds(index.sections(), entry);
      for (std::size_t place = 0; place < seeds.size(); ++place) {
        const std::uint32_t live = at_once.live(entry, place);
        ASSERT_EQ(step_by_step.live(entry, place), live);
        ASSERT_LE(live, live_documents(index, entry, seeds[place]));
        counted += live;
        ranks += kSeedRanks[place];
      }
    });
    EXPECT_LT(counted, ranks);
    EXPECT_GT(counted, ranks / 4);
  }
}

INSTANTIATE_TEST_SUITE_P(TextsAndWeights, LiveSeedsTest, testing::Bool());

struct Placed final : PlacedIndex {
  using PlacedIndex::PlacedIndex;
  void place(const PostingsEntry&, ListSource&) const override {}
  RawList find_raw(const PostingsEntry&) const override { return {nullptr, 0}; }
};

/// No score bounds these lists.
constexpr float kMost = std::numeric_limits<float>::infinity();

// The seed of several segments is one that k live documents of them reach.
TEST(StartSeed, EnoughDocumentsReachIt) {
  test::Living living(897, CodecKind::kBitpack, true, 3'000);
  for (int i = 0; i < 3; ++i) {
    living.add_some(1'500);
    living.commit();
  }
  living.remove_share(25);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  std::size_t found = 0;
  for (int turn = 0; turn < 300; ++turn) {
    const std::string term = "w" + std::to_string(1 + living.below(60));
    const auto k = static_cast<std::uint32_t>(std::array{1, 10, 25, 100, 300, 1000}[turn % 6]);
    std::vector<std::unique_ptr<Placed>> placed;
    std::vector<std::unique_ptr<LiveSeeds>> live;
    warpdex::Query query;
    query.terms.push_back({term});
    const PlannedQuery plan = plan_query(snapshot, query);
    std::deque<TermList> described;
    std::vector<std::uint32_t> packed;
    std::vector<SeededList> lists;
    std::vector<float> scores;  // of live documents
    const TermScorer scorer{.kind = ScorerKind::kImpact, .weight = 1};
    for (std::size_t i = 0; i < snapshot.segments().size(); ++i) {
      const Index& index = *snapshot.segments()[i].index;
      if (plan.segments[i].terms.empty()) continue;
      placed.push_back(std::make_unique<Placed>(index));
      live.push_back(std::make_unique<LiveSeeds>(index));
      live.back()->remove(index, {}, index.removed());
      if (turn % 2 == 0) placed.back()->removals.live_seeds = live.back().get();
      describe_term(*placed.back(), i, plan.segments[i].terms[0], true, packed,
                    described.emplace_back());
      lists.push_back({i, &described.back(), scorer, kMost});
      const Postings list = read_postings(index, plan.segments[i].terms[0].entry);
      for (std::size_t j = 0; j < list.docids.size(); ++j) {
        if (!index.removed().contains(list.docids[j])) {
          scores.push_back(static_cast<float>(list.frequencies[j]));
        }
      }
    }
    std::ranges::sort(scores, std::greater{});
    const float seed = start_seed(lists, k);
    if (seed == 0) continue;
    ++found;
    ASSERT_GE(scores.size(), k);
    EXPECT_LE(seed, scores[k - 1]) << term << ", k " << k;
  }
  EXPECT_GT(found, 50U);
}

}  // namespace
}  // namespace warpdex::gpu
