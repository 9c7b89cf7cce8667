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
#include "tests/reference/oracle.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/tree/tree_query.hpp"

namespace warpdex {
namespace {

using TreeKind = QueryNode::Kind;
using Matches = std::map<std::uint32_t, double>;

/// Answers trees over a collection, slowly.
class SlowTrees {
 public:
  SlowTrees(const reference::Collection& collection, const ScorerSettings& scorer)
      : collection_(collection), scorer_(scorer), terms_(collection.terms()) {}

  Matches find(const QueryNode& node) const {
    Matches matches = unboosted(node);
    for (auto& [document, score] : matches) score *= static_cast<double>(node.boost);
    return matches;
  }

 private:
  Matches unboosted(const QueryNode& node) const {
    switch (node.kind) {
      case TreeKind::kAll: {
        Matches all;
        for (std::uint32_t i = 0; i < collection_.documents(); ++i) all[i] = 1;
        return all;
      }
      case TreeKind::kTerm: return of_term(node.text);
      case TreeKind::kConstant: return constant(find(node.filter[0]));
      case TreeKind::kPrefix:
        return any([&](const std::string& term) { return term.starts_with(node.text); });
      case TreeKind::kRange:
        return any([&](const std::string& term) {
          return (term > node.text || (term == node.text && node.includes_lower)) &&
                 (node.upper.empty() || term < node.upper ||
                  (term == node.upper && node.includes_upper));
        });
      case TreeKind::kAny:
        return any([&](const std::string& term) {
          return std::find(node.texts.begin(), node.texts.end(), term) != node.texts.end();
        });
      case TreeKind::kBest: return best(node);
      case TreeKind::kBoolean: return boolean(node);
      default: return {};
    }
  }

  Matches of_term(const std::string& term) const {
    Matches matches;
    const auto& postings = collection_.postings(term);
    const auto documents = static_cast<double>(collection_.documents());
    const double average = static_cast<double>(collection_.tokens()) / documents;
    for (const reference::Posting& posting : postings) {
      matches[posting.document] =
          reference::bm25(scorer_, documents, static_cast<double>(postings.size()),
                          posting.frequency, collection_.lengths()[posting.document], average);
    }
    return matches;
  }

  static Matches constant(Matches matches) {
    for (auto& [document, score] : matches) score = 1;
    return matches;
  }

  template <class Is>
  Matches any(const Is& is) const {
    constexpr std::size_t kMostTerms = 16'384;
    Matches matches;
    std::size_t taken = 0;
    for (const std::string& term : terms_) {
      if (!is(term)) continue;
      if (++taken > kMostTerms) break;
      for (const reference::Posting& posting : collection_.postings(term)) {
        matches[posting.document] = 1;
      }
    }
    return matches;
  }

  Matches best(const QueryNode& node) const {
    std::map<std::uint32_t, std::vector<double>> scores;
    for (const QueryNode& clause : node.should) {
      for (const auto& [document, score] : find(clause)) scores[document].push_back(score);
    }
    Matches matches;
    for (const auto& [document, all] : scores) {
      const double best = *std::max_element(all.begin(), all.end());
      double sum = 0;
      for (const double score : all) sum += score;
      matches[document] = best + static_cast<double>(node.tie_breaker) * (sum - best);
    }
    return matches;
  }

  Matches boolean(const QueryNode& node) const {
    std::map<std::uint32_t, std::size_t> required;
    std::map<std::uint32_t, std::size_t> optional;
    Matches sums;
    const auto add = [&](const std::vector<QueryNode>& clauses, auto& counts, bool scores) {
      for (const QueryNode& clause : clauses) {
        for (const auto& [document, score] : find(clause)) {
          ++counts[document];
          sums[document] += scores ? score : 0;
        }
      }
    };
    add(node.must, required, true);
    add(node.filter, required, false);
    add(node.should, optional, true);
    const std::size_t needed = node.must.size() + node.filter.size();
    const std::size_t least = std::max<std::size_t>(node.minimum_should_match, needed == 0 ? 1 : 0);
    Matches matches;
    for (const auto& [document, sum] : sums) {
      if (required[document] == needed && optional[document] >= least) matches[document] = sum;
    }
    for (const QueryNode& clause : node.must_not) {
      for (const auto& [document, score] : find(clause)) matches.erase(document);
    }
    return matches;
  }

