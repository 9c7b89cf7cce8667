// Whether lists are decoded once for all queries, and how: each rule at its edges.
#include "tests/query/gpu/choice/or_parts.hpp"

namespace warpdex::gpu {
namespace {

TEST(OrChoice, ListsAreDecodedOnce) {
  const OrPart large = large_part();
  EXPECT_EQ(large.stored(), OrRule::kSearchStored);
  const auto stored = [&](const std::function<void(OrPart&)>& change) {
    return with(large, change).stored();
  };
  EXPECT_EQ(stored([](OrPart& part) { --part.shape.or_postings; }), OrRule::kNoneStoredFew);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.segments = 2; }), OrRule::kNoneStoredSegments);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.has_static = true; }), OrRule::kNoneStoredStatic);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.adds_up_only = true; }),
            OrRule::kNoneStoredAddsUp);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.form = UnitForm::kQueryLikelihood; }),
            OrRule::kNoneStoredForm);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.form = UnitForm::kFieldBm25; }),
            OrRule::kSearchStored);
  EXPECT_EQ(stored([](OrPart& part) { part.facts.or_by = OrMethod::kLookUp; }),
            OrRule::kNoneStoredAsked);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.form = UnitForm::kImpact; }),
            OrRule::kAddStoredForm);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.or_lists = 12'000; }), OrRule::kSearchStored);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.or_lists = 12'001; }), OrRule::kAddStoredLong);
  // Each list is used five times: 2^28 postings of 2^28 / 5 that are decoded.
  EXPECT_EQ(stored([](OrPart& part) { part.shape.stored_blocks = 419'430; }),
            OrRule::kSearchStored);
  EXPECT_EQ(stored([](OrPart& part) { part.shape.stored_blocks = 419'431; }),
            OrRule::kNoneStoredUses);
  // They are worth 100,000 postings of each of the 1,000 queries, unless they are added up.
  const auto of_many = [&](std::uint32_t blocks, UnitForm form) {
    return stored([&](OrPart& part) {
      part.shape.or_postings = std::size_t{1} << 40;
      part.shape.stored_blocks = blocks;
      part.shape.form = form;
    });
  };
  EXPECT_EQ(of_many(781'250, UnitForm::kBm25), OrRule::kSearchStored);
  EXPECT_EQ(of_many(781'251, UnitForm::kBm25), OrRule::kNoneStoredUses);
  EXPECT_EQ(of_many(781'251, UnitForm::kImpact), OrRule::kAddStoredForm);
  // What is asked for is done with few uses, too.
  EXPECT_EQ(stored([](OrPart& part) {
              part.shape.or_postings = 1000;
              part.shape.stored_blocks = 8;
              part.facts.or_by = OrMethod::kDecodeOnce;
            }),
            OrRule::kSearchStored);
}

// 65,536 documents for each answer, or 8,192 from 2,048 queries on.
TEST(OrChoice, ManyAnswersAreAddedUp) {
  const auto at = [](std::uint32_t queries, std::uint64_t documents) {
    return with(large_part(queries),
                [&](OrPart& part) {
                  part.facts.documents = documents;
                  part.facts.k = 100;
                })
        .stored();
  };
  EXPECT_EQ(at(2047, 6'553'600), OrRule::kSearchStored);
  EXPECT_EQ(at(2047, 6'553'599), OrRule::kAddStoredAnswers);
  EXPECT_EQ(at(2048, 819'200), OrRule::kSearchStored);
  EXPECT_EQ(at(2048, 819'199), OrRule::kAddStoredAnswers);
}

TEST(OrChoice, DecodedListsNeedRoom) {
  OrPart part = large_part();
  BatchShape& shape = part.shape;
  shape.stored_rows = 50;
  shape.stored_blocks = 10'000;
  shape.stored_rule = OrRule::kSearchStored;
  const std::size_t numbers = 10'000 * 128 + 50 * 612 + 1000 * 611;
  const std::size_t added = 2 * numbers * 4;
  const std::size_t searched = added + 2 * (4000 * sizeof(StoredUse) + 1000 * sizeof(StoredQuery));
  const auto at = [&](OrRule rule, std::size_t share) {
    return with(part,
                [&](OrPart& other) {
                  other.shape.stored_rule = rule;
                  other.memory.share = share;
                })
        .choice()
        .has_stored;
  };
  EXPECT_TRUE(at(OrRule::kSearchStored, searched));
  EXPECT_FALSE(at(OrRule::kSearchStored, searched - 2));
  EXPECT_TRUE(at(OrRule::kAddStoredLong, added));
  EXPECT_FALSE(at(OrRule::kAddStoredLong, added - 2));
  EXPECT_FALSE(at(OrRule::kNoneStoredFew, searched));
  const auto is_refused = [&](const std::function<void(OrPart&)>& change, OrRule rule) {
    const OrPart other = with(part, change);
    return !other.choice().has_stored && other.obeys(rule);
  };
  EXPECT_TRUE(part.choice().has_stored);
  EXPECT_TRUE(
      is_refused([](OrPart& other) { other.memory.has_stored = false; }, OrRule::kNoneStoredRoom));
  EXPECT_TRUE(
      is_refused([](OrPart& other) { other.facts.is_resident = false; }, OrRule::kNoneStoredRoom));
  EXPECT_TRUE(is_refused([](OrPart& other) { other.facts.attempt = 1; }, OrRule::kNoneStoredAgain));
  // Kernels count postings by 32 bits.
  EXPECT_TRUE(is_refused(
      [](OrPart& other) {
        other.shape.stored_blocks = 1U << 25;
        other.memory.share = std::size_t{1} << 40;
      },
      OrRule::kNoneStoredRoom));
}

}  // namespace
}  // namespace warpdex::gpu
