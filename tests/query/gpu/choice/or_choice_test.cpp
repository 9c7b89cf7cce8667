// Each rule of how OR is answered, at its edges: which part obeys it, and which just does not. The
// numbers are written here once more. Random parts obey one rule of each group.
#include "gpu/choice/or_choice.hpp"

#include <initializer_list>
#include <set>
#include <string>

#include "tests/query/gpu/choice/or_parts.hpp"

namespace warpdex::gpu {
namespace {

using Random = std::mt19937_64;

TEST(OrChoice, SmallBatchesGoByBound) {
  const OrPart small = small_part();
  EXPECT_TRUE(small.obeys(OrRule::kByBound));
  EXPECT_EQ(small.choice().rounds, 0U);
  EXPECT_EQ(small.choice().rules.count(), 1U);
  EXPECT_TRUE(with(small, [](OrPart& part) {
                part.shape.range_blocks = kRangeBlocks;
              }).obeys(OrRule::kRoundsOfMany));
  EXPECT_TRUE(
      with(small, [](OrPart& part) { part.shape.longest_or = 12; }).obeys(OrRule::kByBound));
  EXPECT_TRUE(
      with(small, [](OrPart& part) { part.shape.longest_or = 13; }).obeys(OrRule::kRoundsOfLong));
  EXPECT_TRUE(with(small, [](OrPart& part) {
                part.shape.some_add_up = true;
              }).obeys(OrRule::kRoundsToAddUp));
  EXPECT_TRUE(
      with(small, [](OrPart& part) { part.facts.attempt = 1; }).obeys(OrRule::kRoundsAgain));
  for (const OrMethod method :
       {OrMethod::kAccumulate, OrMethod::kLookUp, OrMethod::kFusedLookUp, OrMethod::kDecodeOnce}) {
    EXPECT_TRUE(
        with(small, [&](OrPart& part) { part.facts.or_by = method; }).obeys(OrRule::kRoundsAsked));
  }
}

// 32 classes of 12 bytes a block may take an eighth of the share.
TEST(OrChoice, BlocksByBoundNeedRoom) {
  const std::size_t needed = std::size_t{32} * 12 * 400 * 8;
  const auto at = [](std::size_t share) {
    return with(small_part(), [&](OrPart& part) { part.memory.share = share; });
  };
  EXPECT_TRUE(at(needed).obeys(OrRule::kByBound));
  EXPECT_TRUE(at(needed - 8).obeys(OrRule::kRoundsForRoom));
}

TEST(OrChoice, TwoRoundsOrThree) {
  const auto rounds = [](const std::function<void(OrPart&)>& change) {
    return with(large_part(), change).choice().rounds;
  };
  EXPECT_EQ(rounds([](OrPart&) {}), 2U);
  EXPECT_EQ(rounds([](OrPart& part) { part.facts.is_resident = false; }), 3U);
  EXPECT_EQ(rounds([](OrPart& part) { part.facts.attempt = 1; }), 3U);
  EXPECT_EQ(rounds([](OrPart& part) {
              part.facts.attempt = 2;
              part.shape.adds_up_only = part.shape.some_add_up = true;
            }),
            2U);
  // Few postings that are read over the bus.
  EXPECT_EQ(rounds([](OrPart& part) {
              part.shape.range_blocks = kShortRangeBlocks;
              part.shape.longest_or = 13;
              part.facts.is_resident = false;
            }),
            2U);
}

// Room for 65,536 documents a query, for 98,304 where k is above 64, or for a quarter of the
// postings.
TEST(OrChoice, FoundDocumentsNeedRoom) {
  const auto at = [](std::uint32_t queries, std::uint32_t k, std::size_t documents) {
    return with(large_part(queries), [&](OrPart& part) {
      part.facts.k = k;
      part.memory.documents = documents;
    });
  };
  EXPECT_TRUE(at(3, 64, 3 * 65'536).obeys(OrRule::kLookUpApart));
  EXPECT_TRUE(at(3, 64, 3 * 65'536 - 1).obeys(OrRule::kLookUpAtOnceForRoom));
  EXPECT_TRUE(at(3, 65, 3 * 98'304).obeys(OrRule::kLookUpApart));
  EXPECT_TRUE(at(3, 65, 3 * 98'304 - 1).obeys(OrRule::kLookUpAtOnceForRoom));
  EXPECT_TRUE(at(100'000, 10, std::size_t{1} << 26).obeys(OrRule::kLookUpApart));
  EXPECT_FALSE(at(100'000, 10, (std::size_t{1} << 26) - 1).choice().has_document_room);
  EXPECT_TRUE(with(large_part(), [](OrPart& part) {
                part.facts.or_by = OrMethod::kFusedLookUp;
              }).obeys(OrRule::kLookUpAtOnceAsked));
  EXPECT_TRUE(with(large_part(), [](OrPart& part) {
                part.facts.attempt = 1;
              }).obeys(OrRule::kLookUpAtOnceAgain));
}

// Of 16 queries or fewer: full tiles are cut, and many exact scores are shared.
TEST(OrChoice, FewQueriesAreSharedOut) {
  const auto pieces = [](std::uint32_t queries, std::size_t blocks_of_tile) {
    return with(large_part(queries),
                [&](OrPart& part) {
                  part.shape.or_blocks = blocks_of_tile * part.shape.tile_entries;
                })
        .choice()
        .tile_pieces;
  };
  EXPECT_EQ(pieces(16, 1024), 1U);
  EXPECT_EQ(pieces(16, 1025), 2U);
  EXPECT_EQ(pieces(16, 2049), 4U);
  EXPECT_EQ(pieces(16, 1 << 20), 8U);
  EXPECT_EQ(pieces(17, 1 << 20), 1U);
  const auto shares = [](std::uint32_t queries, std::uint32_t k, std::uint32_t lists) {
    return with(large_part(queries),
                [&](OrPart& part) {
                  part.facts.k = k;
                  part.shape.or_lists = lists;
                })
        .choice()
        .shares_scores;
  };
  EXPECT_TRUE(shares(1, 4096, 8));
  EXPECT_FALSE(shares(1, 4095, 8));
  EXPECT_TRUE(shares(16, 4096, 16 * 8));
  EXPECT_FALSE(shares(16, 4096, 16 * 8 - 1));
  EXPECT_FALSE(shares(17, 10'000, 17 * 64));
  // Those of more than 64 terms always, also where all are of AND.
  for (const std::uint32_t of_or : {0U, 1000U}) {
    EXPECT_TRUE(with(large_part(),
                     [&](OrPart& part) {
                       part.shape.are_huge = true;
                       part.shape.or_queries = part.shape.or_states = of_or;
                     })
                    .choice()
                    .shares_scores);
  }
}

TEST(OrChoice, TilesAreAnsweredAsAskedAndAsThereAreKernels) {
  EXPECT_EQ(tile_flags(OrMethod::kByCost, UnitForm::kBm25), 0U);
  EXPECT_EQ(tile_flags(OrMethod::kDecodeOnce, UnitForm::kBm25), 0U);
  EXPECT_EQ(tile_flags(OrMethod::kAccumulate, UnitForm::kBm25), kNoLookups);
  EXPECT_EQ(tile_flags(OrMethod::kLookUp, UnitForm::kImpact), kNoTiles);
  EXPECT_EQ(tile_flags(OrMethod::kFusedLookUp, UnitForm::kImpact), kNoTiles);
  EXPECT_EQ(tile_flags(OrMethod::kByCost, UnitForm::kExact), kNoLookups);
  // Of several text fields BM25 has kernels for lookups, and query likelihood none.
  EXPECT_EQ(tile_flags(OrMethod::kByCost, form_of_fields(UnitForm::kBm25)), 0U);
  EXPECT_EQ(tile_flags(OrMethod::kByCost, form_of_fields(UnitForm::kQueryLikelihood)), kNoLookups);
  EXPECT_EQ(form_of_fields(UnitForm::kExact), UnitForm::kExact);
}

TEST(OrChoice, OneLongQueryAddsUpWhereTilesAreMany) {
  EXPECT_TRUE(adds_up_long(OrMethod::kByCost, 1, 512, true));
  EXPECT_FALSE(adds_up_long(OrMethod::kByCost, 2, 512, true));
  EXPECT_FALSE(adds_up_long(OrMethod::kByCost, 1, 511, true));
  EXPECT_FALSE(adds_up_long(OrMethod::kByCost, 1, 512, false));
  EXPECT_FALSE(adds_up_long(OrMethod::kLookUp, 1, 512, true));
}

TEST(OrChoice, SaysWhyAllTilesAreAddedUp) {
  const auto why = [](const std::function<void(OrPart&)>& change) {
    return with(large_part(), [&](OrPart& part) {
      part.shape.adds_up_only = part.shape.some_add_up = true;
      change(part);
    });
  };
  EXPECT_TRUE(why([](OrPart&) {}).obeys(OrRule::kAddUpLong));
  EXPECT_TRUE(
      why([](OrPart& part) { part.shape.some_read_all = true; }).obeys(OrRule::kAddUpMatches));
  EXPECT_TRUE(why([](OrPart& part) {
                part.shape.some_read_all = true;
                part.facts.or_by = OrMethod::kAccumulate;
              }).obeys(OrRule::kAddUpAsked));
  EXPECT_TRUE(
      why([](OrPart& part) { part.shape.form = UnitForm::kExact; }).obeys(OrRule::kAddUpForm));
}

/// How many of the rules [first, last] were obeyed.
std::size_t obeyed(const OrChoice& choice, OrRule first, OrRule last) {
  std::size_t rules = 0;
  for (auto i = static_cast<std::size_t>(first); i <= static_cast<std::size_t>(last); ++i) {
    rules += choice.rules[i] ? 1 : 0;
  }
  return rules;
}

TEST(OrChoice, ObeysOneRuleOfEachGroup) {
  Random random = test::generator(55);
  for (int i = 0; i < 10'000; ++i) {
    const std::initializer_list<OrPart> kinds{small_part(), large_part(), huge_part()};
    OrPart part = kinds.begin()[random() % 3];
    if (random() % 3 == 0) part.facts.attempt = 1;
    if (random() % 3 == 0) part.facts.is_resident = false;
    if (random() % 3 == 0) part.facts.or_by = static_cast<OrMethod>(random() % 5);
    if (random() % 3 == 0) part.shape.adds_up_only = part.shape.some_add_up = true;
    if (random() % 3 == 0) part.shape.longest_or = 40;
    if (random() % 3 == 0) part.memory = {.share = 0, .documents = 0};
    part.shape.stored_rule = part.stored();
    const OrChoice choice = part.choice();
    EXPECT_EQ(obeyed(choice, OrRule::kByBound, OrRule::kRoundsAgain), 1U);
    const bool has_rounds = !choice.is_by_bound();
    EXPECT_EQ(obeyed(choice, OrRule::kTwoToAddUp, OrRule::kThreeAgain), has_rounds ? 1U : 0U);
    EXPECT_EQ(obeyed(choice, OrRule::kAddUpForm, OrRule::kLookUpAtOnceAgain), has_rounds ? 1U : 0U);
    EXPECT_EQ(obeyed(choice, OrRule::kSearchStored, OrRule::kNoneStoredAgain),
              has_rounds ? 1U : 0U);
    ASSERT_FALSE(HasFailure()) << "case " << i;
  }
}

TEST(OrChoice, CountsPartsOfOr) {
  OrCounts counts;
  for (const OrPart& part : {small_part(3), small_part(), large_part()}) {
    count(part.shape, part.choice(), counts);
  }
  OrPart without = small_part();
  without.shape.or_queries = 0;
  count(without.shape, without.choice(), counts);
  EXPECT_EQ(counts.parts, 3U);
  EXPECT_EQ(counts.queries, 3U + 1 + 1000);
  EXPECT_EQ(counts.lists, 4U * (3 + 1 + 1000));
  EXPECT_EQ(counts.postings, 400U * 128 * (3 + 1) + (1U << 28));
  EXPECT_EQ(counts.by_rule[static_cast<std::size_t>(OrRule::kByBound)], 2U);
  EXPECT_EQ(counts.by_rule[static_cast<std::size_t>(OrRule::kRoundsOfMany)], 1U);
}

TEST(OrChoice, EachRuleHasWordsOfItsOwn) {
  std::set<std::string> names;
  std::set<std::string> words;
  for (std::size_t i = 0; i < kOrRules; ++i) {
    const OrRuleText& text = text_of(static_cast<OrRule>(i));
    EXPECT_TRUE(names.emplace(text.name).second) << text.name;
    EXPECT_TRUE(words.insert(std::string(text.choice) + text.reason.data()).second) << text.name;
    EXPECT_NE(text.reason, "");
  }
}

}  // namespace
}  // namespace warpdex::gpu
