// Sums of long queries that come near the top of their scale, and scores that hardly differ: on a
// GPU as by the CPU, to the bit.
#include <array>
#include <string>
#include <vector>

#include "gpu/layout/layout.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

constexpr std::uint32_t kAlikeTerms = 1024;

/// Documents of one length, which have nearly all terms, each so often that it scores nearly the
/// most that it can. Few postings differ, by one in a thousand or so: so do the scores in the last
/// bits, and many are equal.
Collection make_alike(Random& random, std::uint32_t documents) {
  Collection collection;
  for (std::uint32_t i = 0; i < documents; ++i) collection.add_document_of_length({}, 500);
  for (std::uint32_t term = 0; term < kAlikeTerms; ++term) {
    std::vector<reference::Posting> postings;
    for (std::uint32_t document = 0; document < documents; ++document) {
      if (random() % 700 == 0) continue;
      postings.push_back({document, random() % 50 == 0 ? 999U + document % 2 : 1000U});
    }
    collection.add_list('t' + std::to_string(term), std::move(postings));
  }
  return collection;
}

/// Of so many terms: of one weight, of weights that differ, and one that is nearly all of the
/// score.
std::vector<Query> alike_queries(Random& random, std::uint32_t terms) {
  Query plain;
  for (std::uint32_t i = 0; i < terms; ++i) {
    plain.terms.push_back({'t' + std::to_string(i), Occur::kUnsigned});
  }
  Query weighted = plain;
  for (QueryTerm& term : weighted.terms) term.weight = 0.5F + static_cast<float>(random() % 64) / 7;
  Query uneven = plain;
  for (QueryTerm& term : uneven.terms) term.weight = 0.001F;
  uneven.terms[random() % terms].weight = 1000;
  Query whole = plain;
  for (QueryTerm& term : whole.terms) term.weight = static_cast<float>(1 + random() % 40);
  return {plain, weighted, uneven, whole};
}

class GpuLongQueriesSums : public testing::TestWithParam<bool> {};  // of impacts

TEST_P(GpuLongQueriesSums, NearTheTopAreAsByTheCpu) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(1607);
  constexpr std::uint32_t kDocuments = 3'007;
  const test::TemporaryFolder folder;
  test::write_index_of(make_alike(random, kDocuments), GetParam(), {CodecKind::kBitpack, 1},
                       folder / "index");
  const test::UploadedIndex uploaded(folder / "index");
  std::vector<Query> queries;
  std::vector<PlannedQuery> plans;
  for (const std::uint32_t terms : {65U, 256U, kAlikeTerms}) {
    for (Query& query : alike_queries(random, terms)) {
      plans.push_back(plan_query(uploaded.index(), query));
      queries.push_back(std::move(query));
    }
  }
  GpuEngine engine(uploaded.gpu_index());
  for (const QueryMode mode : test::kAllModes) {
    for (const std::uint32_t k : {1U, 10U, 1000U, kDocuments}) {
      const SearchSettings settings = test::settings_of(mode, k, k == 10);
      const std::vector<SearchResult> right =
          test::search_on_cpu(uploaded.index(), queries, settings, 0);
      const BatchAnswers answers = engine.run(plans, std::span(&settings, 1));
      for (std::size_t i = 0; i < plans.size(); ++i) {
        ASSERT_TRUE(answers[i].is_answered);
        ASSERT_EQ(test::disagreement(right[i], answers.result(i), settings), "")
            << plans[i].terms.size() << " terms, " << reference::describe(settings) << ", query "
            << i;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuLongQueriesSums, testing::Bool());

}  // namespace
}  // namespace warpdex
