// Query likelihood where smoothing leaves nothing above 0: documents are ranked by the logarithms
// all the same, by every codec and for every k, and in runs as well.
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <sstream>

#include "tests/query/engine/cut_likelihoods.hpp"
#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/evaluation/trec_run.hpp"

namespace warpdex {
namespace {

using reference::Collection;

constexpr std::uint32_t kDocuments = 20'000;

ScorerSettings likelihood(float mu) { return {.kind = ScorerKind::kQueryLikelihood, .mu = mu}; }

std::vector<Query> some_queries(test::Random& random) {
  std::vector<Query> queries = test::queries_from(
      {"a", "a -dense", "rare -dense", "a b", "a b c -dense", "a b c d rare", "a b c d rare -dense",
       "+a b d -dense", "+b +rare a", "dense a", "a a a rare -dense"});
  for (int i = 0; i < 4; ++i) {
    queries.push_back(reference::query_from("a b c d rare -dense"));
    test::give_weights(random, queries.back());
  }
  return queries;
}

TEST(CutLikelihoods, AreRankedAsTheOracleDoes) {
  test::Random random = test::generator(91);
  const Collection collection = test::make_cut_collection(random, kDocuments);
  const std::vector<Query> queries = some_queries(random);
  for (const CodecSettings& codec : test::all_codecs()) {
    const test::TemporaryFolder folder;
    test::write_index(collection, codec, folder / "index");
    const Index index = Index::open(folder / "index");
    CpuSearcher searcher(index);
    for (const float mu : {1.F, 1000.F, 1e6F}) {
      for (const std::uint32_t k : {1U, 10U, 1000U}) {
        const QueryMode mode = test::kAllModes[random() % 3];
        const SearchSettings settings = test::settings_of(mode, k, false, likelihood(mu));
        for (const Query& query : queries) {
          const test::Truth truth = test::find_truth(collection, query, settings);
          ASSERT_EQ(test::judge(truth, searcher.search(query, settings), settings), "")
              << test::describe(kDocuments, codec, settings, query);
        }
      }
    }
  }
}

/// A document's terms, one bit each, and the sum of their logarithms, by the textbook.
struct Uncut {
  unsigned terms = 0;
  double sum = 0;
};

std::map<std::uint32_t, Uncut> uncut_sums(const Collection& collection, const Query& query,
                                          double mu) {
  std::map<std::uint32_t, Uncut> sums;
  for (std::size_t i = 0; i < query.terms.size(); ++i) {
    const std::string& term = query.terms[i].term;
    const double share = static_cast<double>(collection.collection_frequency(term)) /
                         static_cast<double>(collection.tokens());
    for (const auto& [document, frequency] : collection.postings(term)) {
      Uncut& uncut = sums[document];
      uncut.terms |= 1U << i;
      uncut.sum += std::log((frequency + mu * share) / (collection.lengths()[document] + mu)) -
                   std::log(share);
    }
  }
  return sums;
}

// Without the oracle's own statement: documents with the same terms come by the sum of their
// logarithms, documents with more of the terms before those with fewer, no two alike.
TEST(CutLikelihoods, ComeByTheSumOfTheirLogarithms) {
  test::Random random = test::generator(92);
  const Collection collection = test::make_cut_collection(random, kDocuments);
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  CpuSearcher searcher(index);
  for (const double mu : {100.0, 1000.0, 20'000.0}) {
    const Query query = reference::query_from("a b c");
    std::map<std::uint32_t, Uncut> sums = uncut_sums(collection, query, mu);
    const SearchResult result = searcher.search(
        query, test::settings_of(QueryMode::kOr, 1000, false, likelihood(static_cast<float>(mu))));
    ASSERT_EQ(result.hits.size(), 1000U);
    std::map<unsigned, double> last;  // by the set of terms
    std::size_t cut = 0;
    for (const Hit& hit : result.hits) {
      EXPECT_GT(hit.score, 0.F);
      const Uncut& here = sums.at(hit.document);
      const bool is_cut = hit.score < 1e-20F;
      EXPECT_EQ(is_cut, here.sum < 0) << hit.document;
      if (!is_cut) continue;
      ++cut;
      const auto before = last.find(here.terms);
      if (before != last.end()) {
        ASSERT_LE(here.sum, before->second + 1e-5) << hit.document;
      }
      last[here.terms] = here.sum;
      // 16 for each term that counts this, and the logarithms are above -8.
      EXPECT_NEAR(hit.score * 0x1p90, 16 * std::popcount(here.terms) + here.sum, 1e-4);
    }
    EXPECT_EQ(cut, 1000 - collection.postings("dense").size());
    EXPECT_EQ(last.rbegin()->first, 7U);
  }
}

// An evaluation tool sorts a run's lines by their scores, so these must tell documents apart.
TEST(CutLikelihoods, KeepTheirOrderInARun) {
  test::Random random = test::generator(93);
  const Collection collection = test::make_cut_collection(random, 3'000);
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  CpuSearcher searcher(index);
  const SearchResult result =
      searcher.search(reference::query_from("a -dense"),
                      test::settings_of(QueryMode::kOr, 1000, false, likelihood(1000)));
  std::vector<NamedHit> hits;
  for (const Hit& hit : result.hits) {
    hits.push_back({index.document_name(hit.document), hit.score});
  }
  std::ostringstream run;
  TrecRunWriter writer(run, "test");
  writer.write({.id = "1", .hits = hits});
  writer.finish();
  std::istringstream lines(run.str());
  std::set<float> scores;
  float before = 1;
  std::size_t count = 0;
  for (std::string id, q0, document, rank, score, tag;
       lines >> id >> q0 >> document >> rank >> score >> tag; ++count) {
    EXPECT_LE(std::stof(score), before);
    before = std::stof(score);
    scores.insert(before);
  }
  EXPECT_EQ(count, 1000U);
  EXPECT_GT(scores.size(), 900U);  // lengths and frequencies of a few are the same
}

}  // namespace
}  // namespace warpdex
