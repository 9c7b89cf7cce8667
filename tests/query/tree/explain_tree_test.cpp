// Explanations of trees: clause by clause as the oracle's formulas, and in all the score to the
// bit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/living_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/tree/slow_trees.hpp"
#include "tests/support.hpp"
#include "warpdex/query/explain/explain.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;

/// A query that is searched as this tree.
Query as_tree(const QueryNode& tree) {
  Query query;
  take_tree(query, tree, *make_analyzer({"whitespace"}));
  if (!query.tree) query.tree = std::make_shared<const QueryNode>(tree_of(query));
  return query;
}

/// Compares the parts of an explanation with slow answers to these parts.
class ClauseChecker {
 public:
  ClauseChecker(const test::SlowTrees& slow, std::uint32_t document)
      : slow_(slow), document_(document) {}

  void check(const QueryNode& node, const ClauseExplanation& clause, double boost) const {
    const test::Matches matches = slow_.find(node);
    const auto match = matches.find(document_);
    ASSERT_EQ(clause.matches, match != matches.end()) << clause.clause << " " << clause.why_not;
    EXPECT_EQ(clause.matches, clause.why_not.empty()) << clause.clause;
    const double wanted = clause.matches ? boost * match->second : 0;
    EXPECT_NEAR(clause.score, wanted, 1e-5 * (1 + wanted)) << clause.clause;
    check_below(node, clause, boost * static_cast<double>(node.boost));
  }

 private:
  void check_below(const QueryNode& node, const ClauseExplanation& clause, double boost) const {
    std::size_t next = 0;
    const auto check_all = [&](const std::vector<QueryNode>& nodes, const char* role,
                               double weight) {
      for (const QueryNode& each : nodes) {
        ASSERT_LT(next, clause.clauses.size());
        EXPECT_EQ(clause.clauses[next].role, role);
        check(each, clause.clauses[next++], weight);
      }
    };
    check_all(node.must, "must", boost);
    check_all(node.filter, "filter", 0);
    check_all(node.should, "should", boost);
    check_all(node.must_not, "must_not", 0);
    EXPECT_EQ(next, clause.clauses.size());
  }

  const test::SlowTrees& slow_;
  std::uint32_t document_;
};

