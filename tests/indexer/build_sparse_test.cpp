// Indexes of sparse vectors: their impacts against ones computed here, what is refused, and that
// neither threads nor memory change a byte.
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/postings.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"

namespace warpdex::test {
namespace {

enum class Weights { kWhole, kPast255, kReal, kFarApart };

float draw_weight(std::mt19937_64& random, Weights kind) {
  const double u = static_cast<double>(random() % 1'000'000) * 1e-6;
  switch (kind) {
    case Weights::kWhole: return static_cast<float>(1 + random() % 255);
    case Weights::kPast255: return static_cast<float>(1 + random() % 3'000'000);
    case Weights::kReal: return static_cast<float>(0.01 + 3 * u * u);
    case Weights::kFarApart: return static_cast<float>(std::exp(160 * u - 80));
  }
  return 1;
}

std::vector<Document> random_vectors(std::mt19937_64& random, std::size_t count, Weights kind) {
  std::vector<Document> documents;
  for (std::size_t i = 0; i < count; ++i) {
    Document document{.id = "d" + std::to_string(i)};
    std::set<std::uint64_t> terms;
    for (std::uint64_t left = 1 + random() % 40; left > 0; --left) {
      const double u = static_cast<double>(random() % 1'000'000) * 1e-6;
      terms.insert(static_cast<std::uint64_t>(600 * u * u * u));
    }
    for (const std::uint64_t term : terms) {
      const bool is_zero = document.vector.size() > 1 && random() % 20 == 0;
      document.vector.push_back({(term % 3 == 0 ? "##" : "t") + std::to_string(term),
                                 is_zero ? 0 : draw_weight(random, kind)});
    }
    documents.push_back(std::move(document));
  }
  return documents;
}

/// What the index is to hold, by the words of docs/format.md.
Collection expected_index(const std::vector<Document>& documents, bool is_whole) {
  long double largest = 0;
  for (const Document& document : documents) {
    for (const TermWeight& entry : document.vector) {
      largest = std::max<long double>(largest, entry.weight);
    }
  }
  Collection expected;
  for (const Document& document : documents) {
    const auto docid = static_cast<std::uint32_t>(expected.names.size());
    expected.names.push_back(document.id);
    expected.lengths.push_back(0);
    for (const TermWeight& entry : document.vector) {
      if (entry.weight == 0) continue;
      ++expected.lengths.back();
      const long double impact =
          is_whole ? entry.weight : std::floor(255 * (entry.weight / largest) + 0.5L);
      expected.lists[entry.term][docid] =
          static_cast<std::uint32_t>(std::max<long double>(1, impact));
    }
  }
  return expected;
}

BuildReport build_vectors(std::vector<Document> documents, const BuildOptions& options) {
  const auto reader = vectors_from_memory(std::move(documents));
  return build_index(*reader, options);
}

TEST(BuildSparse, WeightsBecomeImpacts) {
  std::mt19937_64 random = generator(700);
  for (const Weights kind :
       {Weights::kWhole, Weights::kPast255, Weights::kReal, Weights::kFarApart}) {
    for (const std::size_t count : {1U, 31U, 128U, 129U, 1000U, 5000U}) {
      const TemporaryFolder folder;
      const std::vector<Document> documents = random_vectors(random, count, kind);
      const bool is_whole = kind == Weights::kWhole;
      BuildOptions options = options_for(folder / "index");
      const BuildReport report = build_vectors(documents, options);
      EXPECT_EQ(read_index(options.output), expected_index(documents, is_whole)) << count;
      const Index index = Index::open(options.output);
      ASSERT_TRUE(index.settings().impacts.has_value());
      ASSERT_TRUE(report.weights.has_value());
      EXPECT_EQ(*index.settings().impacts, *report.weights);
      EXPECT_EQ(index.settings().analyzer, "whitespace");
      // A single document of past 255 may hold small numbers only.
      if (count > 100) {
        EXPECT_EQ(report.weights->source,
                  is_whole ? ImpactSource::kWholeWeights : ImpactSource::kQuantisedWeights);
      }
      EXPECT_TRUE(verify_index(options.output).ok());
      options.output = folder / "again";
      options.threads = 2;
      build_vectors(documents, options);
      EXPECT_EQ(folder_bytes(folder / "index"), folder_bytes(folder / "again"));
    }
  }
}

/// Vectors made as they are parsed: each of 250 of 1,000 terms, with weights that a formula gives.
class FormulaReader final : public DocumentReader {
 public:
  static constexpr std::uint32_t kDocuments = 40'000;
  static constexpr std::uint32_t kTerms = 250;

