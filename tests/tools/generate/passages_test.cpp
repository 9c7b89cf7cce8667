// The generated collections of passages and of their sparse vectors: their statistics beside the
// published ones that docs/measurements/generated-passages.csv has, and that they come out the same
// every time.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "generate/collection_model.hpp"
#include "generate/generator.hpp"
#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex::test {
namespace {

using generate::CollectionKind;
using generate::GeneratedQuery;
using generate::GeneratorReport;
using generate::GeneratorSettings;

struct GeneratedPassages {
  std::vector<GeneratedQuery> queries;
  GeneratorReport report;
};

GeneratedPassages generate_at(const std::filesystem::path& folder, GeneratorSettings settings,
                              std::uint32_t documents, std::uint32_t queries,
                              std::size_t threads = 2) {
  settings.documents = documents;
  settings.queries = queries;
  GeneratedPassages generated;
  generated.queries =
      generate::generate_collection(settings, {}, false, folder, threads, {}, generated.report);
  return generated;
}

double mean_length(const Index& index) {
  return static_cast<double>(index.counts().tokens) / static_cast<double>(index.counts().documents);
}

TEST(GeneratePassages, AreLikeMsMarco) {
  const TemporaryFolder folder;
  constexpr std::uint32_t kDocuments = 60'000;
  constexpr std::uint32_t kQueries = 3'000;
  const GeneratorSettings settings = generate::msmarco_settings();
  EXPECT_EQ(settings.documents, 8'841'823U);
  EXPECT_EQ(settings.queries, 6'980U);
  EXPECT_GE(settings.postings_per_document * settings.documents, 1e6);
  const GeneratedPassages generated = generate_at(folder / "index", settings, kDocuments, kQueries);
  EXPECT_TRUE(verify_index(folder / "index").ok());
  const Index index = Index::open(folder / "index");
  EXPECT_NEAR(mean_length(index), 56, 1.5);
  EXPECT_FALSE(index.settings().impacts.has_value());
  double terms = 0;
  for (const GeneratedQuery& query : generated.queries) {
    terms += 1 + static_cast<double>(std::count(query.text.begin(), query.text.end(), ' '));
  }
  EXPECT_NEAR(terms / kQueries, 5.96, 0.15);
  const double postings = static_cast<double>(generated.report.query_postings) / kQueries;
  EXPECT_NEAR(postings / kDocuments / settings.postings_per_document, 1, 0.03);
  // 352,316,036 tokens are in 266,247,718 postings.
  double frequencies = 0;
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    for (const std::uint32_t frequency : read_postings(index, entry).frequencies) {
      frequencies += frequency;
    }
  });
  EXPECT_NEAR(frequencies / static_cast<double>(index.counts().postings), 1.32, 0.12);
}

// The law of the vocabulary at full size: 2,660,824 terms, 30.1 of them in a passage.
TEST(GeneratePassages, HaveMsMarcosVocabulary) {
  constexpr std::uint32_t kDocuments = 8'841'823;
  const auto& model = generate::model_of(CollectionKind::kMsmarco);
  const generate::Vocabulary vocabulary(kDocuments, model.vocabulary);
  EXPECT_NEAR(vocabulary.terms(), 2'660'824, 270'000);
  double postings = 0;
  for (std::uint32_t rank = 0; rank < vocabulary.terms(); ++rank) {
    postings += vocabulary.document_frequency(rank);
  }
  EXPECT_NEAR(postings / kDocuments, 30.1, 1);
}

/// The weights of each document of an index of impacts.
std::vector<std::vector<std::uint32_t>> weights_by_document(const Index& index) {
  std::vector<std::vector<std::uint32_t>> weights(index.counts().documents);
  index.for_each_term([&](std::string_view, const PostingsEntry& entry) {
    const Postings postings = read_postings(index, entry);
    for (std::size_t i = 0; i < postings.docids.size(); ++i) {
      weights[postings.docids[i]].push_back(postings.frequencies[i]);
    }
  });
  return weights;
}

/// The share that the largest `count` have of all of a vector's weight.
template <class Number>
double share_of_largest(std::vector<Number> weights, std::size_t count) {
  std::sort(weights.begin(), weights.end(), std::greater<>());
  double sum = 0;
  double largest = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += static_cast<double>(weights[i]);
    if (i < count) largest += static_cast<double>(weights[i]);
  }
  return sum == 0 ? 0 : largest / sum;
}

