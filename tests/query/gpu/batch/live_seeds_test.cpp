// Seeds of lists from which documents were removed: so many live documents reach them as they say;
// nearly all of the rank if removals are only counted, all of it once seeds are renewed.
#include "gpu/batch/live_seeds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <functional>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/batch/live_list_seeds.hpp"
#include "gpu/batch/start_seed.hpp"
#include "plan/seed_threshold.hpp"
#include "tests/query/engine/living_support.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/score_bound.hpp"

namespace warpdex::gpu {
namespace {

/// The live postings of a list; lengths are 0 in an index of weights.
struct LivePostings {
  LivePostings() = default;
  LivePostings(const Index& index, const PostingsEntry& entry) {
    const Postings list = read_postings(index, entry);
    for (std::size_t i = 0; i < list.docids.size(); ++i) {
      if (index.removed().contains(list.docids[i])) continue;
      frequencies.push_back(list.frequencies[i]);
      lengths.push_back(index.settings().impacts ? 0 : index.lengths(entry.field)[list.docids[i]]);
    }
  }

  std::size_t size() const { return frequencies.size(); }
  std::size_t that_reach(const ListSeed& seed) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) {
      const bool reaches =
          frequencies[i] >= seed.frequency && lengths[i] <= warpdex::decode_length(seed.length);
      count += reaches ? 1 : 0;
    }
    return count;
  }

  std::vector<std::uint32_t> frequencies;
  std::vector<std::uint32_t> lengths;
};

/// Calls visit(entry) for the long lists.
template <class Visit>
void for_each_long_list(const Index& index, Visit visit) {
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    if (!entry.is_short()) visit(entry);
  });
}

/// Seeds of an index's only segment, counted step by step as documents are removed.
class SteppedSeeds {
 public:
  explicit SteppedSeeds(std::filesystem::path folder)
      : folder_(std::move(folder)), seeds_(*open().segments()[0].index) {}

  LiveSeeds& seeds() { return seeds_; }

  /// Counts what was removed since the step before. Returns the index as it is now, which lives as
  /// long as this.
  const Index& step() {
    const Index& index = *open().segments()[0].index;
    seeds_.remove(index, old_, index.removed());
    old_ = index.removed();
    return index;
  }

 private:
  const Snapshot& open() { return snapshots_.emplace_back(Snapshot::open(folder_)); }

  std::filesystem::path folder_;
  std::deque<Snapshot> snapshots_;
  RemovedRows old_;
  LiveSeeds seeds_;
};

/// What the lists have: words of one text, of two text fields, or weights.
enum class SeededKind { kText, kFields, kWeights };

struct LiveSeedsTest : testing::TestWithParam<SeededKind> {
  static test::Living make(std::uint64_t stream, CodecKind codec, std::size_t documents) {
    return {stream,    codec, GetParam() == SeededKind::kWeights,
            documents, false, GetParam() == SeededKind::kFields ? 2U : 1U};
  }
};

