// Trees against the oracle's formulas, applied clause by clause in double precision, and over
// changed indexes against ones that are built at once.
#include "warpdex/query/tree/tree_searcher.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/living_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/tree/slow_trees.hpp"
#include "tests/reference/oracle.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/tree/tree_query.hpp"

namespace warpdex {
namespace {

using test::chosen_terms;
using test::Matches;
using test::SlowTrees;
using test::told;
using test::TreeKind;
using test::TreeMaker;

Query asked(const QueryNode& tree) {
  Query query;
  take_tree(query, tree, *make_analyzer({"whitespace"}));
  return query;
}

/// The tree, even where terms ask the same.
TreeResult search(TreeSearcher& searcher, const QueryNode& tree, const SearchSettings& settings) {
  const Query query = asked(tree);
  return query.terms.empty() && !query.tree
             ? TreeResult{}
             : searcher.search(query.tree ? *query.tree : tree, settings);
}

void expect_answer(const TreeResult& found, const Matches& matches, const SearchSettings& settings,
                   const reference::Collection& collection) {
  const std::vector<Hit>& hits = found.result.hits;
  ASSERT_EQ(hits.size(), std::min<std::size_t>(settings.k, matches.size()));
  if (settings.count) {
    EXPECT_EQ(found.result.matches, matches.size());
  }
  const auto total = [&](std::uint32_t document, double score) {
    return score + static_cast<double>(collection.static_scores()[document]);
  };
  std::map<std::uint32_t, bool> is_found;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const auto match = matches.find(hits[i].document);
    ASSERT_NE(match, matches.end()) << hits[i].document;
    const double wanted = total(match->first, match->second);
    EXPECT_NEAR(hits[i].score, wanted, 1e-5 * (1 + wanted));
    is_found[hits[i].document] = true;
    if (i == 0) continue;
    EXPECT_TRUE(hits[i - 1].score > hits[i].score ||
                (hits[i - 1].score == hits[i].score && hits[i - 1].document < hits[i].document));
  }
  EXPECT_EQ(is_found.size(), hits.size());
  if (hits.empty()) return;
  const double last = static_cast<double>(hits.back().score);
  for (const auto& [document, score] : matches) {
    if (!is_found.contains(document)) {
      EXPECT_LE(total(document, score), last + 1e-5 * (1 + last));
    }
  }
}

TEST(TreeSearcher, RandomTreesAnswerAsTheOraclesFormulas) {
  test::Random random = test::generator(5300);
  for (const std::uint64_t documents : {1, 33, 129, 4'095, 4'097, 20'000}) {
    test::CollectionMaker maker(random, documents);
    const test::TemporaryFolder folder;
    const auto collection =
        test::write_index_of(maker.make(), false, {CodecKind::kBitpack, 1}, folder / "index");
    TreeSearcher searcher(Snapshot::open(folder / "index"));
    SearchSettings settings;
    const SlowTrees slow(collection, settings.scorer);
    TreeMaker trees(random, chosen_terms(collection));
    for (int i = 0; i < 60; ++i) {
      const QueryNode tree = trees.draw(3);
      settings.k = 1 + static_cast<std::uint32_t>(test::below(random, i % 2 == 0 ? 20 : 10'000));
      settings.count = test::chance(random, 50);
      SCOPED_TRACE(std::to_string(documents) + " documents: " + told(tree));
      const Matches matches = slow.find(tree);
      expect_answer(search(searcher, tree, settings), matches, settings, collection);
      std::vector<std::uint32_t> found;
      for (const auto& [document, score] : matches) found.push_back(document);
      EXPECT_EQ(searcher.matches(tree_of(asked(tree))).documents, found);
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Where a tree is terms with signs, the engines answer it: they find the same documents.
TEST(TreeSearcher, FlatTreesAreTheSameQuestions) {
  test::Random random = test::generator(5301);
  test::CollectionMaker maker(random, 3'000);
  const test::TemporaryFolder folder;
  const auto collection =
      test::write_index_of(maker.make(), false, {CodecKind::kPfor, 1}, folder / "index");
  const Snapshot snapshot = Snapshot::open(folder / "index");
  CpuSearcher engine(snapshot);
  const SlowTrees slow(collection, {});
  TreeMaker trees(random, chosen_terms(collection));
  const SearchSettings settings{.k = 10'000, .count = true, .scorer = {}};
  std::size_t flat = 0;
  for (int i = 0; i < 2'000; ++i) {
    const QueryNode tree = trees.draw(2);
    const Query query = asked(tree);
    if (query.tree || query.terms.empty()) continue;
    ++flat;
    const SearchResult found = engine.search(query, settings);
    expect_answer({found}, slow.find(tree), settings, collection);
    if (testing::Test::HasFailure()) FAIL() << i;
  }
  EXPECT_GT(flat, 100U);
}

TEST(TreeSearcher, ChangedIndexesAnswerAsAnew) {
  for (const bool has_static : {false, true}) {
    test::Living living(5302, CodecKind::kBitpack, false, 300, has_static);
    for (int round = 0; round < 4; ++round) {
      living.add_some(40);
      living.remove_some(20);
      living.commit();
      const test::TemporaryFolder folder(test::place_in_memory());
      living.build(folder / "anew", living.live());
      const Snapshot anew = Snapshot::open(folder / "anew");
      const Snapshot changed = Snapshot::open(living.index());
      EXPECT_GT(changed.segments().size() + changed.removed_documents(), 1U);
      std::vector<std::string> terms;
      anew.segments()[0].index->for_each_term(
          [&](std::string_view term, const PostingsEntry&) { terms.emplace_back(term); });
      TreeMaker trees(living.random(), terms);
      TreeSearcher wanted(anew);
      TreeSearcher found(changed);
      for (int i = 0; i < 100; ++i) {
        QueryNode tree = trees.draw(3);
        if (i % 4 == 0) {
          tree = {.kind = TreeKind::kFuzzy, .text = terms[living.below(terms.size())]};
        }
        const SearchSettings settings{
            .k = 1 + static_cast<std::uint32_t>(living.below(50)), .count = true, .scorer = {}};
        const TreeResult a = search(wanted, tree, settings);
        const TreeResult b = search(found, tree, settings);
        EXPECT_EQ(a.result.matches, b.result.matches);
        ASSERT_EQ(a.result.hits.size(), b.result.hits.size());
        for (std::size_t hit = 0; hit < a.result.hits.size(); ++hit) {
          EXPECT_EQ(a.result.hits[hit].score, b.result.hits[hit].score);
          EXPECT_EQ(anew.document_name(a.result.hits[hit].document),
                    changed.document_name(b.result.hits[hit].document));
        }
      }
    }
  }
}

/// Stops a search at its n-th look.
class StopAt final : public SearchWatch {
 public:
  explicit StopAt(int looks) : looks_(looks) {}
  bool goes_on() override { return looks_-- > 0; }

 private:
  int looks_;
};

TEST(TreeSearcher, StoppedSearchesBoundWhatIsMissing) {
  test::Random random = test::generator(5303);
  test::CollectionMaker maker(random, 30'000);
  const test::TemporaryFolder folder;
  const auto collection =
      test::write_index_of(maker.make(), false, {CodecKind::kBitpack, 1}, folder / "index");
  TreeSearcher searcher(Snapshot::open(folder / "index"));
  TreeMaker trees(random, chosen_terms(collection));
  int stopped = 0;
  for (int i = 0; i < 60; ++i) {
    const QueryNode tree = trees.draw(2);
    if (!asked(tree).tree) continue;
    const SearchSettings settings{.k = 10, .scorer = {}};
    StopAt watch(static_cast<int>(test::below(random, 4)));
    SearchProgress progress;
    const TreeResult part = searcher.search(*asked(tree).tree, settings, &watch, &progress);
    const TreeResult whole = search(searcher, tree, settings);
    if (progress.is_complete) {
      EXPECT_EQ(part.result.hits, whole.result.hits);
      continue;
    }
    ++stopped;
    for (const Hit& hit : whole.result.hits) {
      const auto& hits = part.result.hits;
      if (std::find(hits.begin(), hits.end(), hit) == hits.end()) {
        EXPECT_LE(hit.score, progress.max_missing_score);
      }
    }
  }
  EXPECT_GT(stopped, 10);
}

TEST(TreeSearcher, NearWordsScoreAsTheMostFrequentOne) {
  reference::Collection documents;
  const auto add = [&](std::vector<std::string_view> terms) { documents.add_document(terms); };
  add({"house", "tree"});
  add({"hose", "house"});
  add({"mouse"});
  add({"huose", "sky"});
  add({"horse", "horse"});
  add({"tree"});
  const test::TemporaryFolder folder;
  const auto collection =
      test::write_index_of(documents, false, {CodecKind::kBitpack, 1}, folder / "index");
  TreeSearcher searcher(Snapshot::open(folder / "index"));
  const TreeResult found =
      search(searcher, parse_lucene("house~1"), {.k = 10, .count = true, .scorer = {}});
  EXPECT_EQ(found.result.matches, 5U);
  // Each as if in two documents; boosts are 1 less the edits over the shorter length.
  const ScorerSettings scorer;
  const double average = 10.0 / 6;
  const auto part = [&](double boost, double frequency, double length) {
    return boost * reference::bm25(scorer, 6, 2, frequency, length, average);
  };
  std::map<std::uint32_t, double> scores;
  for (const Hit& hit : found.result.hits) scores[hit.document] = hit.score;
  EXPECT_NEAR(scores[0], part(1, 1, 2), 1e-5);
  EXPECT_NEAR(scores[1], part(1, 1, 2) + part(0.75, 1, 2), 1e-5);
  EXPECT_NEAR(scores[2], part(0.8, 1, 1), 1e-5);
  EXPECT_NEAR(scores[3], part(0.8, 1, 2), 1e-5);
  EXPECT_NEAR(scores[4], part(0.8, 2, 2), 1e-5);
}

TEST(TreeQuery, SaysWhatTheIndexHasNot) {
  for (const auto& [text, place, part] : {std::tuple{"one \"one two\"", "at byte 4", "positions"},
                                          std::tuple{"one title:two", "at byte 4", "'title'"}}) {
    try {
      asked(parse_lucene(text));
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).find(place), 0U) << error.what();
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(asked(parse_lucene("")), Query());
  EXPECT_EQ(asked(parse_lucene("\"one\"")).terms, (std::vector<QueryTerm>{{.term = "one"}}));
}

}  // namespace
}  // namespace warpdex