TEST(GenerateSplade, IsLikeSplade) {
  const TemporaryFolder folder;
  constexpr std::uint32_t kDocuments = 5'000;
  constexpr std::uint32_t kQueries = 1'000;
  const GeneratorSettings settings = generate::splade_settings();
  EXPECT_EQ(settings.documents, 8'841'823U);
  EXPECT_EQ(settings.queries, 6'980U);
  EXPECT_GE(settings.postings_per_document * settings.documents, 12e6);
  const GeneratedPassages generated = generate_at(folder / "index", settings, kDocuments, kQueries);
  EXPECT_TRUE(verify_index(folder / "index").ok());
  const Index index = Index::open(folder / "index");
  ASSERT_TRUE(index.settings().impacts.has_value());
  EXPECT_EQ(index.settings().impacts->source, ImpactSource::kWholeWeights);
  EXPECT_EQ(index.counts().terms, 28'638U);
  EXPECT_NEAR(static_cast<double>(index.counts().postings) / kDocuments, 120, 3);
  EXPECT_NEAR(mean_length(index), 120, 4);
  double share = 0;
  std::vector<std::uint32_t> all;
  for (const auto& weights : weights_by_document(index)) {
    share += share_of_largest(weights, weights.size() * 50 / 120) / kDocuments;
    all.insert(all.end(), weights.begin(), weights.end());
  }
  EXPECT_NEAR(share, 0.75, 0.04);
  std::sort(all.begin(), all.end());
  EXPECT_GT(all[all.size() * 99 / 100], 5 * all[all.size() / 2]) << "a long tail";
  EXPECT_LT(all[all.size() * 98 / 100], 255U) << "few are cut off";
  const double postings = static_cast<double>(generated.report.query_postings) / kQueries;
  EXPECT_NEAR(postings / kDocuments / settings.postings_per_document, 1, 0.03);
}

TEST(GenerateSplade, QueriesAreVectorsOf20To40Terms) {
  const TemporaryFolder folder;
  constexpr std::uint32_t kQueries = 1'000;
  const GeneratedPassages generated =
      generate_at(folder / "index", generate::splade_settings(), 1'000, kQueries);
  double count = 0;
  double share = 0;
  for (const GeneratedQuery& query : generated.queries) {
    std::vector<double> weights;
    std::set<std::string> terms;
    std::istringstream text(query.text.substr(1, query.text.size() - 2));
    for (std::string entry; std::getline(text, entry, ',');) {
      const std::size_t colon = entry.find(':');
      ASSERT_NE(colon, std::string::npos) << query.text;
      EXPECT_TRUE(terms.insert(entry.substr(0, colon)).second) << query.text;
      weights.push_back(std::stod(entry.substr(colon + 1)));
      EXPECT_GE(weights.back(), 0.02);
      EXPECT_LE(weights.back(), 3.5);
    }
    EXPECT_GE(weights.size(), 20U);
    EXPECT_LE(weights.size(), 40U);
    count += static_cast<double>(weights.size()) / kQueries;
    share += share_of_largest(weights, 10) / kQueries;
  }
  EXPECT_NEAR(count, 28.8, 0.7);
  EXPECT_NEAR(share, 0.75, 0.05);
}

TEST(GeneratePassages, ComeOutTheSameForAnyThreads) {
  for (const GeneratorSettings& settings :
       {generate::msmarco_settings(), generate::splade_settings()}) {
    const TemporaryFolder folder;
    std::map<std::string, std::string> first;
    for (const std::size_t threads : {1, 3}) {
      const std::filesystem::path output = folder / std::to_string(threads);
      const GeneratedPassages generated = generate_at(output, settings, 2'000, 50, threads);
      auto bytes = folder_bytes(output);
      for (const GeneratedQuery& query : generated.queries) bytes[query.id] = query.text;
      if (first.empty()) first = std::move(bytes);
      EXPECT_TRUE(bytes.empty() || bytes == first) << threads << " threads";
    }
  }
}

TEST(GenerateSplade, RefusesImpactsOfBm25) {
  const TemporaryFolder folder;
  GeneratorReport report;
  EXPECT_THROW(generate::generate_collection(generate::splade_settings(), {}, true,
                                             folder / "index", 1, {}, report),
               UsageError);
}

}  // namespace
}  // namespace warpdex::test
