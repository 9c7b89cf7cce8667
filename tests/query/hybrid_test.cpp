// Searches of words and vectors: against plain references, and of an index that changed against one
// built anew.
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/hybrid/matching.hpp"
#include "warpdex/query/hybrid/vector_half.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kDimension = 5;

/// Documents of which those that hold the word "pM" are one in M; they have small whole numbers for
/// vectors, so that many are equally near.
class HybridTest : public testing::Test {
 protected:
  void build(int documents, vector::Metric metric) {
    metric_ = metric;
    for (int i = 0; i < documents; ++i) documents_.push_back(new_document());
    BuildOptions options;
    options.output = index_;
    options.analyzer = "whitespace";
    options.threads = 1;
    options.vectors = vector::RowSettings{metric, vector::Store::kFloat, kDimension};
    build_index(*documents_from_memory(documents_), options);
    LivingIndex index(index_);
    for (int round = 0; round < 3; ++round) {
      std::vector<Document> added;
      for (int i = 0; i < documents / 5; ++i) added.push_back(new_document());
      AddOptions adding;
      adding.build.threads = 1;
      index.add(*documents_from_memory(added), adding);
      documents_.insert(documents_.end(), added.begin(), added.end());
      for (int i = 0; i < documents / 10; ++i) {
        const auto gone =
            documents_.begin() + static_cast<std::ptrdiff_t>(random_() % documents_.size());
        EXPECT_TRUE(index.remove(gone->id));
        documents_.erase(gone);
      }
      index.commit();
    }
  }

  Document new_document() {
    const int number = next_++;
    Document document{"d" + std::to_string(number), ""};
    for (const int part : {1, 2, 10, 100, 1000}) {
      if (random_() % static_cast<unsigned>(part) == 0) {
        document.text += "p" + std::to_string(part) + " ";
      }
    }
    for (std::uint64_t i = random_() % 8; i > 0; --i) document.text += "p2 ";
    document.embedding = random_vector();
    return document;
  }
  std::vector<float> random_vector() {
    std::vector<float> vector(kDimension);
    for (float& component : vector) component = static_cast<float>(random_() % 7) - 3;
    vector[0] += 0.5F;  // no vector is zero
    return vector;
  }

  static bool has(const Document& document, const std::string& word) {
    return (" " + document.text).find(" " + word + " ") != std::string::npos;
  }
  double nearness(const Document& document, const std::vector<float>& query) const {
    double product = 0;
    double distance = 0;
    double norm = 0;
    for (std::size_t i = 0; i < kDimension; ++i) {
      const double a = static_cast<double>(document.embedding[i]);
      const double b = static_cast<double>(query[i]);
      product += a * b;
      distance += (a - b) * (a - b);
      norm += a * a;
    }
    if (metric_ == vector::Metric::kL2) return -distance;
    return metric_ == vector::Metric::kInnerProduct ? product : product / std::sqrt(norm);
  }

  /// Names of the k nearest of those that `is_wanted`, by brute force. Equal ones (to 1e-5) are in
  /// any order, so they are compared by their nearness.
  template <class IsWanted>
  void expect_nearest(const std::vector<Hit>& found, const std::vector<float>& query,
                      std::uint32_t k, const IsWanted& is_wanted) {
    std::vector<double> wanted;
    std::map<std::string, double> known;
    for (const Document& document : documents_) {
      if (!is_wanted(document)) continue;
      wanted.push_back(nearness(document, query));
      known[document.id] = wanted.back();
    }
    std::sort(wanted.begin(), wanted.end(), std::greater<>());
    ASSERT_EQ(found.size(), std::min<std::size_t>(wanted.size(), k));
    const Snapshot snapshot = Snapshot::open(index_);
    std::set<std::uint32_t> seen;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string name(snapshot.document_name(found[i].document));
      ASSERT_TRUE(known.contains(name)) << name << " is not among those that are allowed";
      EXPECT_NEAR(known[name], wanted[i], 1e-4);
      EXPECT_TRUE(seen.insert(found[i].document).second);
    }
  }

  static Query query_of(const std::string& words) {
    return parse_query("1", words, QuerySyntax::kSigned, *make_analyzer("whitespace"));
  }

  std::mt19937_64 random_ = test::generator(121);
  const test::TemporaryFolder folder_{test::place_in_memory()};
  const fs::path index_ = folder_ / "index";
  vector::Metric metric_ = vector::Metric::kInnerProduct;
  std::vector<Document> documents_;  ///< live ones
  int next_ = 0;
};