TEST(ExplainedTrees, AddUpToTheBitAndClauseByClause) {
  test::Random random = test::generator(5310);
  std::size_t explained = 0;
  for (const std::uint64_t documents : {1, 33, 129, 4'097}) {
    test::CollectionMaker maker(random, documents);
    const test::TemporaryFolder folder;
    const auto collection =
        test::write_index_of(maker.make(), false, {CodecKind::kBitpack, 1}, folder / "index");
    const Snapshot snapshot = Snapshot::open(folder / "index");
    TreeSearcher searcher(snapshot);
    const test::SlowTrees slow(collection, {});
    test::TreeMaker trees(random, test::chosen_terms(collection));
    for (int i = 0; i < 40; ++i) {
      const Query query = as_tree(trees.draw(3));
      SCOPED_TRACE(std::to_string(documents) + " documents: " + test::told(*query.tree));
      const Explainer explainer(snapshot, query, {});
      const TreeResult found = searcher.search(*query.tree, {.k = 4, .scorer = {}});
      for (const Hit& hit : found.result.hits) {
        const Explanation why = explainer.explain(hit.document);
        EXPECT_EQ(why.score, hit.score);
        EXPECT_EQ(why.tree->score + why.static_score, hit.score);
        EXPECT_EQ(why.searched_by, SearchedBy::kTrees);
        ++explained;
      }
      for (int any = 0; any < 3; ++any) {
        const auto document = static_cast<std::uint32_t>(test::below(random, documents));
        const Explanation why = explainer.explain(document);
        ClauseChecker(slow, document).check(*query.tree, *why.tree, 1);
      }
      if (testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(explained, 100U);
}

TEST(ExplainedTrees, AddUpInChangedIndexes) {
  test::Living living(5311, CodecKind::kBitpack, false, 300, true);
  for (int round = 0; round < 3; ++round) {
    living.add_some(40);
    living.remove_some(20);
    living.commit();
  }
  const Snapshot snapshot = Snapshot::open(living.index());
  EXPECT_GT(snapshot.segments().size(), 1U);
  std::vector<std::string> terms;
  snapshot.segments()[0].index->for_each_term(
      [&](std::string_view term, const PostingsEntry&) { terms.emplace_back(term); });
  test::TreeMaker trees(living.random(), terms);
  TreeSearcher searcher(snapshot);
  const SearchSettings settings{.k = 10,
                                .scorer = {.kind = ScorerKind::kQueryLikelihood, .mu = 50}};
  std::size_t explained = 0;
  for (int i = 0; i < 100; ++i) {
    QueryNode tree = trees.draw(3);
    if (i % 4 == 0) {
      tree = {.kind = QueryNode::Kind::kFuzzy, .text = terms[living.below(terms.size())]};
    }
    const Query query = as_tree(tree);
    const Explainer explainer(snapshot, query, settings.scorer);
    for (const Hit& hit : searcher.search(*query.tree, settings).result.hits) {
      EXPECT_EQ(explainer.explain(hit.document).score, hit.score) << test::told(*query.tree);
      ++explained;
    }
  }
  EXPECT_GT(explained, 100U);
}

TEST(ExplainedTrees, TellWhatNoEngineAnswers) {
  const auto why = [](const std::string& text) {
    reference::Collection documents;
    const std::vector<std::string_view> terms{"old", "ship"};
    documents.add_document(terms);
    const test::TemporaryFolder folder;
    test::write_index_of(documents, false, {CodecKind::kBitpack, 1}, folder / "index");
    Query query;
    take_tree(query, parse_lucene(text), *make_analyzer({"whitespace"}));
    const Explanation found = explain(Snapshot::open(folder / "index"), query, {}, 0);
    return std::string(searched_by_name(found.searched_by)) + " " + found.why_trees;
  };
  EXPECT_EQ(why("old ship -sea"), "engine ");
  EXPECT_EQ(why("(old ship)"), "engine ");
  EXPECT_EQ(why("old sh*"), "trees a prefix");
  EXPECT_EQ(why("s?ip"), "trees a pattern");
  EXPECT_EQ(why("old~1"), "trees near words");
  EXPECT_EQ(why("[a TO m]"), "trees a range of words");
  EXPECT_EQ(why("*:* -old"), "trees all documents");
  EXPECT_EQ(why("+(old ship) +sea"), "trees a required group of which one clause is enough");
  EXPECT_EQ(why("(+old +ship) sea"), "trees an optional group with required clauses");
  EXPECT_EQ(why("(old -sea) ship"), "trees an exclusion within a group");
}

TEST(ExplainedTrees, AreReadable) {
  reference::Collection documents;
  const std::vector<std::string_view> terms{"old", "ship", "ships"};
  documents.add_document(terms);
  documents.add_document(std::vector<std::string_view>{"sea"});
  const test::TemporaryFolder folder;
  test::write_index_of(documents, false, {CodecKind::kBitpack, 1}, folder / "index");
  const Snapshot snapshot = Snapshot::open(folder / "index");
  Query query;
  take_tree(query, parse_lucene("+old^2 ship* -[a TO b] sea~1 (+old +sky)"),
            *make_analyzer({"whitespace"}));
  const std::string text = to_text(explain(snapshot, query, {}, 0));
  EXPECT_THAT(text, HasSubstr("a tree, searched on the CPU: no engine answers a prefix"));
  EXPECT_THAT(text, HasSubstr("  must old^2: 1 time here, in 1 of 2 documents"));
  EXPECT_THAT(text, HasSubstr("1  should ship*: has ship, ships\n"));
  EXPECT_THAT(text, HasSubstr("0  must_not [a TO b]: no match, the document has no such word\n"));
  EXPECT_THAT(text, HasSubstr("0  should sea~1: no match, the document has no such word\n"));
  EXPECT_THAT(text, HasSubstr("0  should sum of: no match, a required clause does not match\n"));
  EXPECT_THAT(text, HasSubstr("0  must sky: no match, no document has it\n"));
  const std::string none = to_text(explain(snapshot, query, {}, 1));
  EXPECT_THAT(none, HasSubstr("must old^2: no match, the document lacks it"));
  EXPECT_EQ(none.substr(0, 3), "0  ");
}

}  // namespace
}  // namespace warpdex
