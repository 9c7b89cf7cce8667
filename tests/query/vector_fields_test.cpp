// Vectors that a schema names: each set answers to the bit as it does alone in an index without
// names, and as a plain comparison of all vectors says.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"
#include "warpdex/query/index_vectors.hpp"
#include "warpdex/query/input/query_parser.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr const char* kTwoFields = R"({"fields": {
    "title_vec": {"type": "vector", "dimension": 3, "metric": "l2"}, "year": {"type": "int"},
    "body.vec": {"type": "vector", "dimension": 33, "metric": "cosine", "store": "half"}}})";

constexpr std::array kFusions{Fusion::kReciprocalRank, Fusion::kConvex, Fusion::kRerank,
                              Fusion::kFilter, Fusion::kNeighbors};

/// On the CPU, and on a GPU.
class VectorFields : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && device_count() == 0) GTEST_SKIP() << why_no_device();
  }

  void take(const char* schema, const std::optional<vector::RowSettings>& unnamed) {
    settings_ = {};
    settings_.schema = parse_schema(schema);
    settings_.vectors = unnamed;
    sets_ = vector_sets(settings_);
  }

  Document new_document(std::size_t number) {
    Document document{"d" + std::to_string(number), ""};
    for (const unsigned part : {1U, 2U, 10U}) {
      if (random_() % part == 0) document.text += "p" + std::to_string(part) + " ";
    }
    if (!columns_of(settings_.schema).empty()) {
      document.values = {{static_cast<std::int64_t>(number)}};
    }
    for (const VectorSet& set : sets_) {
      std::vector<float> vector = random_vector(set.rows.dimension);
      if (set.name.empty()) {
        document.embedding = std::move(vector);
      } else {
        document.embeddings.push_back(std::move(vector));
      }
    }
    return document;
  }
  std::vector<float> random_vector(std::size_t dimension) {
    std::vector<float> vector(dimension);
    for (float& component : vector) component = static_cast<float>(random_() % 9) - 4;
    vector[0] += 0.5F;  // no vector is zero
    return vector;
  }
  const std::vector<float>& vector_of(const Document& document, std::size_t set) const {
    if (sets_[set].name.empty()) return document.embedding;
    return document.embeddings[set - (settings_.vectors ? 1 : 0)];
  }
  /// The document with the vector of a set alone.
  Document alone(const Document& document, std::size_t set) const {
    Document other = document;
    other.embedding = vector_of(document, set);
    other.embeddings.clear();
    return other;
  }

  /// The index of all sets and, behind it, one of each alone.
  std::vector<fs::path> folders() const {
    std::vector<fs::path> folders{folder_ / "all"};
    for (std::size_t i = 0; i < sets_.size(); ++i) {
      folders.push_back(folder_ / ("set-" + std::to_string(i)));
    }
    return folders;
  }
  std::vector<Document> documents_for(const std::vector<Document>& documents,
                                      std::size_t folder) const {
    if (folder == 0) return documents;
    std::vector<Document> own;
    for (const Document& document : documents) own.push_back(alone(document, folder - 1));
    return own;
  }
  void build(const std::vector<Document>& documents) {
    for (std::size_t i = 0; i < folders().size(); ++i) {
      BuildOptions options;
      options.output = folders()[i];
      options.analyzer = "whitespace";
      options.threads = 2;
      options.schema = settings_.schema;
      options.vectors = settings_.vectors;
      if (i > 0) {
        std::erase_if(options.schema.fields,
                      [](const Field& field) { return field.type == FieldType::kVector; });
        options.vectors = sets_[i - 1].rows;
      }
      build_index(*documents_from_memory(documents_for(documents, i)), options);
    }
    for (const Document& document : documents) live_[document.id] = document;
  }
  /// One commit, of all indexes.
  void change(const std::vector<Document>& put, const std::vector<std::string>& removed,
              bool merges = false) {
    for (std::size_t i = 0; i < folders().size(); ++i) {
      LivingIndex index(folders()[i]);
      AddOptions add;
      add.update = true;
      add.build.threads = 2;
      index.add(*documents_from_memory(documents_for(put, i)), add);
      for (const std::string& id : removed) index.remove(id);
      if (merges) index.merge({.all = true, .threads = 2});
      index.commit();
    }
    for (const Document& document : put) live_[document.id] = document;
    for (const std::string& id : removed) live_.erase(id);
  }

  HybridSearcher searcher(const Snapshot& snapshot, std::size_t set) {
    if (!GetParam()) return HybridSearcher(snapshot, 2, {}, set);
    if (!resources_) resources_.emplace();
    return HybridSearcher(GpuVectors(GpuSnapshot(snapshot, *resources_), set), 2);
  }

  double nearness(std::size_t set, const Document& document,
                  const std::vector<float>& query) const {
    const std::vector<float>& own = vector_of(document, set);
    double product = 0;
    double distance = 0;
    double norms[2] = {0, 0};
    for (std::size_t i = 0; i < own.size(); ++i) {
      const double a = static_cast<double>(own[i]);
      const double b = static_cast<double>(query[i]);
      product += a * b;
      distance += (a - b) * (a - b);
      norms[0] += a * a;
      norms[1] += b * b;
    }
    if (sets_[set].rows.metric == vector::Metric::kL2) return distance;
    if (sets_[set].rows.metric == vector::Metric::kInnerProduct) return product;
    return product / std::sqrt(norms[0] * norms[1]);
  }
  /// Scores are those of a plain comparison; equal ones may be in any order. `within` is what the
  /// rounding of halves may add.
  void expect_nearest(std::size_t set, const Snapshot& snapshot, const std::vector<Hit>& found,
                      const std::vector<float>& query, std::size_t k) {
    std::vector<double> wanted;
    for (const auto& [id, document] : live_) wanted.push_back(nearness(set, document, query));
    std::ranges::sort(wanted);
    if (larger_is_nearer(sets_[set].rows.metric)) std::ranges::reverse(wanted);
    ASSERT_EQ(found.size(), std::min(k, wanted.size()));
    const double within = sets_[set].rows.store == vector::Store::kHalf ? 2e-3 : 1e-4;
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(static_cast<double>(found[i].score), wanted[i], within);
      const std::string id(snapshot.document_name(found[i].document));
      ASSERT_TRUE(live_.contains(id)) << id << " was removed";
      EXPECT_NEAR(nearness(set, live_.at(id), query), wanted[i], within);
    }
  }

  static void expect_same(const std::vector<SearchResult>& found,
                          const std::vector<SearchResult>& wanted, const std::string& what) {
    ASSERT_EQ(found.size(), wanted.size()) << what;
    for (std::size_t i = 0; i < found.size(); ++i) {
      ASSERT_EQ(found[i].hits.size(), wanted[i].hits.size()) << what;
      for (std::size_t j = 0; j < found[i].hits.size(); ++j) {
        EXPECT_EQ(found[i].hits[j].document, wanted[i].hits[j].document) << what;
        EXPECT_EQ(found[i].hits[j].score, wanted[i].hits[j].score) << what;
      }
    }
  }

  /// Compares each set with the index of it alone, on the CPU.
  void expect_as_alone(const FusionSettings& depth, bool is_exact) {
    const Snapshot all = Snapshot::open(folder_ / "all");
    std::vector<Query> queries;
    const auto analyzer = make_analyzer("whitespace");
    for (const char* words : {"p2", "p10 p2", "+p1 -p10", "none"}) {
      queries.push_back(parse_query("1", words, QuerySyntax::kSigned, *analyzer));
    }
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      const Snapshot one = Snapshot::open(folders()[set + 1]);
      HybridSearcher found = searcher(all, set);
      HybridSearcher wanted(one, 2);
      std::vector<float> vectors;
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const std::vector<float> query = random_vector(sets_[set].rows.dimension);
        vectors.insert(vectors.end(), query.begin(), query.end());
        const auto near = found.nearest(query, 20, depth);
        expect_same(near, wanted.nearest(query, 20, depth), "nearest of '" + sets_[set].name + "'");
        if (is_exact) expect_nearest(set, all, near[0].hits, query, 20);
      }
      SearchSettings settings;
      settings.k = 10;
      for (const Fusion fusion : kFusions) {
        FusionSettings fused = depth;
        fused.fusion = fusion;
        fused.depth = 50;
        const std::string what =
            "fusion " + std::to_string(static_cast<int>(fusion)) + " of '" + sets_[set].name + "'";
        expect_same(found.search(queries, vectors, settings, fused),
                    wanted.search(queries, vectors, settings, fused), what);
      }
      if (columns_of(settings_.schema).empty()) continue;
      const DocumentFilter some = evaluate_filter(all, parse_filter("year < 150"));
      const DocumentFilter same = evaluate_filter(one, parse_filter("year < 150"));
      expect_same(found.nearest(vectors, 30, depth, &some),
                  wanted.nearest(vectors, 30, depth, &same), "filtered '" + sets_[set].name + "'");
    }
  }

  std::mt19937_64 random_ = test::generator(733);
  const test::TemporaryFolder folder_{test::place_in_memory()};
  IndexSettings settings_;
  std::vector<VectorSet> sets_;
  std::map<std::string, Document> live_;

 private:
  std::optional<Resources> resources_;
};
INSTANTIATE_TEST_SUITE_P(Devices, VectorFields, testing::Bool(),
                         [](const auto& on_gpu) { return on_gpu.param ? "OnGpu" : "OnCpu"; });