/// On the CPU, and on a GPU.
class HybridOnDevices : public HybridTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && device_count() == 0) GTEST_SKIP() << why_no_device();
  }
  HybridSearcher searcher() {
    const Snapshot snapshot = Snapshot::open(index_);
    if (!GetParam()) return HybridSearcher(snapshot, 2);
    if (!resources_) resources_.emplace();
    return HybridSearcher(GpuVectors(GpuSnapshot(snapshot, *resources_)), 2);
  }

 private:
  std::optional<Resources> resources_;
};
INSTANTIATE_TEST_SUITE_P(Devices, HybridOnDevices, testing::Bool(),
                         [](const auto& on_gpu) { return on_gpu.param ? "SmallOnGpu" : "OnCpu"; });

TEST_P(HybridOnDevices, FiltersAreExactAtAnySelectivity) {
  for (const vector::Metric metric :
       {vector::Metric::kInnerProduct, vector::Metric::kL2, vector::Metric::kCosine}) {
    documents_.clear();
    build(6000, metric);
    HybridSearcher searcher = this->searcher();
    for (const char* word : {"p1000", "p100", "p10", "p2", "p1", "none"}) {
      for (const std::uint32_t k : {1U, 10U, 1000U}) {
        SearchSettings settings;
        settings.k = k;
        const Query query = query_of(word);
        const std::vector<float> vector = random_vector();
        const SearchResult result =
            searcher.search({&query, 1}, vector, settings, {.fusion = Fusion::kFilter}).front();
        expect_nearest(result.hits, vector, k,
                       [&](const Document& document) { return has(document, word); });
      }
    }
    const std::vector<float> vector = random_vector();
    const auto is_any = [](const Document&) { return true; };
    expect_nearest(searcher.nearest(vector, 100).front().hits, vector, 100, is_any);
    const Snapshot snapshot = Snapshot::open(index_);
    vector::RowFilter all(snapshot.docid_end());  // removed documents too
    for (std::uint32_t i = 0; i < snapshot.docid_end(); ++i) all.add(i);
    expect_nearest(VectorHalf(snapshot).nearest_within(vector, 100, all), vector, 100, is_any);
  }
}

TEST_F(HybridTest, BooleanQueriesMatchAsTheySay) {
  build(2000, vector::Metric::kInnerProduct);
  const Snapshot snapshot = Snapshot::open(index_);
  CpuSearcher searcher(snapshot);
  for (const char* words : {"p2 p10", "+p10 p2", "p2 -p10", "p100 p1000", "+none p1", "-p1", "",
                            "p10 p100 -p2", "+p2 +p10 -p100", "none p10"}) {
    for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
      SearchSettings settings;
      settings.mode = mode;
      settings.k = 20;
      const PlannedQuery plan = searcher.plan(query_of(words));
      const vector::RowFilter found = matching_documents(snapshot, plan, settings);
      settings.and_or_min = settings.and_or_min_matches();
      settings.k = kMaxK;
      const SearchResult wanted = searcher.run(plan, settings);
      ASSERT_EQ(found.count(), wanted.hits.size()) << words;
      for (const Hit& hit : wanted.hits) EXPECT_TRUE(found.contains(hit.document)) << words;
    }
  }
}

