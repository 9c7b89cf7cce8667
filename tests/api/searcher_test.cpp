// Searcher answers as the engines below it do, whole or within a deadline, with fields and
// snippets.
#include "warpdex/searcher.hpp"

#include <atomic>
#include <thread>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

std::vector<std::string> some_texts(std::mt19937_64& random, std::size_t count) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text;
    for (std::size_t n = 1 + random() % 4; n > 0; --n) {
      text += std::string(random() % 8 == 0 ? "+" : "") + "w" + std::to_string(random() % 50) + " ";
    }
    texts.push_back(text);
  }
  return texts;
}

SearchSettings settings_of(std::uint32_t k, QueryMode mode = QueryMode::kOr, bool count = false) {
  SearchSettings settings;
  settings.k = k;
  settings.mode = mode;
  settings.count = count;
  return settings;
}

void expect_same(const Answer& answer, const SearchResult& result, const Snapshot& snapshot) {
  ASSERT_EQ(answer.size(), result.hits.size());
  for (std::size_t i = 0; i < answer.size(); ++i) {
    EXPECT_EQ(answer[i].document(), result.hits[i].document);
    EXPECT_EQ(answer[i].score(), result.hits[i].score);
    EXPECT_EQ(answer[i].id(), snapshot.document_name(result.hits[i].document));
  }
  EXPECT_EQ(answer.fell_back_to_or, result.fell_back_to_or);
}

class SearcherTest : public testing::Test {
 protected:
  void SetUp() override {
    documents_ = test::word_documents(random_, 0, 4000, 60, 40);
    build_index(*documents_from_memory(documents_), test::plain_build(folder_ / "index"));
  }

  std::mt19937_64 random_ = test::generator(1);
  test::TemporaryFolder folder_;
  std::vector<Document> documents_;
};

TEST_F(SearcherTest, AnswersAsTheEngineOneByOneAndInBatches) {
  const Snapshot snapshot = Snapshot::open(folder_ / "index");
  CpuSearcher engine(snapshot);
  const Searcher searcher(folder_ / "index", {.threads = 3});
  const std::vector<std::string> texts = some_texts(random_, 70);
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
    for (const std::uint32_t k : {1U, 10U, 1000U}) {
      const SearchOptions options{.k = k, .mode = mode, .count = k == 10};
      std::vector<SearchRequest> requests;
      for (const std::string& text : texts) requests.push_back({.text = text, .id = text});
      const std::vector<Answer> batch = searcher.search(requests, options);
      ASSERT_EQ(batch.size(), texts.size());
      for (std::size_t i = 0; i < texts.size(); ++i) {
        const SearchResult result =
            engine.search(searcher.parse(texts[i]), settings_of(k, mode, options.count));
        expect_same(batch[i], result, snapshot);
        expect_same(searcher.search(texts[i], options), result, snapshot);
        EXPECT_EQ(batch[i].id, texts[i]);
        if (options.count) {
          EXPECT_EQ(batch[i].matches, result.matches);
          EXPECT_TRUE(batch[i].matches_exact);
        }
      }
    }
  }
  EXPECT_TRUE(searcher.search(std::span<const SearchRequest>()).empty());
}

void expect_row(const BatchAnswer& batch, std::size_t row, const Answer& answer) {
  ASSERT_EQ(batch.counts[row], answer.size());
  for (std::uint32_t rank = 0; rank < batch.k; ++rank) {
    const std::size_t place = row * batch.k + rank;
    if (rank >= answer.size()) {
      EXPECT_EQ(batch.documents[place], BatchAnswer::kNoDocument);
      EXPECT_EQ(batch.scores[place], 0);
      continue;
    }
    EXPECT_EQ(batch.documents[place], answer[rank].document());
    EXPECT_EQ(batch.scores[place], answer[rank].score());
    EXPECT_EQ(batch.id(batch.documents[place]), answer[rank].id());
  }
}

