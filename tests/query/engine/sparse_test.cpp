// Queries of 10 to 60 weighted terms over indexes of sparse vectors, as learned sparse retrieval
// has them, against the exhaustive oracle; and what weights do to BM25.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::below;
using test::Random;

constexpr std::uint64_t kVocabulary = 400;

std::string term_name(std::uint64_t term) { return "##" + std::to_string(term); }

double fraction_of(Random& random) { return static_cast<double>(below(random, 1'000'000)) * 1e-6; }

/// Documents of up to 80 terms, frequent ones in most of them; weights have a long tail, as those
/// of SPLADE have, and those of a few topics go together.
std::vector<Document> random_vectors(Random& random, std::uint64_t count, bool are_whole) {
  std::vector<Document> documents;
  for (std::uint64_t i = 0; i < count; ++i) {
    Document document{.id = "d" + std::to_string(i)};
    std::set<std::uint64_t> terms;
    const std::uint64_t topic = i / 777 * 31;
    for (std::uint64_t left = 1 + below(random, 80); left > 0; --left) {
      const double u = fraction_of(random);
      const auto term = static_cast<std::uint64_t>(kVocabulary * u * u * u);
      terms.insert((term + (test::chance(random, 30) ? topic : 0)) % kVocabulary);
    }
    for (const std::uint64_t term : terms) {
      const double weight = -std::log(1 - fraction_of(random)) / 2;
      const double whole = 1 + std::min(254.0, std::floor(40 * weight));
      document.vector.push_back(
          {term_name(term), static_cast<float>(are_whole ? whole : 0.001 + weight)});
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

/// What the lists are to hold, computed apart from the builder.
Collection impacts_of(const std::vector<Document>& documents, bool are_whole) {
  double largest = 0;
  for (const Document& document : documents) {
    for (const TermWeight& entry : document.vector) {
      largest = std::max(largest, static_cast<double>(entry.weight));
    }
  }
  Collection collection;
  std::map<std::string, std::vector<reference::Posting>> lists;
  for (std::uint32_t i = 0; i < documents.size(); ++i) {
    const auto& vector = documents[i].vector;
    collection.add_document_of_length({}, static_cast<std::uint32_t>(vector.size()));
    for (const TermWeight& entry : vector) {
      const auto weight = static_cast<double>(entry.weight);
      const double impact =
          are_whole ? weight : std::max(1.0, std::floor(255 * (weight / largest) + 0.5));
      lists[entry.term].push_back({i, static_cast<std::uint32_t>(impact)});
    }
  }
  for (auto& [term, postings] : lists) collection.add_list(term, std::move(postings));
  return collection;
}

enum class QueryWeights { kOne, kWhole, kReal, kTiny };

Query weighted_query(Random& random, QueryWeights kind) {
  Query query;
  const std::uint64_t terms = 10 + below(random, 51);
  const bool has_signs = test::chance(random, 15);
  for (std::uint64_t i = 0; i < terms; ++i) {
    const double u = fraction_of(random);
    const auto term = static_cast<std::uint64_t>(kVocabulary * u * u);
    QueryTerm entry{term_name(term), Occur::kUnsigned};
    if (has_signs && test::chance(random, 5)) entry.occur = Occur::kMust;
    if (has_signs && test::chance(random, 5)) entry.occur = Occur::kMustNot;
    const double weight = 0.01 - std::log(1 - fraction_of(random));
    if (kind == QueryWeights::kWhole) entry.weight = static_cast<float>(std::ceil(100 * weight));
    if (kind == QueryWeights::kReal) entry.weight = static_cast<float>(weight);
    if (kind == QueryWeights::kTiny) entry.weight = static_cast<float>(1e-6 * weight);
    query.terms.push_back(entry);
  }
  return query;
}

/// Answers a query over the index that it was made for.
using Search = std::function<SearchResult(const Query&, const SearchSettings&)>;

class SparseEngine : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Judges what the searches answer that `make_search` makes of an index's folder.
  void judge(const std::function<Search(const std::filesystem::path&)>& make_search);
};

void SparseEngine::judge(const std::function<Search(const std::filesystem::path&)>& make_search) {
  Random random = test::generator(900 + GetParam());
  const std::vector<CodecSettings> codecs = test::all_codecs();
  std::size_t turn = test::seed() + GetParam();
  for (const bool are_whole : {true, false}) {
    const std::vector<Document> documents = random_vectors(random, GetParam(), are_whole);
    const Collection collection = impacts_of(documents, are_whole);
    // Small collections go through all codecs; the large ones share them out.
    const std::size_t rounds = GetParam() < 2'000 ? codecs.size() : 2;
    for (std::size_t round = 0; round < rounds; ++round) {
      const test::TemporaryFolder folder;
      BuildOptions options;
      options.output = folder / "index";
      options.codec = codecs[turn++ % codecs.size()];
      options.threads = 2;
      build_index(*vectors_from_memory(documents), options);
      const Index index = Index::open(options.output);
      const Search answer = make_search(options.output);
      for (const QueryWeights kind :
           {QueryWeights::kOne, QueryWeights::kWhole, QueryWeights::kReal, QueryWeights::kTiny}) {
        for (const std::uint32_t k : {1U, 10U, 1000U}) {
          for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
            SearchSettings settings;
            settings.k = k;
            settings.mode = mode;
            settings.count = test::chance(random, 20);
            const Query query = weighted_query(random, kind);
            const SearchSettings meant = test::meant_settings(index, settings);
            const test::Truth truth = test::find_truth(collection, query, meant);
            ASSERT_EQ(test::judge(truth, answer(query, settings), settings), "")
                << test::describe(GetParam(), options.codec, meant, query);
          }
        }
      }
    }
  }
}

TEST_P(SparseEngine, AnswersAsTheOracle) {
  judge([](const std::filesystem::path& folder) -> Search {
    const auto index = std::make_shared<Index>(Index::open(folder));
    const auto searcher = std::make_shared<CpuSearcher>(*index);
    return [index, searcher](const Query& query, const SearchSettings& settings) {
      return searcher->search(query, settings);
    };
  });
}

TEST_P(SparseEngine, AnswersAsTheOracleByBlocks) {
  judge([](const std::filesystem::path& folder) -> Search {
    const Snapshot snapshot = Snapshot::open(folder);
    const auto blocks = std::make_shared<const SnapshotBlocks>(snapshot, 2);
    const auto searcher = std::make_shared<CpuSearcher>(snapshot, blocks);
    return [searcher](const Query& query, const SearchSettings& settings) {
      return searcher->search(query, settings);
    };
  });
}

TEST_P(SparseEngine, AnswersAsTheOracleOnTheGpu) {
  WARPDEX_NEEDS_GPU();
  judge([](const std::filesystem::path& folder) -> Search {
    const auto engine = std::make_shared<test::UploadedIndex>(folder);
    return [engine](const Query& query, const SearchSettings& settings) {
      const SearchResult result = engine->search({&query, 1}, settings).front();
      EXPECT_EQ(engine->searcher().statistics().unanswered_queries, 0U);
      return result;
    };
  });
}

INSTANTIATE_TEST_SUITE_P(Sizes, SparseEngine,
                         testing::Values(1, 31, 32, 33, 127, 128, 129, 1000, 4097, 20'000));

// An index of frequencies: weights multiply BM25 and query likelihood likewise.
TEST(WeightedTerms, MultiplyTheScore) {
  Random random = test::generator(950);
  test::CollectionMaker maker(random, 3'000);
  const test::TemporaryFolder folder;
  const Collection collection = test::write_index_of(maker.make(), false, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  CpuSearcher searcher(index);
  for (const ScorerKind kind : {ScorerKind::kBm25, ScorerKind::kQueryLikelihood}) {
    SearchSettings settings;
    settings.scorer.kind = kind;
    for (int i = 0; i < 200; ++i) {
      Query query = test::random_query(random, maker.vocabulary(), 1 + below(random, 12));
      for (QueryTerm& term : query.terms) {
        term.weight = static_cast<float>(0.05 + 3 * fraction_of(random));
      }
      const test::Truth truth = test::find_truth(collection, query, settings);
      ASSERT_EQ(test::judge(truth, searcher.search(query, settings), settings), "")
          << test::describe(3'000, {}, settings, query);
    }
  }
}

TEST(WeightedTerms, AddUpAndAreChecked) {
  Collection collection;
  collection.add_document(std::vector<std::string_view>{"a", "b"});
  const test::TemporaryFolder folder;
  test::write_index(collection, {}, folder / "index");
  const Index index = Index::open(folder / "index");
  const auto plan = [&](float one, float other) {
    return plan_query(index, {"", {{"a", Occur::kUnsigned, one}, {"a", Occur::kMust, other}}});
  };
  EXPECT_EQ(plan(0.5F, 2.25F).terms.at(0).weight, 2.75F);
  EXPECT_TRUE(has_whole_weights(plan(0.5F, 1.5F)));
  EXPECT_FALSE(has_whole_weights(plan(1, 1.5F)));
  EXPECT_FALSE(sums_are_exact(index, plan(1, 1))) << "of frequencies";
  for (const float wrong : {0.0F, -1.0F, 1e10F, 1e-10F, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
    EXPECT_THROW(plan(1, wrong), UsageError) << wrong;
  }
  const Query excluded{"", {{"a", Occur::kMustNot, -5}, {"b", Occur::kUnsigned, 1}}};
  EXPECT_TRUE(plan_query(index, excluded).terms.at(0).is_prohibited);
}

}  // namespace
}  // namespace warpdex