// What a search within some documents finds is what a search of all finds, less the others.
TEST_F(HybridTest, WordsWithinNeighboursAreThoseOfTheWhole) {
  build(3000, vector::Metric::kL2);
  const Snapshot snapshot = Snapshot::open(index_);
  CpuSearcher all(snapshot);
  CpuSearcher within(snapshot);
  const VectorHalf half(snapshot);
  for (int i = 0; i < 200; ++i) {
    const Query query =
        query_of(std::vector<std::string>{"p2 p10", "p100", "p2 -p10", "+p10 p2 p1000"}[i % 4]);
    SearchSettings settings;
    settings.mode = static_cast<QueryMode>(i % 3);
    settings.and_or_min = 1;
    settings.k = kMaxK;
    const auto depth = static_cast<std::uint32_t>(1 + random_() % 300);
    vector::RowFilter documents(snapshot.docid_end());
    const std::vector<Hit> near = half.nearest(random_vector(), depth).front();
    for (const Hit& hit : near) documents.add(hit.document);
    std::vector<Hit> wanted;
    const SearchResult whole = all.search(query, settings);
    for (const Hit& hit : whole.hits) {
      if (documents.contains(hit.document)) wanted.push_back(hit);
    }
    settings.k = static_cast<std::uint32_t>(1 + random_() % 50);
    if (settings.mode == QueryMode::kAndOr) settings.mode = QueryMode::kAnd;
    if (whole.fell_back_to_or) settings.mode = QueryMode::kOr;
    wanted.resize(std::min<std::size_t>(wanted.size(), settings.k));
    EXPECT_EQ(within.run_within(within.plan(query), settings, documents).hits, wanted);
    EXPECT_EQ(within.search(query, settings).hits.size(),
              std::min<std::size_t>(whole.hits.size(), settings.k));  // the filter is gone
  }
}

TEST_P(HybridOnDevices, RerankAndNeighborsTakeOneHalfAfterTheOther) {
  build(1000, vector::Metric::kInnerProduct);
  const Snapshot snapshot = Snapshot::open(index_);
  HybridSearcher searcher = this->searcher();
  CpuSearcher text(snapshot);
  const Query query = query_of("p10 p2");
  const std::vector<float> vector = random_vector();
  SearchSettings settings;
  settings.k = 30;
  const SearchResult by_text = text.search(query, settings);
  std::set<std::string> best;
  for (const Hit& hit : by_text.hits)
    best.insert(std::string(snapshot.document_name(hit.document)));
  settings.k = 10;
  FusionSettings fusion{.fusion = Fusion::kRerank, .depth = 30};
  expect_nearest(searcher.search({&query, 1}, vector, settings, fusion).front().hits, vector, 10,
                 [&](const Document& document) { return best.contains(document.id); });
  fusion.fusion = Fusion::kNeighbors;
  const std::vector<Hit> near = searcher.nearest(vector, 30).front().hits;
  const SearchResult within = searcher.search({&query, 1}, vector, settings, fusion).front();
  EXPECT_FALSE(within.hits.empty());
  for (const Hit& hit : within.hits) {
    EXPECT_TRUE(std::any_of(near.begin(), near.end(),
                            [&](const Hit& one) { return one.document == hit.document; }));
  }
}

TEST_F(HybridTest, RefusesWhatDoesNotFit) {
  build(50, vector::Metric::kInnerProduct);
  const Snapshot snapshot = Snapshot::open(index_);
  HybridSearcher searcher(snapshot, 1);
  const std::vector<Query> queries{query_of("p1"), query_of("p2")};
  const std::vector<float> vector = random_vector();
  EXPECT_THROW(searcher.search(queries, vector, {}, {}), UsageError);
  EXPECT_THROW(searcher.search({queries.data(), 1}, vector, {}, {.weight = 2}), UsageError);
  EXPECT_THROW(searcher.search({queries.data(), 1}, vector, {}, {.depth = 0}), UsageError);
  EXPECT_THROW(searcher.nearest(std::vector<float>(kDimension + 1), 1), UsageError);
  LivingIndex index(index_);
  AddOptions options;
  options.build.threads = 1;
  const auto complaint = [&](const std::vector<float>& embedding) -> std::string {
    Document document{"new", "x"};
    document.embedding = embedding;
    try {
      index.add(*documents_from_memory({document}), options);
      return "";
    } catch (const BadDocument& error) {
      return error.what();
    }
  };
  EXPECT_THAT(complaint({}),
              HasSubstr("'new': its vector has 0 components, and the index takes 5"));
  EXPECT_THAT(complaint({1, 2, 3, 4, NAN}), HasSubstr("no number"));
  EXPECT_EQ(complaint(random_vector()), "");
}