/// Engines answer some of them and trees the others; each stays in its place.
TEST_F(SearcherTest, AnswersLuceneInBatchesAsOneByOne) {
  const Searcher searcher(folder_ / "index", {.threads = 3});
  const std::vector<std::string> texts{"w1 w2",  "(w1 OR w2) AND w3",  "+w4 -w5", "w1*",
                                       "w6~1",   "(w1 w2) -(+w3 +w4)", "",        "*:* -w1",
                                       "w7^2 w8"};
  for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd}) {
    const SearchOptions options{
        .k = 20, .mode = mode, .count = true, .syntax = QuerySyntax::kLucene};
    std::vector<SearchRequest> requests;
    for (const std::string& text : texts) requests.push_back({.text = text, .id = text});
    const std::vector<Answer> batch = searcher.search(requests, options);
    std::size_t found = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const Answer alone = searcher.search(texts[i], options);
      EXPECT_EQ(batch[i].id, texts[i]);
      EXPECT_EQ(batch[i].matches, alone.matches) << texts[i];
      ASSERT_EQ(batch[i].size(), alone.size()) << texts[i];
      for (std::size_t hit = 0; hit < alone.size(); ++hit) {
        EXPECT_EQ(batch[i][hit].document(), alone[hit].document());
        EXPECT_EQ(batch[i][hit].score(), alone[hit].score());
      }
      found += alone.empty() ? 0 : 1;
    }
    EXPECT_EQ(found, texts.size() - 1);
  }
  const Answer both = searcher.search("+w1 +w2", {.k = 20, .count = true});
  const SearchOptions as_and{
      .k = 20, .mode = QueryMode::kAnd, .count = true, .syntax = QuerySyntax::kLucene};
  EXPECT_EQ(searcher.search("w1 w2", as_and).matches, both.matches);
  EXPECT_GT(both.matches, 0U);
}

TEST_F(SearcherTest, TreesAreAskedAsTexts) {
  const Searcher searcher(folder_ / "index");
  const SearchOptions options{.k = 30, .count = true, .syntax = QuerySyntax::kLucene};
  const std::string text = "(w1 OR w2) AND w3*";
  const Answer wanted = searcher.search(text, options);
  const Answer found = searcher.search_tree(parse_lucene(text), options);
  EXPECT_EQ(found.matches, wanted.matches);
  EXPECT_GT(found.matches, 0U);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].document(), wanted[i].document());
    EXPECT_EQ(found[i].score(), wanted[i].score());
  }
  SearchOptions refused = options;
  refused.syntax = QuerySyntax::kJson;
  refused.mode = QueryMode::kAndOr;
  EXPECT_THROW(searcher.search("{\"match_all\": {}}", refused), UsageError);
}

TEST_F(SearcherTest, ArraysHoldWhatAnswersDo) {
  const Searcher searcher(folder_ / "index", {.threads = 3});
  for (const std::size_t count : {0UL, 1UL, 31UL, 255UL, 256UL, 257UL, 1000UL}) {
    const std::vector<std::string> texts = some_texts(random_, count);
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    const SearchOptions options{
        .k = count % 2 == 0 ? 10U : 5000U, .mode = QueryMode::kAnd, .threads = count % 4};
    const BatchAnswer batch = searcher.search_batch(views, {}, options);
    ASSERT_EQ(batch.size(), count);
    ASSERT_EQ(batch.scores.size(), count * options.k);
    EXPECT_EQ(batch.commit(), searcher.commit());
    for (std::size_t i = 0; i < count; ++i) {
      expect_row(batch, i, searcher.search(texts[i], options));
    }
  }
  const std::vector<std::string_view> one{"w0"};
  EXPECT_THROW(searcher.search_batch(one, {}, {.fields = {"text"}}), UsageError);
  EXPECT_THROW(searcher.search_batch(one, {}, {.explain = true}), UsageError);
  EXPECT_THROW(searcher.search_batch(one, {}, {.count = true}), UsageError);
  EXPECT_FALSE(
      searcher.search_batch(one, {}, {.deadline = std::chrono::microseconds(0)}).is_complete);
  EXPECT_THROW(searcher.search_batch(one, {}, {.k = 0}), UsageError);
}

TEST_F(SearcherTest, ADeadlineThatHasPassedLeavesACertificate) {
  const Searcher searcher(folder_ / "index");
  const Answer whole = searcher.search("w0 w1 w2", {.k = 20});
  EXPECT_TRUE(whole.is_complete);
  const Answer in_time = searcher.search("w0 w1 w2", {.k = 20, .deadline = std::chrono::hours(1)});
  EXPECT_TRUE(in_time.is_complete);
  const Answer late =
      searcher.search("w0 w1 w2", {.k = 20, .deadline = std::chrono::microseconds(0)});
  EXPECT_FALSE(late.is_complete);
  EXPECT_FALSE(late.matches_exact);
  // What is missing scores no more than the certificate says.
  for (const AnswerHit hit : whole) {
    bool is_there = false;
    for (const AnswerHit other : late) is_there |= other.document() == hit.document();
    if (!is_there) {
      EXPECT_LE(hit.score(), late.max_missing_score);
    }
  }
  std::vector<SearchRequest> batch(9, {.text = "w0 w1 w2"});
  for (const Answer& each : searcher.search(batch, {.deadline = std::chrono::microseconds(0)})) {
    EXPECT_FALSE(each.is_complete);
  }
}

