// The CPU engine against the oracle on random collections, queries and settings.
#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "tests/query/engine_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/cpu/batch.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/seed_threshold.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t bound) { return random() % bound; }
bool chance(Random& random, std::uint64_t percent) { return below(random, 100) < percent; }

/// Terms of every kind of name: short, not ASCII, long.
std::string term_name(std::uint64_t id) {
  if (id % 7 == 3) return "\xC3\xA9" + std::to_string(id);
  if (id % 97 == 5) return std::string(300, 'z') + std::to_string(id);
  return 't' + std::to_string(id);
}

/// A number below `bound`, small ones far more often: about Zipf's law.
std::uint64_t zipf(Random& random, std::uint64_t bound) {
  const double u = static_cast<double>(random() >> 11) * 0x1p-53;
  return std::min(bound - 1,
                  static_cast<std::uint64_t>(std::pow(static_cast<double>(bound) + 1.0, u)) - 1);
}

/// Documents of Zipf's terms, some of which cluster; with empty, equal, very long and very
/// repetitive documents, one term in nearly all of them and one in a long run of them.
class CollectionMaker {
 public:
  CollectionMaker(Random& random, std::uint64_t documents)
      : random_(random), documents_(documents), vocabulary_(kVocabularies.at(below(random, 4))) {}

  Collection make() {
    Collection collection;
    const bool has_statics = chance(random_, 50);
    for (std::uint64_t document = 0; document < documents_; ++document) {
      if (!chance(random_, 10)) next_document(document);
      const std::vector<std::string_view> views(words_.begin(), words_.end());
      collection.add_document(views, has_statics ? static_score() : 0);
    }
    return collection;
  }

  std::uint64_t vocabulary() const { return vocabulary_; }

 private:
  static constexpr std::array<std::uint64_t, 4> kVocabularies{3, 60, 3'000, 200'000};

  void next_document(std::uint64_t document) {
    words_.clear();
    if (chance(random_, 4)) return;
    if (chance(random_, 96)) words_.push_back(term_name(0));
    if (document % 4096 > 900 && document % 4096 < 2600) words_.push_back(term_name(1));
    if (documents_ <= 5'000 ? chance(random_, 1) : below(random_, 2'000) == 0) {
      const std::string repeated = term_name(zipf(random_, vocabulary_));
      words_.insert(words_.end(), 1 + below(random_, chance(random_, 5) ? 70'000 : 300), repeated);
    }
    const std::uint64_t length = chance(random_, 1) ? below(random_, 1'500) : below(random_, 25);
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint64_t topic = chance(random_, 40) ? document / 333 * 11 : 0;
      words_.push_back(term_name((zipf(random_, vocabulary_) + topic) % vocabulary_));
    }
  }

  float static_score() {
    if (chance(random_, 30)) return 0;
    return static_cast<float>(below(random_, 50)) / 8.0F;
  }

  Random& random_;
  std::uint64_t documents_;
  std::uint64_t vocabulary_;
  std::vector<std::string> words_;
};

Query random_query(Random& random, std::uint64_t vocabulary, std::uint64_t terms) {
  const std::uint64_t unknown = chance(random, 20) ? 20 : 0;
  const std::uint64_t must = chance(random, 30) ? 30 : 0;
  const std::uint64_t must_not = chance(random, 30) ? 20 : 0;
  Query query;
  while (query.terms.size() < terms) {
    std::string name = chance(random, 75) ? term_name(zipf(random, vocabulary))
                                          : term_name(below(random, vocabulary));
    if (chance(random, unknown)) name = "unknown" + std::to_string(below(random, 3));
    Occur occur = Occur::kUnsigned;
    if (chance(random, must)) occur = Occur::kMust;
    if (chance(random, must_not)) occur = Occur::kMustNot;
    query.terms.push_back({name, occur});
  }
  return query;
}

std::vector<ScorerSettings> all_scorers() {
  std::vector<ScorerSettings> scorers;
  for (const Bm25Form form : {Bm25Form::kLucene, Bm25Form::kPisa}) {
    for (const float k1 : {0.0F, 0.9F, 1.2F, 5.0F}) {
      for (const float b : {0.0F, 0.4F, 1.0F}) {
        scorers.push_back({.kind = ScorerKind::kBm25, .form = form, .k1 = k1, .b = b});
      }
    }
  }
  for (const float mu : {0.5F, 100.0F, 1000.0F, 1e5F}) {
    for (int copy = 0; copy < 3; ++copy) {
      scorers.push_back({.kind = ScorerKind::kQueryLikelihood, .mu = mu});
    }
  }
  return scorers;
}

/// Draws settings such that a few dozen draws meet every value of each.
class SettingsMaker {
 public:
  explicit SettingsMaker(Random& random) : random_(random) {}