TEST(FusionTest, AddsUpRanksAndScores) {
  const std::vector<Hit> text{{7, 8.0F}, {3, 4.0F}, {9, 2.0F}};
  const std::vector<Hit> vectors{{3, 0.9F}, {5, 0.5F}, {7, 0.1F}};
  FusionSettings settings;
  std::vector<Hit> hits = fuse(text, vectors, vector::Metric::kInnerProduct, settings, 10);
  ASSERT_EQ(hits.size(), 4U);
  EXPECT_EQ(hits[0].document, 3U);
  EXPECT_FLOAT_EQ(hits[0].score, static_cast<float>(1.0 / 62 + 1.0 / 61));
  EXPECT_EQ(hits[1].document, 7U);
  EXPECT_FLOAT_EQ(hits[1].score, static_cast<float>(1.0 / 61 + 1.0 / 63));
  EXPECT_EQ(hits[2].document, 5U);
  EXPECT_EQ(hits[3].document, 9U);
  settings.fusion = Fusion::kConvex;
  settings.weight = 0.25F;
  hits = fuse(text, vectors, vector::Metric::kInnerProduct, settings, 3);
  ASSERT_EQ(hits.size(), 3U);
  EXPECT_EQ(hits[0].document, 3U);
  EXPECT_FLOAT_EQ(hits[0].score, 0.25F * 0.5F + 0.75F);
  EXPECT_EQ(hits[1].document, 5U);
  EXPECT_FLOAT_EQ(hits[1].score, 0.375F);
  EXPECT_EQ(hits[2].document, 7U);
  EXPECT_FLOAT_EQ(hits[2].score, 0.25F);
  // Of squared distances, 1 is nearest.
  const std::vector<Hit> distances{{5, 1.0F}, {7, 2.0F}, {3, 5.0F}};
  settings.weight = 0;
  hits = fuse(text, distances, vector::Metric::kL2, settings, 10);
  EXPECT_EQ(hits[0], (Hit{5, 1.0F}));
  EXPECT_EQ(hits[1], (Hit{7, 0.75F}));
  EXPECT_EQ(hits[2], (Hit{3, 0.0F}));  // as 9, which has the larger docID
  EXPECT_EQ(hits[3], (Hit{9, 0.0F}));
  // Products past all floats leave an order.
  constexpr float kPast = std::numeric_limits<float>::infinity();
  const std::vector<Hit> far{{5, 1.0F}, {7, -1.0F}, {3, -kPast}, {9, NAN}};
  hits = fuse(text, far, vector::Metric::kInnerProduct, settings, 10);
  EXPECT_EQ(hits[0], (Hit{5, 1.0F}));
  EXPECT_EQ(hits[1], (Hit{7, 1.0F}));
  EXPECT_EQ(hits[2], (Hit{3, 0.0F}));
  EXPECT_EQ(hits[3], (Hit{9, 0.0F}));
  EXPECT_TRUE(fuse({}, {}, vector::Metric::kL2, settings, 10).empty());
  EXPECT_EQ(fuse({}, {distances.data(), 1}, vector::Metric::kL2, settings, 10),
            (std::vector<Hit>{{5, 1.0F}}));
  EXPECT_THROW(fusion_from_name("sum"), UsageError);
}

}  // namespace
}  // namespace warpdex