TEST_P(VectorFields, AnswerAsIfEachWereAlone) {
  for (const bool has_unnamed : {false, true}) {
    const vector::RowSettings unnamed{vector::Metric::kInnerProduct, vector::Store::kFloat, 5};
    take(kTwoFields, has_unnamed ? std::optional(unnamed) : std::nullopt);
    live_.clear();
    std::vector<Document> documents;
    for (std::size_t i = 0; i < 129; ++i) documents.push_back(new_document(i));
    build(documents);
    ASSERT_EQ(sets_.size(), has_unnamed ? 3U : 2U);
    expect_as_alone({}, true);
    for (std::size_t round = 0; round < 3; ++round) {
      std::vector<Document> put;  // new ones, and some that take the places of others
      for (std::size_t i = 0; i < 33; ++i) put.push_back(new_document(110 + round * 40 + i));
      change(put, {"d" + std::to_string(round), "d50", "d" + std::to_string(112 + round * 40)});
      expect_as_alone({}, true);
    }
    change({new_document(7)}, {"d8"}, true);
    expect_as_alone({}, true);
    EXPECT_TRUE(verify_index(folder_ / "all").ok());
  }
}

TEST_P(VectorFields, ListsAndCodesOfEachAreItsOwn) {
  take(R"({"fields": {"rows": {"type": "vector", "dimension": 6, "metric": "l2",
             "index": {"kind": "ivf-flat", "lists": 9}},
           "flat": {"type": "vector", "dimension": 4},
           "codes": {"type": "vector", "dimension": 8, "metric": "cosine",
             "index": {"kind": "ivf-pq", "lists": 12, "pq_bytes": 4, "seed": 3}}}})",
       vector::RowSettings{vector::Metric::kL2, vector::Store::kFloat, 8, {.kind = "xfbq"}});
  std::vector<Document> documents;
  for (std::size_t i = 0; i < vector::kMinIndexedRows + 33; ++i) {
    documents.push_back(new_document(i));
  }
  build(documents);
  const FusionSettings depth{.probes = 3, .refine = 20};
  expect_as_alone(depth, false);
  change({new_document(5), new_document(9'000)}, {"d77", "d78"});
  expect_as_alone(depth, false);
  EXPECT_TRUE(verify_index(folder_ / "all").ok());
  const FusionSettings all{.probes = vector::kMaxRows, .refine = vector::kMaxRows};
  expect_as_alone(all, true);
  change({}, {"d79"}, true);
  expect_as_alone(all, true);
  EXPECT_TRUE(verify_index(folder_ / "all").ok());
}

TEST_P(VectorFields, FollowTheirDocumentsIntoOtherIndexes) {
  take(kTwoFields, std::nullopt);
  std::vector<Document> documents;
  for (std::size_t i = 0; i < 200; ++i) documents.push_back(new_document(i));
  build(documents);
  RewriteOptions rewrite;
  rewrite.input = folder_ / "all";
  rewrite.output = folder_ / "other";
  rewrite.threads = 2;
  const auto check = [&](const fs::path& index) {
    const Snapshot snapshot = Snapshot::open(index);
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      const std::vector<float> query = random_vector(sets_[set].rows.dimension);
      expect_nearest(set, snapshot, searcher(snapshot, set).nearest(query, 31)[0].hits, query, 31);
    }
    EXPECT_TRUE(verify_index(index).ok());
  };
  ConvertOptions convert;
  convert.rewrite = rewrite;
  convert.codec.kind = CodecKind::kRice;
  convert_index(convert);
  check(folder_ / "other");
  reorder_index(rewrite, {});
  check(folder_ / "other");
}

TEST_P(VectorFields, AreFoundByTheirNames) {
  take(kTwoFields, std::nullopt);
  build({new_document(0)});
  const Snapshot two = Snapshot::open(folder_ / "all");
  EXPECT_EQ(find_vectors(two, "title_vec"), 0U);
  EXPECT_EQ(find_vectors(two, "body.vec"), 1U);
  const auto refusal = [&](const Snapshot& of, const char* name) -> std::string {
    try {
      find_vectors(of, name);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "it was found";
  };
  EXPECT_THAT(refusal(two, ""), HasSubstr("has the vectors 'title_vec', 'body.vec'; name one"));
  EXPECT_THAT(refusal(two, "year"), HasSubstr("'body.vec', and none called 'year'"));
  const Snapshot unnamed = Snapshot::open(folder_ / "set-0");
  EXPECT_EQ(find_vectors(unnamed, ""), 0U);
  EXPECT_THAT(refusal(unnamed, "title_vec"),
              HasSubstr("has vectors without a name, and none called 'title_vec'"));
  take(R"({"fields": {"only": {"type": "vector", "dimension": 2}}})", std::nullopt);
  build({new_document(0)});
  EXPECT_EQ(find_vectors(Snapshot::open(folder_ / "all"), ""), 0U);
  take(kTwoFields, vector::RowSettings{.dimension = 2});
  build({new_document(0)});
  EXPECT_EQ(find_vectors(Snapshot::open(folder_ / "all"), ""), 0U);
  EXPECT_EQ(find_vectors(Snapshot::open(folder_ / "all"), "body.vec"), 2U);
}

}  // namespace
}  // namespace warpdex
