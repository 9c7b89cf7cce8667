// A planner makes the plans that are made without one, also when it knows too many terms.
#include "warpdex/query/plan/query_planner.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/support.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kTerms = 20'000;  // more than a planner remembers

std::string term_of(std::uint64_t number) { return "w" + std::to_string(number); }

std::vector<Document> documents_from(std::size_t first, std::mt19937_64& random) {
  std::vector<Document> documents;
  for (std::size_t i = 0; i < 50; ++i) {
    std::string text;
    for (std::size_t word = i; word < kTerms; word += 50) text += term_of(word) + " ";
    for (int n = 0; n < 100; ++n) text += term_of(random() % 200) + " ";
    documents.push_back({"d" + std::to_string(first + i), text});
  }
  return documents;
}

void expect_same(const PlannedQuery& plan, const PlannedQuery& wanted) {
  EXPECT_EQ(plan.misses_must, wanted.misses_must);
  EXPECT_EQ(plan.misses_unsigned, wanted.misses_unsigned);
  EXPECT_EQ(plan.excluded_words.size(), wanted.excluded_words.size());
  ASSERT_EQ(plan.terms.size(), wanted.terms.size());
  for (std::size_t i = 0; i < plan.terms.size(); ++i) {
    const PlannedTerm& term = plan.terms[i];
    const PlannedTerm& other = wanted.terms[i];
    EXPECT_EQ(term.entry.term_number, other.entry.term_number);
    EXPECT_EQ(term.entry.document_frequency, other.entry.document_frequency);
    EXPECT_EQ(term.entry.short_offset, other.entry.short_offset);
    EXPECT_EQ(term.entry.docid_offset, other.entry.docid_offset);
    EXPECT_EQ(term.weight, other.weight);
    EXPECT_EQ(term.is_must, other.is_must);
    EXPECT_EQ(term.is_prohibited, other.is_prohibited);
    EXPECT_EQ(term.document_frequency, other.document_frequency);
    EXPECT_EQ(term.collection_frequency, other.collection_frequency);
    EXPECT_EQ(term.removed, other.removed);
  }
  ASSERT_EQ(plan.segments.size(), wanted.segments.size());
  for (std::size_t i = 0; i < plan.segments.size(); ++i) {
    expect_same(plan.segments[i], wanted.segments[i]);
  }
}

TEST(QueryPlanner, PlansAreThoseMadeWithoutOne) {
  auto random = test::generator(1);
  const test::TemporaryFolder folder;
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = "whitespace";
  options.threads = 1;
  build_index(*documents_from_memory(documents_from(0, random)), options);
  for (const bool is_plain : {true, false}) {
    if (!is_plain) {
      LivingIndex living(folder / "index");
      living.add(*documents_from_memory(documents_from(50, random)), {});
      living.remove("d3");
      living.commit();
    }
    const Snapshot snapshot = Snapshot::open(folder / "index");
    EXPECT_EQ(snapshot.is_plain(), is_plain);
    QueryPlanner planner(snapshot);
    for (std::size_t i = 0; i < 3 * kTerms; ++i) {
      Query query;
      // All terms once, each with a common one and one that may be unknown.
      for (const std::uint64_t number : {i % kTerms, random() % 200, random() % (2 * kTerms)}) {
        const auto occur = static_cast<Occur>(random() % 16 < 13 ? 0 : random() % 3);
        query.terms.push_back({term_of(number), occur, 1.0F + static_cast<float>(random() % 3)});
      }
      expect_same(planner.plan(query), plan_query(snapshot, query));
      ASSERT_FALSE(HasFailure()) << "query " << i;
    }
  }
}

}  // namespace
}  // namespace warpdex