TEST_P(LiveSeedsTest, AreNearlyAllWhenCounted) {
  test::Living living = make(896, CodecKind::kBitpack, 4'000);
  SteppedSeeds stepped(living.index());
  for (int commit = 0; commit < 3; ++commit) {
    living.remove_share(10);
    living.commit();
    const Index& index = stepped.step();
    LiveSeeds at_once(index);
    at_once.remove(index, {}, index.removed());
    std::uint64_t counted = 0;
    std::uint64_t ranks = 0;
    for_each_long_list(index, [&](const PostingsEntry& entry) {
      const LivePostings live(index, entry);
      for (std::size_t place = 0; place < seed_count(entry.document_frequency); ++place) {
        const LiveSeed seed = at_once.get(entry, place);
        ASSERT_EQ(stepped.seeds().get(entry, place).documents, seed.documents);
        ASSERT_LE(seed.documents, live.that_reach(seed.seed));
        counted += seed.documents;
        ranks += kSeedRanks[place];
      }
    });
    EXPECT_LT(counted, ranks);
    EXPECT_GT(counted, ranks / 4);
  }
}

/// The best score of any pair that so many postings reach, with lengths rounded as SeedTable does.
double best_by_force(const LivePostings& live, std::uint32_t rank, double average) {
  double best = 0;
  for (const std::uint32_t frequency : std::set(live.frequencies.begin(), live.frequencies.end())) {
    std::vector<std::uint64_t> lengths;
    for (std::size_t i = 0; i < live.size(); ++i) {
      if (live.frequencies[i] < frequency) continue;
      lengths.push_back(rounded_value(encode_rounded_up(live.lengths[i])));
    }
    if (lengths.size() < rank) continue;
    std::ranges::sort(lengths);
    const auto length = static_cast<double>(lengths[rank - 1]);
    best = std::max(best, default_saturation(std::min(frequency, 255U), length, average));
  }
  return best;
}

double score_of(const ListSeed& seed, double average) {
  return default_saturation(seed.frequency, warpdex::decode_length(seed.length), average);
}

TEST(SeedTable, FindsTheBestPairs) {
  auto random = test::generator(901);
  SeedTable table;
  for (int round = 0; round < 60; ++round) {
    const auto size = static_cast<std::uint32_t>(1 + random() % 3'000);
    LivePostings live;
    for (std::uint32_t i = 0; i < size; ++i) {
      const bool is_any = random() % 50 == 0;
      live.frequencies.push_back(
          1 + static_cast<std::uint32_t>(is_any ? random() >> (33 + random() % 31) : random() % 6));
      live.lengths.push_back(static_cast<std::uint32_t>(is_any ? random() >> (33 + random() % 31)
                                                               : 5 + random() % 3'000));
      table.add(live.frequencies.back(), live.lengths.back(), 1);
      table.add(1 + static_cast<std::uint32_t>(random() % 300), 5, 0);  // does not count
    }
    std::vector<std::uint32_t> ranks{1, 2, 11, 112, 1 + size / 2, size, size + 1};
    std::ranges::sort(ranks);
    const std::vector<ListSeed> seeds = table.take(ranks, 300);
    ASSERT_EQ(seeds.size(), ranks.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      ASSERT_GE(live.that_reach(seeds[i]), ranks[i] <= size ? ranks[i] : 0);
      ASSERT_DOUBLE_EQ(score_of(seeds[i], 300), best_by_force(live, ranks[i], 300))
          << "rank " << ranks[i] << " of " << size;
    }
    EXPECT_EQ(table.take(ranks, 300), std::vector<ListSeed>(ranks.size()));
  }
}

/// Whether a list's seeds hold for its live documents, and are there for all ranks that it reaches.
/// Counts new seeds; no pair of that rank is better.
void expect_renewed(const Index& index, const PostingsEntry& entry, const LiveSeeds& seeds,
                    std::size_t& renewed) {
  const LivePostings live(index, entry);
  const auto stored = list_seeds(index.sections(), entry);
  const IndexCounts& counts = index.counts();
  const TextCounts text = counts.texts.empty() ? TextCounts{counts.documents, counts.tokens}
                                               : counts.texts[entry.field];
  const double average = static_cast<double>(text.tokens) / static_cast<double>(text.documents);
  for (std::size_t place = 0; place < stored.size(); ++place) {
    const LiveSeed seed = seeds.get(entry, place);
    ASSERT_LE(seed.documents, live.that_reach(seed.seed));
    if (live.size() < kSeedRanks[place]) continue;
    ASSERT_GE(seed.documents, kSeedRanks[place]);
    if (seed.seed == stored[place]) continue;
    ++renewed;
    const double best = best_by_force(live, seed.documents, average);
    ASSERT_GE(score_of(seed.seed, average), 0.95 * best) << seed.documents << " documents";
  }
}

TEST_P(LiveSeedsTest, AreAllWhenRenewed) {
  test::Living living = make(898, CodecKind::kPfor, 12'000);
  SteppedSeeds stepped(living.index());
  for (const std::uint64_t percent : {1, 20, 50, 97, 100}) {
    if (percent < 100) {
      living.remove_share(percent);
      living.commit();
    } else {
      living.empty_segment(0, 0, living.live().size());
    }
    const Index& index = stepped.step();
    stepped.seeds().renew(index);
    LiveSeeds at_once(index);
    at_once.remove(index, {}, index.removed());
    at_once.renew(index);
    std::size_t renewed = 0;
    for_each_long_list(index, [&](const PostingsEntry& entry) {
      expect_renewed(index, entry, stepped.seeds(), renewed);
      expect_renewed(index, entry, at_once, renewed);
    });
    ASSERT_FALSE(HasFatalFailure()) << percent << " percent";
    EXPECT_EQ(renewed > 0, percent < 100) << percent << " percent";
  }
}

/// The number of the segment's lists whose seeds differ.
std::size_t count_different(const Index& index, const LiveSeeds& one, const LiveSeeds& other) {
  std::size_t different = 0;
  for_each_long_list(index, [&](const PostingsEntry& entry) {
    bool differs = false;
    for (std::size_t place = 0; place < seed_count(entry.document_frequency); ++place) {
      differs |= one.get(entry, place).documents != other.get(entry, place).documents;
    }
    different += differs ? 1 : 0;
  });
  return different;
}

TEST_P(LiveSeedsTest, TakeTheShortestListsFirst) {
  test::Living living = make(899, CodecKind::kBitpack, 4'000);
  living.remove_share(20);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  const Index& index = *snapshot.segments()[0].index;
  LiveSeeds counted(index);
  counted.remove(index, {}, index.removed());
  std::vector<std::uint32_t> lacking;  // their postings
  for_each_long_list(index, [&](const PostingsEntry& entry) {
    const std::size_t live = LivePostings(index, entry).size();
    for (std::size_t place = 0; place < seed_count(entry.document_frequency); ++place) {
      if (live < kSeedRanks[place]) break;
      if (counted.get(entry, place).documents >= kSeedRanks[place]) continue;
      lacking.push_back(entry.document_frequency);
      break;
    }
  });
  ASSERT_GT(lacking.size(), 20U);
  std::ranges::sort(lacking);
  std::uint64_t postings = 0;
  for (std::size_t i = 0; i < lacking.size(); ++i) {
    LiveSeeds fewer = counted;
    fewer.renew(index, postings + lacking[i] - 1);
    ASSERT_EQ(count_different(index, counted, fewer), i);
    postings += lacking[i];
  }
  LiveSeeds all = counted;
  all.renew(index, postings);
  EXPECT_EQ(count_different(index, counted, all), lacking.size());
}

INSTANTIATE_TEST_SUITE_P(Kinds, LiveSeedsTest,
                         testing::Values(SeededKind::kText, SeededKind::kFields,
                                         SeededKind::kWeights));

// Of a list of 1,500 postings so many are left.
TEST(LiveSeeds, ReachTheLastDocuments) {
  const test::TemporaryFolder folder(test::place_in_memory());
  std::vector<Document> documents;
  auto random = test::generator(900);
  for (int i = 0; i < 1'600; ++i) {
    Document document{"d" + std::to_string(i), "", {}};
    for (std::uint64_t x = i < 1'500 ? 1 + random() % 5 : 0; x > 0; --x) document.text += "x ";
    for (std::uint64_t y = random() % 50; y > 0; --y) document.text += "y ";
    documents.push_back(std::move(document));
  }
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = "whitespace";
  build_index(*documents_from_memory(std::move(documents)), options);
  SteppedSeeds stepped(folder / "index");
  std::size_t left = 1'500;
  for (const std::size_t wanted : {1'032, 1'031, 1'030, 1'000, 999, 100, 99, 10, 9, 1, 0}) {
    LivingIndex writer(folder / "index");
    while (left > wanted) ASSERT_TRUE(writer.remove("d" + std::to_string(--left)));
    writer.commit();
    const Index& index = stepped.step();
    stepped.seeds().renew(index);
    const PostingsEntry entry = index.find("x").value();
    const LivePostings live(index, entry);
    ASSERT_EQ(live.size(), left);
    for (std::size_t place = 0; place < kSeedRanks.size(); ++place) {
      const LiveSeed seed = stepped.seeds().get(entry, place);
      EXPECT_EQ(seed.documents >= kSeedRanks[place], left >= kSeedRanks[place]) << left;
      EXPECT_LE(seed.documents, live.that_reach(seed.seed)) << left;
    }
  }
}

struct Placed final : PlacedIndex {
  using PlacedIndex::PlacedIndex;
  void place(const PostingsEntry&, ListSource&) const override {}
  RawList find_raw(const PostingsEntry&) const override { return {nullptr, 0}; }
};

/// No score bounds these lists.
constexpr float kMost = std::numeric_limits<float>::infinity();

/// A term's lists in all segments of a snapshot with their seeds, and the scores of the live
/// documents.
class TermSeeds {
 public:
  /// Seeds are those of live documents, renewed or not, or as without a forward index.
  enum class Form { kStored, kCounted, kRenewed };

  TermSeeds(const Snapshot& snapshot, const std::string& term, const ScorerSettings& settings,
            Form form) {
    warpdex::Query query;
    query.terms.push_back({term});
    const PlannedQuery plan = plan_query(snapshot, query);
    if (plan.terms.empty()) return;
    const TermScorer scorer =
        make_term_scorer(settings, plan.statistics.value(), plan.terms[0].document_frequency,
                         plan.terms[0].collection_frequency, 1);
    for (std::size_t i = 0; i < snapshot.segments().size(); ++i) {
      if (plan.segments[i].terms.empty()) continue;
      add(*snapshot.segments()[i].index, i, plan.segments[i].terms[0], scorer, form);
    }
    std::ranges::sort(scores_, std::greater{});
  }

  std::span<const SeededList> lists() const { return lists_; }
  /// Falling.
  const std::vector<float>& scores() const { return scores_; }

 private:
  void add(const Index& index, std::size_t segment, const PlannedTerm& term,
           const TermScorer& scorer, Form form) {
    Placed& placed = placed_.emplace_back(index);
    LiveSeeds& live = live_.emplace_back(index);
    live.remove(index, {}, index.removed());
    if (form == Form::kRenewed) live.renew(index);
    if (form != Form::kStored) placed.removals.live_seeds = &live;
    std::vector<std::uint32_t> packed;
    describe_term(placed, term, true, packed, described_.emplace_back());
    lists_.push_back({segment, &described_.back(), scorer, kMost});
    const LivePostings postings(index, term.entry);
    for (std::size_t i = 0; i < postings.size(); ++i) {
      scores_.push_back(scorer(postings.frequencies[i], postings.lengths[i]));
    }
  }

  std::deque<Placed> placed_;
  std::deque<LiveSeeds> live_;
  std::deque<TermList> described_;
  std::vector<SeededList> lists_;
  std::vector<float> scores_;
};

class StartSeedTest : public testing::TestWithParam<ScorerKind> {};

// The seed of several segments is one that k live documents of them reach.
TEST_P(StartSeedTest, EnoughDocumentsReachIt) {
  const bool weights = GetParam() == ScorerKind::kImpact;
  test::Living living(897, CodecKind::kBitpack, weights, 3'000);
  for (int i = 0; i < 3; ++i) {
    living.add_some(1'500);
    living.commit();
  }
  living.remove_share(25);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  std::array<std::size_t, 3> found{};  // by form
  for (int turn = 0; turn < 450; ++turn) {
    const std::string term = "w" + std::to_string(1 + living.below(60));
    const auto k = static_cast<std::uint32_t>(std::array{1, 10, 25, 100, 300, 1000}[turn / 3 % 6]);
    const ScorerSettings settings{
        .kind = GetParam(), .k1 = static_cast<float>(living.below(30)) / 10, .b = 0.75F};
    const auto form = static_cast<TermSeeds::Form>(turn % 3);
    const TermSeeds seeds(snapshot, term, settings, form);
    const float seed = start_seed(seeds.lists(), k);
    if (seed == 0) continue;
    ++found[static_cast<std::size_t>(form)];
    ASSERT_GE(seeds.scores().size(), k);
    EXPECT_LE(seed, seeds.scores()[k - 1]) << term << ", k " << k;
  }
  EXPECT_GT(found[1], 25U);
  EXPECT_GT(found[2], 25U);
}

INSTANTIATE_TEST_SUITE_P(Scorers, StartSeedTest,
                         testing::Values(ScorerKind::kBm25, ScorerKind::kQueryLikelihood,
                                         ScorerKind::kImpact));

}  // namespace
}  // namespace warpdex::gpu