  const reference::Collection& collection_;
  ScorerSettings scorer_;
  std::vector<std::string> terms_;
};

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

/// For messages.
std::string told(const QueryNode& node) {
  std::string text = std::to_string(static_cast<int>(node.kind)) + "'" + node.text + "'" +
                     node.upper + "^" + std::to_string(node.boost) + "/" +
                     std::to_string(node.minimum_should_match);
  for (const std::string& one : node.texts) text += " " + one;
  const auto add = [&](const std::vector<QueryNode>& clauses, const char* sign) {
    for (const QueryNode& clause : clauses) text += std::string(sign) + told(clause);
  };
  text += "(";
  add(node.must, " +");
  add(node.filter, " #");
  add(node.should, " ");
  add(node.must_not, " -");
  return text + ")";
}

/// Draws trees over some terms.
class TreeMaker {
 public:
  TreeMaker(test::Random& random, std::vector<std::string> terms)
      : random_(random), terms_(std::move(terms)) {
    terms_.push_back("unknown");
  }

  QueryNode draw(std::size_t depth) {
    QueryNode node{.kind = kind(depth)};
    if (test::chance(random_, 25)) node.boost = 0.25F * static_cast<float>(random_() % 12);
    switch (node.kind) {
      case TreeKind::kTerm: node.text = term(); break;
      case TreeKind::kPrefix: node.text = beginning(term(), 1 + random_() % 3); break;
      case TreeKind::kRange:
        node.text = test::chance(random_, 20) ? "" : term();
        node.upper = test::chance(random_, 20) ? "" : term();
        node.includes_lower = test::chance(random_, 50);
        node.includes_upper = test::chance(random_, 50);
        break;
      case TreeKind::kAny:
        for (std::size_t i = random_() % 5; i > 0; --i) node.texts.push_back(term());
        break;
      case TreeKind::kConstant: node.filter = some(1, depth - 1); break;
      case TreeKind::kBest:
        node.should = some(1 + random_() % 4, depth - 1);
        node.tie_breaker = test::chance(random_, 50) ? 0 : 0.5F;
        break;
      case TreeKind::kBoolean:
        node.must = some(random_() % 3, depth - 1);
        node.filter = some(test::chance(random_, 20) ? 1 : 0, depth - 1);
        node.should = some(random_() % 4, depth - 1);
        node.must_not = some(test::chance(random_, 30) ? 1 : 0, depth - 1);
        node.minimum_should_match = static_cast<std::uint32_t>(random_() % 3);
        break;
      default: break;
    }
    return node;
  }

 private:
  TreeKind kind(std::size_t depth) {
    constexpr TreeKind kLeaves[] = {TreeKind::kTerm, TreeKind::kTerm, TreeKind::kTerm,
                                    TreeKind::kTerm, TreeKind::kTerm, TreeKind::kRange,
                                    TreeKind::kAny,  TreeKind::kAll,  TreeKind::kPrefix};
    constexpr TreeKind kParents[] = {TreeKind::kBoolean, TreeKind::kBoolean, TreeKind::kBoolean,
                                     TreeKind::kBest, TreeKind::kConstant};
    if (depth == 0 || test::chance(random_, 30)) return kLeaves[random_() % std::size(kLeaves)];
    return kParents[random_() % std::size(kParents)];
  }
  /// At least so many bytes, of whole characters.
  static std::string beginning(const std::string& term, std::size_t size) {
    while (size < term.size() && (static_cast<unsigned char>(term[size]) & 0xC0) == 0x80) ++size;
    return term.substr(0, size);
  }
  std::string term() { return terms_[random_() % terms_.size()]; }
  std::vector<QueryNode> some(std::size_t count, std::size_t depth) {
    std::vector<QueryNode> nodes;
    for (; count > 0; --count) nodes.push_back(draw(depth));
    return nodes;
  }

  test::Random& random_;
  std::vector<std::string> terms_;
};

/// Terms of all frequencies, so that windows, blocks and look-ups are met.
std::vector<std::string> chosen_terms(const reference::Collection& collection) {
  std::vector<std::string> terms = collection.terms();
  std::stable_sort(terms.begin(), terms.end(), [&](const std::string& a, const std::string& b) {
    return collection.postings(a).size() > collection.postings(b).size();
  });
  std::vector<std::string> chosen;
  for (std::size_t i = 0; i < terms.size(); i += 1 + i / 8) chosen.push_back(terms[i]);
  return chosen;
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
      EXPECT_EQ(searcher.matches(tree_of(asked(tree))), found);
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