  SearchSettings draw() {
    SearchSettings settings;
    settings.mode = modes_.draw(random_);
    settings.scorer = scorers_.draw(random_);
    settings.k = ks_.draw(random_);
    settings.and_or_min = minima_.draw(random_);
    settings.count = counts_.draw(random_) != 0;
    return settings;
  }

  std::size_t draw_threads() { return threads_.draw(random_); }
  std::uint64_t draw_terms() { return terms_.draw(random_); }

 private:
  Random& random_;
  test::Deck<QueryMode> modes_{{QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}};
  test::Deck<ScorerSettings> scorers_{all_scorers()};
  test::Deck<std::uint32_t> ks_{{1, 10, 100, 1'000, 10'000, 7, 128}};
  test::Deck<std::uint32_t> minima_{{0, 0, 1, 5, 100, 50'000}};
  test::Deck<int> counts_{{0, 1}};
  test::Deck<std::size_t> threads_{{1, 2}};
  test::Deck<std::uint64_t> terms_{{0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 8, 12, 40, 130, 1'000}};
};

/// Everything that a failure's message has to say.
std::string describe(std::uint64_t documents, const CodecSettings& codec,
                     const SearchSettings& settings, std::size_t threads, const Query& query) {
  return "documents=" + std::to_string(documents) + ' ' + reference::describe(codec) + ' ' +
         reference::describe(settings) + " threads=" + std::to_string(threads) + ' ' +
         reference::describe(query);
}

constexpr std::array<std::uint64_t, 14> kSizes{0,   1,   2,    31,   32,   33,   127,
                                               128, 129, 1000, 4095, 4096, 4097, 20'000};

/// Empty unless the threshold that stored seeds give is above the k-th best score.
std::string judge_seed(const test::Truth& truth, const Index& index, const PlannedQuery& plan,
                       const SearchSettings& settings) {
  const auto k = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(settings.k, std::max<std::uint64_t>(1, index.counts().documents)));
  const float threshold = seed_threshold(index, plan, settings.scorer, k);
  if (threshold == 0) return {};
  const std::vector<Hit>& ranking = truth.float_ranking;
  if (ranking.size() < k) return "a threshold for a rank that is not reached";
  if (ranking[k - 1].score >= threshold) return {};
  return "threshold " + std::to_string(threshold) + " above " +
         std::to_string(ranking[k - 1].score);
}

class EngineRandom : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// `collection` holds what the index's lists do, frequencies or impacts.
  void judge_index(const Collection& collection, std::uint64_t vocabulary,
                   const CodecSettings& codec, const Index& index) {
    CpuSearcher searcher(index);
    for (int round = 0; round < kRounds; ++round) {
      const SearchSettings settings = maker_.draw();
      const std::size_t threads = maker_.draw_threads();
      std::vector<Query> queries;
      for (int i = 0; i < kQueries; ++i) {
        queries.push_back(random_query(random_, vocabulary, maker_.draw_terms()));
      }
      const std::vector<SearchResult> results = search_batch(index, queries, settings, threads);
      ASSERT_EQ(results.size(), queries.size());
      for (std::size_t i = 0; i < queries.size(); ++i) {
        SearchSettings meant = settings;  // an index of impacts asks for no scorer
        if (index.settings().impacts) meant.scorer.kind = ScorerKind::kImpact;
        const std::string what =
            describe(collection.documents(), codec, meant, threads, queries[i]);
        const test::Truth truth = test::find_truth(collection, queries[i], meant);
        ASSERT_EQ(test::judge(truth, results[i], settings), "") << what;
        if (meant.mode == QueryMode::kOr) {
          ASSERT_EQ(judge_seed(truth, index, searcher.plan(queries[i]), meant), "") << what;
        }
        // A searcher that has answered other queries with other settings before.
        const SearchResult again = searcher.search(queries[i], settings);
        ASSERT_EQ(test::judge(truth, again, settings), "") << "alone: " << what;
      }
    }
  }

  static constexpr std::uint64_t kIndexes = 4;  ///< for each size, the last of impacts
  static constexpr int kRounds = 32;
  static constexpr int kQueries = 5;
  Random random_ = test::generator(100 + GetParam());
  SettingsMaker maker_{random_};
};

TEST_P(EngineRandom, AnswersAsTheOracle) {
  const std::uint64_t documents = GetParam();
  const std::vector<CodecSettings> codecs = test::all_codecs();
  const auto place = std::find(kSizes.begin(), kSizes.end(), documents) - kSizes.begin();
  for (std::uint64_t drawn = 0; drawn < kIndexes; ++drawn) {
    // The sizes share the codecs out among them, so that each meets several sizes in every run.
    // Those of impacts go through the codecs by themselves.
    const bool of_impacts = drawn + 1 == kIndexes;
    const std::uint64_t turn =
        test::seed() + (of_impacts ? static_cast<std::uint64_t>(place)
                                   : static_cast<std::uint64_t>(place) * (kIndexes - 1) + drawn);
    const CodecSettings codec = codecs[turn % codecs.size()];
    CollectionMaker collection_maker(random_, documents);
    const Collection collection = collection_maker.make();
    const test::TemporaryFolder folder;
    if (!of_impacts) {
      test::write_index(collection, codec, folder / "index");
      const Index index = Index::open(folder / "index");
      ASSERT_NO_FATAL_FAILURE(judge_index(collection, collection_maker.vocabulary(), codec, index));
    } else {
      const Collection impacts = collection.to_impacts();
      test::write_impact_index(collection, impacts, codec, folder / "index");
      const Index index = Index::open(folder / "index");
      ASSERT_NO_FATAL_FAILURE(judge_index(impacts, collection_maker.vocabulary(), codec, index));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, EngineRandom, testing::ValuesIn(kSizes));

// What the modes and signs mean, spelt out on a collection that fits a page.
TEST(EngineSigns, FollowTheModes) {
  Collection collection;
  for (const char* text : {"a b a", "b c", "", "a c c d"}) {
    std::vector<std::string_view> terms;
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(1)) {
      if (rest[0] != ' ') terms.push_back(rest.substr(0, 1));
    }
    collection.add_document(terms);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  CpuSearcher searcher(index);
  const auto search = [&](std::vector<QueryTerm> terms, QueryMode mode) {
    SearchSettings settings;
    settings.mode = mode;
    std::set<std::uint32_t> documents;
    for (const Hit& hit : searcher.search({"", std::move(terms)}, settings).hits) {
      documents.insert(hit.document);
    }
    return documents;
  };
  using Documents = std::set<std::uint32_t>;
  const Occur must = Occur::kMust;
  const Occur must_not = Occur::kMustNot;
  EXPECT_EQ(search({{"a"}, {"b"}}, QueryMode::kAnd), Documents({0}));
  EXPECT_EQ(search({{"a"}, {"b"}}, QueryMode::kOr), Documents({0, 1, 3}));
  EXPECT_EQ(search({{"a", must}, {"b"}}, QueryMode::kOr), Documents({0, 3}));
  EXPECT_EQ(search({{"a"}, {"unknown"}}, QueryMode::kAnd), Documents());
  EXPECT_EQ(search({{"a"}, {"unknown"}}, QueryMode::kOr), Documents({0, 3}));
  EXPECT_EQ(search({{"a"}, {"unknown", must}}, QueryMode::kOr), Documents());
  EXPECT_EQ(search({{"a"}, {"b"}, {"c", must_not}}, QueryMode::kOr), Documents({0}));
  EXPECT_EQ(search({{"a", must_not}}, QueryMode::kOr), Documents());
  EXPECT_EQ(search({{"a", must}, {"a", must_not}}, QueryMode::kOr), Documents());
  EXPECT_EQ(search({}, QueryMode::kOr), Documents());
  EXPECT_EQ(search({}, QueryMode::kAnd), Documents());
  EXPECT_EQ(search({{"b"}, {"d"}}, QueryMode::kAndOr), Documents({0, 1, 3}));
}

// A collection of one long list: 2,000 documents, all of them alike but for the first k.
TEST(EngineSeeds, AreThereForLongListsAndTheirRanksOnly) {
  Collection collection;
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::string_view> terms(i < 10 ? 9 : i < 100 ? 5 : 1, "a");
    terms.resize(20, "b");
    collection.add_document(terms);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  const CpuSearcher searcher(index);
  const auto threshold = [&](std::vector<QueryTerm> terms, std::uint32_t k) {
    return seed_threshold(index, searcher.plan({"", std::move(terms)}), {}, k);
  };
  EXPECT_GT(threshold({{"a"}}, 1), threshold({{"a"}}, 11));
  EXPECT_EQ(threshold({{"a"}}, 1), threshold({{"a"}}, 10));
  EXPECT_GT(threshold({{"a"}}, 100), threshold({{"a"}}, 101));
  EXPECT_GT(threshold({{"a"}}, 1000), 0);
  EXPECT_EQ(threshold({{"a"}}, 1001), 0);
  EXPECT_EQ(threshold({{"a"}, {"b", Occur::kMust}}, 10), 0);
  EXPECT_EQ(threshold({{"a"}, {"b", Occur::kMustNot}}, 10), 0);
  EXPECT_EQ(threshold({{"unknown"}}, 10), 0);
  EXPECT_GT(threshold({{"a"}, {"unknown"}}, 10), 0);
}

TEST(EngineImpacts, RefuseQueriesWhoseSumsWouldBeRounded) {
  Collection collection;
  for (int i = 0; i < 200; ++i) collection.add_document(std::vector<std::string_view>{"a"}, 2.0F);
  const test::TemporaryFolder folder;
  test::write_impact_index(collection, collection.to_impacts(), {}, folder / "index");
  const Index index = Index::open(folder / "index");
  CpuSearcher searcher(index);
  const auto most = static_cast<std::size_t>(((1 << 24) - (1 << 20)) / 255);
  Query query{"", std::vector<QueryTerm>(most, QueryTerm{"a", Occur::kUnsigned})};
  SearchSettings settings;
  const float statics = index.sections().static_scores[0];
  EXPECT_EQ(
      searcher.search(query, settings).hits.at(0).score,
      statics + static_cast<float>(most * collection.to_impacts().postings("a")[0].frequency));
  query.terms.push_back({"a", Occur::kUnsigned});
  EXPECT_THROW(searcher.search(query, settings), UsageError);
  settings.scorer.kind = ScorerKind::kImpact;
  test::write_index(collection, {}, folder / "frequencies");
  const Index frequencies = Index::open(folder / "frequencies");
  EXPECT_THROW(CpuSearcher(frequencies).search({}, settings), UsageError);
}

}  // namespace
}  // namespace warpdex