TEST_F(SearcherTest, ACallerStopsASearch) {
  const Searcher searcher(folder_ / "index");
  std::stop_source source;
  EXPECT_EQ(searcher.search("w0", {.stop = source.get_token()}).size(), 10U);
  source.request_stop();
  EXPECT_THROW(searcher.search("w0", {.stop = source.get_token()}), CancelledError);
  std::vector<SearchRequest> batch(9, {.text = "w0 w1 w2"});
  EXPECT_THROW(searcher.search(batch, {.stop = source.get_token()}), CancelledError);
}

TEST_F(SearcherTest, ProgressCountsEveryRequestAndMayEndTheSearch) {
  const Searcher searcher(folder_ / "index", {.threads = 2});
  std::vector<SearchRequest> requests;
  for (const std::string& text : some_texts(random_, 600)) requests.push_back({.text = text});
  std::size_t told = 0;
  const auto answers =
      searcher.search(requests, {.on_progress = [&](std::size_t answered) { told += answered; }});
  EXPECT_EQ(told, requests.size());
  const auto plain = searcher.search(requests);
  for (std::size_t i = 0; i < requests.size(); ++i) {
    ASSERT_EQ(answers[i].size(), plain[i].size());
    for (std::size_t rank = 0; rank < plain[i].size(); ++rank) {
      EXPECT_EQ(answers[i][rank].document(), plain[i][rank].document());
    }
  }
  const auto end = [](std::size_t) { throw std::runtime_error("enough"); };
  EXPECT_THROW(searcher.search(requests, {.on_progress = end}), std::runtime_error);
  EXPECT_THROW(searcher.search(requests[0], {.on_progress = end}), std::runtime_error);
}

