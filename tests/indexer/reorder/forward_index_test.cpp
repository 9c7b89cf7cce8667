// Which lists count for an order, and the terms of each document.
#include "reorder/forward_index.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"

namespace warpdex::test {
namespace {

using reorder::ForwardPlan;

class ForwardIndexTest : public testing::Test {
 protected:
  void SetUp() override {
    auto random = generator(560);
    const auto documents = random_documents(random, 3000, 4000, 80);
    collection_ = invert(documents);
    build_from_memory(documents, options_for(folder_ / "index"));
  }

  /// The plan's figures against all lists of its length and more.
  void expect_counted(const ForwardPlan& plan) const {
    std::uint64_t terms = 0;
    std::uint64_t postings = 0;
    for (const auto& [term, list] : collection_.lists) {
      if (list.size() < plan.min_list) continue;
      terms += 1;
      postings += list.size();
    }
    EXPECT_EQ(plan.terms, terms) << plan.min_list;
    EXPECT_EQ(plan.postings, postings) << plan.min_list;
  }

  const TemporaryFolder folder_{place_in_memory()};
  Collection collection_;
};

TEST_F(ForwardIndexTest, PlansTheMostListsThatFit) {
  const Index index = Index::open(folder_ / "index");
  for (const std::uint32_t min : {2U, 3U, 8U, 9U, 127U, 1000U, 1U << 31}) {
    const ForwardPlan all = reorder::plan_forward_index(index, min, ~0ULL, [] {});
    EXPECT_EQ(all.min_list, min);
    EXPECT_EQ(all.memory, all.wished_memory);
    expect_counted(all);
  }
  const ForwardPlan all = reorder::plan_forward_index(index, 2, ~0ULL, [] {});
  std::uint32_t min_before = 2;
  for (std::uint64_t memory = all.memory; memory > 75'000; memory -= memory / 20) {
    const ForwardPlan plan = reorder::plan_forward_index(index, 2, memory, [] {});
    ASSERT_LE(plan.memory, memory);
    EXPECT_EQ(plan.wished_memory, all.memory);
    EXPECT_GE(plan.min_list, min_before);
    expect_counted(plan);
    min_before = plan.min_list;
  }
  EXPECT_GT(min_before, 100U);
  const ForwardPlan none = reorder::plan_forward_index(index, 2, 100, [] {});
  EXPECT_EQ(none.terms, 0U);
  EXPECT_GT(none.memory, 100U);  // the documents' tables
}

// Term numbers are the forward index's own: documents must share them as they share terms, and the
// longest lists have the lowest.
TEST_F(ForwardIndexTest, HoldsTheTermsOfEachDocument) {
  const Index index = Index::open(folder_ / "index");
  for (const std::uint32_t min : {2U, 20U, 1000U}) {
    const ForwardPlan plan = reorder::plan_forward_index(index, min, ~0ULL, [] {});
    double last = 0;
    const reorder::ForwardIndex forward =
        reorder::read_forward_index(index, plan, [&](double share) {
          EXPECT_GE(share, last);
          EXPECT_LE(last = share, 1);
        });
    ASSERT_EQ(forward.documents(), collection_.names.size());
    ASSERT_EQ(forward.term_count, plan.terms);
    std::vector<std::set<std::uint32_t>> documents_of(forward.term_count);
    for (std::uint32_t document = 0; document < forward.documents(); ++document) {
      for (const std::uint32_t term : forward.row(document)) {
        EXPECT_TRUE(documents_of.at(term).insert(document).second);
      }
    }
    EXPECT_TRUE(std::is_sorted(documents_of.begin(), documents_of.end(),
                               [](const auto& a, const auto& b) { return a.size() > b.size(); }));
    std::multiset<std::set<std::uint32_t>> expected;
    for (const auto& [term, list] : collection_.lists) {
      if (list.size() < min) continue;
      std::set<std::uint32_t> documents;
      for (const auto& [docid, frequency] : list) documents.insert(docid);
      expected.insert(std::move(documents));
    }
    EXPECT_EQ(std::multiset(documents_of.begin(), documents_of.end()), expected);
  }
}

}  // namespace
}  // namespace warpdex::test
