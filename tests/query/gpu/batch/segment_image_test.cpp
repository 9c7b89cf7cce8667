// The image of a batch over a segment of a changed index: lists score by the whole snapshot's
// statistics, thresholds are ones that k live documents reach, and removed postings do not count as
// matches. Needs no GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "cpu/segment_search.hpp"
#include "gpu/batch/batch_builder.hpp"
#include "tests/query/engine/living_support.hpp"
#include "tests/query/gpu/batch/joined_snapshot_support.hpp"
#include "tests/reference/compare.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex::gpu {
namespace {

/// The image of one query.
struct OneImage {
  OneImage(const PlacedIndex& index, SegmentPlans plans, const SearchSettings& settings) {
    BatchBuilder builder(index, {});
    const std::vector<std::uint32_t> slots{0};
    shape = builder.measure(plans, slots, std::span(&settings, 1));
    memory.resize(lay_out(shape, nullptr).image_bytes / sizeof(List) + 1);
    host = lay_out(shape, memory.data());
    builder.write(1'000, host, host);
  }
  std::span<const List> lists() const { return {host.lists, shape.lists}; }
  std::span<const Query> queries() const {
    return {host.queries, shape.and_queries + shape.and_fallback_queries + shape.or_queries};
  }

  BatchShape shape;
  std::vector<List> memory;
  ImageParts host{};
};

/// The k-th best score of a segment's live matches; -1 if there are fewer.
double kth_score(const Index& index, const PlannedQuery& plan, const SearchSettings& settings) {
  const SearchedSegment segment(index);
  SegmentSearch search;
  if (!search.open(segment, plan, settings.mode == QueryMode::kAnd, settings)) return -1;
  SearchScratch scratch;
  TopK top;
  top.reset(settings.k);
  search.run(~std::uint64_t{0}, settings, false, scratch, top);
  std::vector<TopK::Entry> entries;
  top.take(entries);
  return entries.size() < settings.k ? -1 : static_cast<double>(entries.back().score);
}

void expect_scorers(const OneImage& image, const PlannedQuery& plan,
                    const SearchSettings& settings) {
  std::vector<PlannedTerm> terms;  // in the order of the image
  for (const bool prohibited : {false, true}) {
    std::ranges::copy_if(plan.terms, std::back_inserter(terms),
                         [&](const PlannedTerm& term) { return term.is_prohibited == prohibited; });
  }
  ASSERT_EQ(image.lists().size() % terms.size(), 0U);
  for (std::size_t i = 0; i < image.lists().size(); ++i) {
    const PlannedTerm& term = terms[i % terms.size()];
    const List& list = image.lists()[i];
    const TermScorer wanted =
        make_term_scorer(settings.scorer, plan.statistics_for(term, {}), term.document_frequency,
                         term.collection_frequency, term.weight > 0 ? term.weight : 1.0F);
    EXPECT_EQ(list.field, term.entry.field);
    EXPECT_EQ(list.weight, wanted.weight);
    EXPECT_EQ(list.c0, wanted.c0);
    EXPECT_EQ(list.c1, wanted.c1);
    EXPECT_EQ(list.size, term.entry.document_frequency);
  }
}

/// The parameter: text fields.
class SegmentImage : public testing::TestWithParam<std::size_t> {};

TEST_P(SegmentImage, HoldsTheSnapshotsScorersAndValidThresholds) {
  test::Living living(890, CodecKind::kBitpack, false, 3'000, false, GetParam());
  living.add_some(2'000);
  living.commit();
  living.remove_share(30);
  living.add_some(500);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  ASSERT_EQ(snapshot.segments().size(), 3U);
  test::LivingLog log(living, snapshot, 600);
  std::size_t seeded = 0;
  for (std::size_t i = 0; i < log.plans.size(); ++i) {
    for (std::size_t segment = 0; segment < 3; ++segment) {
      const Index& index = *snapshot.segments()[segment].index;
      const PlannedQuery& plan = log.plans[i].segments[segment];
      if (plan.terms.empty()) continue;
      const PlacedSegment placed(index);
      const SegmentPlans plans(std::span(log.plans).subspan(i, 1), segment);
      SearchSettings& settings = log.settings[i];
      if (settings.mode == QueryMode::kAndOr) settings.mode = QueryMode::kOr;
      const OneImage image(placed, plans, settings);
      if (!image.lists().empty()) expect_scorers(image, plan, settings);
      const double kth = kth_score(index, plan, settings);
      SearchSettings known = settings;
      known.known_threshold = 1e9F;  // far above all scores here
      const OneImage capped(placed, plans, known);
      for (std::size_t j = 0; j < image.queries().size(); ++j) {
        const Query& query = image.queries()[j];
        EXPECT_LE(capped.queries()[j].seed_threshold, query.unit_cap);
        EXPECT_GE(query.unit_cap, kth * static_cast<double>(query.scale));
        if (query.flags & kOneList) {
          const PlannedTerm& term = plan.terms[0];
          EXPECT_EQ(image.host.list_matches[0], term.entry.document_frequency - term.removed);
        }
        if (query.seed_threshold == 0) continue;
        ++seeded;
        EXPECT_LE(query.seed_threshold, kth * static_cast<double>(query.scale))
            << reference::describe(log.queries[i]) << reference::describe(settings);
      }
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(seeded, 10U);
}

// Scales are those of an index that was built anew from the live documents.
TEST_P(SegmentImage, ScalesByLiveDocuments) {
  test::Living living(902, CodecKind::kBitpack, false, 3'000, false, GetParam());
  living.remove_share(30);
  living.commit();
  const test::TemporaryFolder folder(test::place_in_memory());
  living.build(folder / "anew", living.live());
  const Index anew = Index::open(folder / "anew");
  const PlacedSegment placed_anew(anew);
  const Snapshot snapshot = Snapshot::open(living.index());
  const PlacedSegment placed(*snapshot.segments()[0].index);
  test::LivingLog log(living, snapshot, 600);
  for (std::size_t i = 0; i < log.plans.size(); ++i) {
    if (log.plans[i].segments[0].terms.empty()) continue;
    log.settings[i].scorer.kind = ScorerKind::kBm25;  // others know removed occurrences
    const PlannedQuery plan = plan_query(anew, log.queries[i]);
    const OneImage image(placed, SegmentPlans(std::span(log.plans).subspan(i, 1), 0),
                         log.settings[i]);
    const OneImage wanted(placed_anew, SegmentPlans(std::span(&plan, 1)), log.settings[i]);
    ASSERT_EQ(image.queries().size(), wanted.queries().size());
    for (std::size_t j = 0; j < image.queries().size(); ++j) {
      EXPECT_EQ(image.queries()[j].unit_cap, wanted.queries()[j].unit_cap);
      EXPECT_EQ(image.queries()[j].scale, wanted.queries()[j].scale)
          << reference::describe(log.queries[i]) << reference::describe(log.settings[i]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fields, SegmentImage, testing::Values(1, 3));

// BM25 has a form of its own where fields are several; others take the exact form.
TEST(BatchBuilder, KnowsTextFields) {
  for (const std::size_t fields : {1, 2, 8, 9}) {
    test::Living living(903, CodecKind::kBitpack, false, 300, false, fields);
    const Snapshot snapshot = Snapshot::open(living.index());
    const PlacedSegment placed(*snapshot.segments()[0].index);
    const PlannedQuery plan = plan_query(snapshot, warpdex::Query{"", {{"w1"}}});
    const std::vector<std::uint32_t> slots{0};
    BatchBuilder builder(placed, {});
    SearchSettings settings;
    builder.measure(std::span(&plan, 1), slots, std::span(&settings, 1));
    EXPECT_EQ(builder.form(), fields == 1 ? UnitForm::kBm25 : UnitForm::kFieldBm25);
    ASSERT_EQ(builder.fields().count, fields == 1 || fields == 9 ? 0 : fields);
    for (std::uint32_t field = 0; field < builder.fields().count; ++field) {
      const double average = snapshot.text_statistics()[field].average_length();
      EXPECT_FLOAT_EQ(builder.fields().c1[field], static_cast<float>(0.9 * 0.4 / average));
    }
    settings.scorer.kind = ScorerKind::kQueryLikelihood;
    builder.measure(std::span(&plan, 1), slots, std::span(&settings, 1));
    EXPECT_EQ(builder.form(), fields == 1 ? UnitForm::kQueryLikelihood : UnitForm::kExact);
  }
}

// Where half of the documents pass a filter, OR starts from a score that six times k of all
// documents reach; without a guess it starts from 0, since no score is known that k of these reach.
TEST(BatchBuilder, GuessesWhereAFilterLetsHalfThrough) {
  test::Living living(904, CodecKind::kBitpack, false, 5'000);
  const Snapshot snapshot = Snapshot::open(living.index());
  const Index& index = *snapshot.segments()[0].index;
  vector::RowFilter half(snapshot.docid_end());
  for (std::size_t document = 0; document < half.rows(); document += 2) half.add(document);
  const DocumentFilter filter = filter_of(snapshot, half);
  const PlacedSegment placed(index);
  const test::LivingLog log(living, snapshot, 400);
  std::size_t guessed = 0;
  for (std::size_t i = 0; i < log.plans.size(); ++i) {
    SearchSettings settings = log.settings[i];
    settings.mode = QueryMode::kOr;
    settings.k = static_cast<std::uint32_t>(1 + i % 20);
    SearchSettings filtered = settings;
    filtered.documents = &filter;
    const std::vector<std::uint32_t> slots{0};
    const SegmentPlans plans(std::span(log.plans).subspan(i, 1));
    std::vector<float> guesses{-1};
    BatchBuilder builder(placed, {});
    builder.measure(plans, slots, std::span(&filtered, 1));
    builder.read_guesses(guesses);
    EXPECT_EQ(guesses[0], 0);
    for (const Query& query : OneImage(placed, plans, filtered).queries()) {
      EXPECT_EQ(query.seed_threshold, 0U);
    }
    builder.measure(plans, slots, std::span(&filtered, 1), nullptr, true);
    builder.read_guesses(guesses);
    if (guesses[0] == 0) continue;
    ++guessed;
    settings.k *= 6;
    EXPECT_LE(guesses[0], kth_score(index, log.plans[i], settings));
  }
  EXPECT_GT(guessed, 0U);
}

}  // namespace
}  // namespace warpdex::gpu