TEST_F(SearcherTest, RefusesWhatItCannotAnswer) {
  const Searcher searcher(folder_ / "index");
  EXPECT_THROW(searcher.search("w0", {.k = 0}), UsageError);
  EXPECT_THROW(searcher.search("w0", {.k = 10'001}), UsageError);
  EXPECT_THROW(searcher.search("w0 \xff"), InputError);
  EXPECT_THROW(searcher.search("w0", {.fields = {"title"}}), UsageError);
  EXPECT_THROW(searcher.search(SearchRequest{.text = "w0", .vector = {1, 2}}), UsageError);
  EXPECT_THROW(Searcher(folder_ / "nothing"), IoError);
  EXPECT_THROW(device_from_name("tpu"), UsageError);
  EXPECT_EQ(device_from_name("auto"), Device::kAuto);
}

TEST(SearcherFields, AreWholeWithSnippetsAndPlaces) {
  const test::TemporaryFolder folder;
  Writer writer(folder / "index", {.analyzer = "english", .stored = {"title", "body"}});
  writer.add({.id = "1",
              .text = "tropical fish live in warm water",
              .fields = {{"title", "Fish & <chips>"}, {"body", "tropical fish live"}}});
  writer.add({.id = "2", .text = "fish", .fields = {{"body", "a fish"}}});
  writer.commit();
  const Searcher searcher(folder / "index");
  const Answer answer =
      searcher.search("fish", {.fields = {"body", "title"}, .snippets = true, .positions = true});
  ASSERT_EQ(answer.size(), 2U);
  EXPECT_EQ(answer[0].id(), "2");  // the shorter one
  EXPECT_EQ(answer[0].field("title"), std::nullopt);
  EXPECT_EQ(answer[1].field("title"), "Fish & <chips>");
  ASSERT_EQ(answer[1].fields().size(), 2U);
  EXPECT_EQ(answer[1].fields()[0].name, "body");
  EXPECT_EQ(answer[1].fields()[1].snippet, "<em>Fish</em> &amp; &lt;chips&gt;");
  ASSERT_TRUE(answer[1].fields()[0].marked);
  EXPECT_EQ(*answer[1].fields()[0].marked, (std::vector<MarkedWord>{{9, 4}}));
  EXPECT_EQ(searcher.search("fish")[0].fields().size(), 0U);
}

TEST(SearcherVectors, AnswersByWordsAndVectorsAsTheHybridSearcher) {
  std::mt19937_64 random = test::generator(3);
  const test::TemporaryFolder folder;
  constexpr std::size_t kDimension = 8;
  std::normal_distribution<float> normal;
  const auto draw = [&] {
    std::vector<float> vector(kDimension);
    for (float& each : vector) each = normal(random);
    return vector;
  };
  std::vector<Document> documents = test::word_documents(random, 0, 600, 30, 20);
  BuildOptions build = test::plain_build(folder / "index");
  build.vectors = vector::RowSettings{.metric = vector::Metric::kL2, .dimension = kDimension};
  for (Document& document : documents) document.embedding = draw();
  build_index(*documents_from_memory(documents), build);
  const Snapshot snapshot = Snapshot::open(folder / "index");
  HybridSearcher hybrid(snapshot);
  const Searcher searcher(folder / "index");
  std::vector<SearchRequest> requests;
  std::vector<Query> queries;
  std::vector<float> rows;
  for (int i = 0; i < 12; ++i) {
    requests.push_back({.text = "w1 w" + std::to_string(i), .vector = draw()});
    queries.push_back(searcher.parse(requests.back().text));
    rows.insert(rows.end(), requests.back().vector.begin(), requests.back().vector.end());
  }
  for (const Fusion fusion : {Fusion::kReciprocalRank, Fusion::kConvex, Fusion::kRerank,
                              Fusion::kFilter, Fusion::kNeighbors}) {
    const FusionSettings settings{.fusion = fusion, .depth = 50};
    const auto wanted = hybrid.search(queries, rows, settings_of(15), settings);
    const auto answers = searcher.search(requests, {.k = 15, .fusion = settings});
    for (std::size_t i = 0; i < answers.size(); ++i) {
      expect_same(answers[i], wanted[i], snapshot);
      EXPECT_EQ(answers[i].scores_are_distances,
                fusion == Fusion::kRerank || fusion == Fusion::kFilter);
    }
  }
  std::vector<std::string_view> texts;
  for (const SearchRequest& request : requests) texts.push_back(request.text);
  const BatchAnswer arrays = searcher.search_batch(texts, rows, {.k = 15});
  const auto fused = searcher.search(requests, {.k = 15});
  for (std::size_t i = 0; i < fused.size(); ++i) expect_row(arrays, i, fused[i]);
  EXPECT_THROW(searcher.search_batch(texts, std::span(rows).first(7)), UsageError);
  const auto nearest = hybrid.nearest(rows, 7);
  for (SearchRequest& request : requests) request.text.clear();
  const auto answers = searcher.search(requests, {.k = 7});
  for (std::size_t i = 0; i < answers.size(); ++i) {
    expect_same(answers[i], nearest[i], snapshot);
    EXPECT_TRUE(answers[i].scores_are_distances);
  }
  const BatchAnswer by_vectors = searcher.search_batch({}, rows, {.k = 7});
  for (std::size_t i = 0; i < answers.size(); ++i) expect_row(by_vectors, i, answers[i]);
  // Queries whose terms are known, by their vectors alone.
  const auto alone = searcher.search(queries, rows, {.k = 7, .vectors_alone = true});
  for (std::size_t i = 0; i < alone.size(); ++i) expect_same(alone[i], nearest[i], snapshot);
  const std::span<const float> few(rows.data(), kDimension);
  for (const bool vectors_alone : {false, true}) {
    const SearchOptions wanted{.vectors_alone = vectors_alone};
    EXPECT_THROW(searcher.search(queries, few, wanted), UsageError);
  }
  EXPECT_THROW(searcher.search(queries, {}, {.vectors_alone = true}), UsageError);
  EXPECT_THROW(searcher.search(queries, rows, {.k = 0}), UsageError);
  EXPECT_THROW(searcher.search(queries, rows, {.k = 10'001, .vectors_alone = true}), UsageError);
  EXPECT_THROW(searcher.search(queries, rows, {.count = true}), UsageError);
  std::vector<SearchRequest> uneven(2);
  uneven[0].vector.resize(kDimension - 1, 1);
  uneven[1].vector.resize(kDimension + 1, 1);
  EXPECT_THROW(searcher.search(uneven), UsageError);
  requests[3].vector.clear();
  EXPECT_THROW(searcher.search(requests), UsageError);
  EXPECT_THROW(searcher.search(requests[0], {.explain = true}), UsageError);
}

}  // namespace
}  // namespace warpdex