  static float weight(std::uint32_t document, std::uint32_t term) {
    return 0.001F + static_cast<float>((document * 7919 + term * 104'729) % 65'521) / 65'521.0F;
  }

  bool next(RawRecord& record) override {
    record.location = {"formula", ++next_};
    return next_ <= kDocuments;
  }
  Document parse(const RawRecord& record) const override {
    const auto number = static_cast<std::uint32_t>(record.location.line - 1);
    Document document{.id = std::to_string(number)};
    for (std::uint32_t i = 0; i < kTerms; ++i) {
      const std::uint32_t term = number % 4 + 4 * i;
      document.vector.push_back({"t" + std::to_string(term), weight(number, term)});
    }
    return document;
  }
  bool has_vectors() const override { return true; }
  std::uint64_t bytes_consumed() const override { return next_; }
  std::uint64_t bytes_total() const override { return kDocuments; }

 private:
  std::uint64_t next_ = 0;
};

TEST(BuildSparse, RunsThatAreSpilledKeepTheWeights) {
  const TemporaryFolder folder;
  BuildOptions options = options_for(folder / "index");
  options.threads = 2;
  FormulaReader reader;
  const BuildReport report = build_index(reader, options);
  EXPECT_GT(report.runs_spilled, 0U);
  const Index index = Index::open(options.output);
  ASSERT_EQ(index.counts().postings, FormulaReader::kTerms * FormulaReader::kDocuments);
  const double largest = report.weights->largest;
  for (std::uint32_t term = 0; term < 1000; ++term) {
    const auto entry = index.find("t" + std::to_string(term));
    ASSERT_TRUE(entry.has_value());
    const Postings postings = read_postings(index, *entry);
    ASSERT_EQ(postings.docids.size(), FormulaReader::kDocuments / 4);
    for (std::uint32_t i = 0; i < postings.docids.size(); ++i) {
      ASSERT_EQ(postings.docids[i], 4 * i + term % 4);
      const auto weight = static_cast<double>(FormulaReader::weight(postings.docids[i], term));
      ASSERT_EQ(postings.frequencies[i], std::max(1.0, std::floor(255 * (weight / largest) + 0.5)));
    }
  }
}

TEST(BuildSparse, ZerosAreLeftOutAndCounted) {
  const TemporaryFolder folder;
  const BuildReport report = build_vectors(
      {{.id = "a", .vector = {{"x", 0}, {"y", 2}, {"z", -0.0F}}}}, options_for(folder / "index"));
  EXPECT_EQ(report.zero_weights, 2U);
  EXPECT_EQ(report.terms, 1U);
  EXPECT_EQ(report.tokens, 1U);
  EXPECT_EQ(report.weights->source, ImpactSource::kWholeWeights);
}

// 255 stands for 255: a step is 1, and what is below one half would be 0.
TEST(BuildSparse, WeightsThatRiseFromNothingAreCounted) {
  const TemporaryFolder folder;
  const BuildReport report =
      build_vectors({{.id = "a", .vector = {{"x", 255}, {"y", 0.4F}, {"z", 0.5F}}},
                     {.id = "b", .vector = {{"x", 1e-6F}, {"y", 1.5F}}}},
                    options_for(folder / "index"));
  EXPECT_EQ(report.raised_weights, 2U);
  EXPECT_EQ(
      build_vectors({{.id = "a", .vector = {{"x", 1}, {"y", 255}}}}, options_for(folder / "whole"))
          .raised_weights,
      0U);
}

TEST(BuildSparse, BadVectorsAreBadDocuments) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<std::pair<std::vector<TermWeight>, std::string>> cases{
      {{{"a", -1}}, "the weight of the term 'a' is negative; give a finite number of 0 or more"},
      {{{"a", 1}, {"b", kNan}}, "the weight of the term 'b' is not a number"},
      {{{"a", kInfinity}}, "the weight of the term 'a' is infinite or past"},
      {{}, "the vector is empty"},
      {{{"a", 0}, {"b", 0}}, "all weights of the vector are 0"},
      {{{"a", 1}, {"b", 2}, {"a", 1}}, "the vector has the term 'a' twice"},
      {{{"", 1}}, "the vector has an empty term"},
      {{{"caf\xE9", 1}}, "not UTF-8"},
  };
  for (const auto& [vector, sentence] : cases) {
    const TemporaryFolder folder;
    BuildOptions options = options_for(folder / "index");
    const std::vector<Document> documents{{.id = "good", .vector = {{"a", 1.5F}, {"b", 3}}},
                                          {.id = "bad", .vector = vector},
                                          {.id = "last", .vector = {{"a", 3}}}};
    try {
      build_vectors(documents, options);
      FAIL() << "taken: " << sentence;
    } catch (const BadDocument& error) {
      EXPECT_NE(std::string(error.what()).find("<memory>:2: "), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(sentence), std::string::npos) << error.what();
    }
    EXPECT_FALSE(std::filesystem::exists(options.output));
    // A document that is left out has no say in the scale, nor in whether weights are whole.
    options.on_bad_document = OnBadDocument::kSkip;
    const BuildReport report = build_vectors(documents, options);
    EXPECT_EQ(report.skipped_documents, 1U);
    EXPECT_EQ(report.weights->largest, 3);
    EXPECT_EQ(read_index(options.output), expected_index({documents[0], documents[2]}, false));
  }
}

TEST(BuildSparse, TermsThatAreTooLongAreLeftOutAndCounted) {
  const TemporaryFolder folder;
  const std::string longest(65'535, 'x');
  const std::vector<Document> documents{
      {.id = "a", .vector = {{longest, 2}, {longest + "x", 200}, {longest + "y", 0.5F}, {"z", 3}}},
      {.id = "b", .vector = {{longest + "x", 1}}}};
  const BuildOptions options = options_for(folder / "index");
  const BuildReport report = build_vectors(documents, options);
  EXPECT_EQ(report.long_words, 3U);
  EXPECT_EQ(report.skipped_documents, 0U);
  EXPECT_EQ(report.weights->source, ImpactSource::kWholeWeights) << "0.5 has no say";
  const Collection index = read_index(options.output);
  EXPECT_EQ(index.lengths, (std::vector<std::uint32_t>{2, 0}));
  EXPECT_EQ(index.lists, (Lists{{longest, {{0, 2}}}, {"z", {{0, 3}}}}));
}

TEST(BuildSparse, RepeatedIdsAreRefusedAndHaveNoSay) {
  const TemporaryFolder folder;
  BuildOptions options = options_for(folder / "index");
  const std::vector<Document> documents{{.id = "a", .vector = {{"x", 7}}},
                                        {.id = "a", .vector = {{"x", 1000.5F}}}};
  EXPECT_THROW(build_vectors(documents, options), BadDocument);
  options.on_bad_document = OnBadDocument::kSkip;
  EXPECT_EQ(build_vectors(documents, options).weights->source, ImpactSource::kWholeWeights);
  EXPECT_EQ(read_index(options.output).lists["x"],
            (std::map<std::uint32_t, std::uint32_t>{{0, 7}}));
}

TEST(BuildSparse, StaticScoresAreInTheWeightsUnit) {
  const TemporaryFolder folder;
  write_file(folder / "statics", "a\t5\nb\t2.5\n");
  BuildOptions options = options_for(folder / "whole");
  options.static_scores = folder / "statics";
  build_vectors({{.id = "a", .vector = {{"x", 7}}}, {.id = "b", .vector = {{"x", 200}}}}, options);
  EXPECT_EQ(read_index(options.output).static_scores, (std::vector<float>{5, 3}));
  options.output = folder / "quantised";
  build_vectors({{.id = "a", .vector = {{"x", 0.5F}}}, {.id = "b", .vector = {{"x", 2}}}}, options);
  EXPECT_EQ(read_index(options.output).static_scores, (std::vector<float>{638, 319}));
}

TEST(BuildSparse, NoDocumentsAndOtherImpacts) {
  const TemporaryFolder folder;
  BuildOptions options = options_for(folder / "index");
  EXPECT_FALSE(build_vectors({}, options).weights.has_value());
  EXPECT_EQ(Index::open(options.output).counts().documents, 0U);
  options.output = folder / "other";
  options.impacts.emplace();
  EXPECT_THROW(build_vectors({{.id = "a", .vector = {{"x", 1}}}}, options), UsageError);
}

// What imports of other formats use: impacts as they are, by the settings alone.
TEST(BuildSparse, AWriterTakesImpactsAsTheyAre) {
  const TemporaryFolder folder;
  IndexSettings settings;
  settings.impacts = ImpactSettings{.source = ImpactSource::kQuantisedWeights};
  EXPECT_THROW(IndexWriter(folder / "index", settings), UsageError) << "without the largest";
  settings.impacts = ImpactSettings{.source = ImpactSource::kWholeWeights};
  IndexWriter writer(folder / "index", settings);
  writer.add_document("a", 3);
  writer.add_document("b", 3);
  const ListEncoder encoder(settings, writer.lengths());
  const std::vector<std::uint32_t> docids{0, 1};
  writer.add_list("t", encoder.encode(docids, std::vector<std::uint32_t>{1, 255}));
  EXPECT_THROW(encoder.encode(docids, std::vector<std::uint32_t>{1, 256}), UsageError);
  EXPECT_THROW(encoder.encode(docids, std::vector<std::uint32_t>{0, 1}), UsageError);
  EXPECT_THROW(writer.set_weights(*settings.impacts), UsageError) << "too late";
  writer.commit();
  const Index index = Index::open(folder / "index");
  EXPECT_EQ(index.settings().impacts->largest, 255);
  EXPECT_EQ(index.settings().impacts->source, ImpactSource::kWholeWeights);
  EXPECT_EQ(read_index(folder / "index").lists["t"],
            (std::map<std::uint32_t, std::uint32_t>{{0, 1}, {1, 255}}));
}

}  // namespace
}  // namespace warpdex::test
