// Explanations add up to the hit's score, to the bit, and their parts are what counting finds.
#include <cmath>
#include <map>
#include <sstream>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/searcher.hpp"

namespace warpdex {
namespace {

std::map<std::string, std::uint32_t> counts_of(const std::string& text) {
  std::map<std::string, std::uint32_t> counts;
  std::istringstream words(text);
  for (std::string word; words >> word;) ++counts[word];
  return counts;
}

/// Some queries of each shape: repeated, weighted, required, excluded and unknown words.
const std::vector<std::string> kTexts{"w0",         "w1 w2 w7",       "+w3 w0 w0",  "w5^2.5 w1 -w9",
                                      "nothing w4", "w0 w1 w2 w3 w4", "-w0 w6 +w6", "w2^0.1 w30"};

void check_sums(const Searcher& searcher, const SearchOptions& options) {
  std::size_t seen = 0;
  const IndexReader reader(searcher);
  for (const std::string& text : kTexts) {
    const Query query = searcher.parse(text, options.syntax);
    for (const AnswerHit hit : searcher.search(text, options)) {
      const Explanation& why = *hit.explanation();
      EXPECT_EQ(why.id, hit.id());
      float sum = 0;
      for (const TermExplanation& term : why.terms) sum += term.score;
      sum += why.static_score;
      EXPECT_EQ(sum, hit.score()) << text << " " << hit.id();
      EXPECT_EQ(why.score, hit.score()) << text << " " << hit.id();
      EXPECT_EQ(to_json(hit.explain(query, options.scorer)), to_json(why));
      Explanation alone = reader.explain(query, hit.document(), options.scorer);
      EXPECT_EQ(alone.searched_by, SearchedBy::kEngine);
      alone.searched_by = SearchedBy::kCpuEngine;  // which answered the search
      EXPECT_EQ(to_json(alone), to_json(why));
      ++seen;
    }
  }
  EXPECT_GT(seen, kTexts.size());
}

TEST(Explanations, AddUpToTheScoreToTheBit) {
  std::mt19937_64 random = test::generator(52);
  for (const CodecKind codec : {CodecKind::kBitpack, CodecKind::kRice, CodecKind::kPfor}) {
    for (const bool impacts : {false, true}) {
      const test::TemporaryFolder folder;
      BuildOptions build = test::plain_build(folder / "index");
      build.codec.kind = codec;
      if (impacts) build.impacts.emplace();
      test::write_file(folder / "static", "d3\t0.5\nd70\t2\n");
      build.static_scores = folder / "static";
      build_index(*documents_from_memory(test::word_documents(random, 0, 3000, 40, 60)), build);
      const Searcher searcher(folder / "index");
      SearchOptions options{.k = 50, .explain = true};
      check_sums(searcher, options);
      options.scorer = {.form = Bm25Form::kPisa, .k1 = 1.7F, .b = 0.9F};
      check_sums(searcher, options);
      options.scorer = {.kind = ScorerKind::kQueryLikelihood, .mu = 300};
      check_sums(searcher, options);
    }
  }
}

TEST(Explanations, AddUpInIndexesOfManySegments) {
  std::mt19937_64 random = test::generator(53);
  const test::TemporaryFolder folder;
  const auto documents = test::word_documents(random, 0, 500, 40, 30);
  build_index(*documents_from_memory(documents), test::plain_build(folder / "index"));
  {
    LivingIndex index(folder / "index");
    for (std::size_t i = 1; i < 4; ++i) {
      index.add(*documents_from_memory(test::word_documents(random, 500 * i, 200, 40, 30)));
    }
    for (std::size_t i = 0; i < 60; ++i) index.remove("d" + std::to_string(i * 5));
    index.commit();
  }
  const Searcher searcher(folder / "index");
  check_sums(searcher, {.k = 100, .explain = true});
  check_sums(
      searcher,
      {.k = 100, .scorer = {.kind = ScorerKind::kQueryLikelihood, .mu = 50}, .explain = true});
}

TEST(Explanations, HoldWhatCountingFinds) {
  std::mt19937_64 random = test::generator(54);
  const test::TemporaryFolder folder;
  const auto documents = test::word_documents(random, 0, 400, 30, 40);
  build_index(*documents_from_memory(documents), test::plain_build(folder / "index"));
  std::map<std::string, std::map<std::string, std::uint32_t>> counts;
  std::map<std::string, std::uint64_t> with;
  std::map<std::string, std::uint64_t> occurrences;
  double tokens = 0;
  for (const Document& document : documents) {
    counts[document.id] = counts_of(document.text);
    for (const auto& [word, count] : counts[document.id]) {
      ++with[word];
      occurrences[word] += count;
      tokens += count;
    }
  }
  const double average = tokens / static_cast<double>(documents.size());
  const Searcher searcher(folder / "index");
  std::size_t terms = 0;
  for (const AnswerHit hit : searcher.search("w1 w2 w8^3", {.k = 400, .explain = true})) {
    const Explanation& why = *hit.explanation();
    const auto& of = counts.at(std::string(hit.id()));
    std::uint32_t length = 0;
    for (const auto& [word, count] : of) length += count;
    EXPECT_EQ(why.length, length);
    EXPECT_EQ(why.documents, documents.size());
    EXPECT_NEAR(why.average_length, average, 1e-9);
    for (const TermExplanation& term : why.terms) {
      EXPECT_EQ(term.frequency, of.at(term.term));
      EXPECT_EQ(term.document_frequency, with.at(term.term));
      // Lucene's formula, in double.
      const double n = static_cast<double>(with.at(term.term));
      const double idf = std::log(1 + (400 - n + 0.5) / (n + 0.5));
      const double tf = term.frequency;
      const double score = term.weight * idf * tf / (tf + 0.9 * (1 - 0.4 + 0.4 * length / average));
      EXPECT_NEAR(term.score, score, 1e-5 * score);
      ++terms;
    }
    EXPECT_EQ(why.terms.size(), of.count("w1") + of.count("w2") + of.count("w8"));
  }
  EXPECT_GT(terms, 100U);
}

TEST(Explanations, AreLinesAndJson) {
  const test::TemporaryFolder folder;
  build_index(*documents_from_memory({{"one", "fish fish water"}, {"two", "water"}}),
              test::plain_build(folder / "index"));
  const Searcher searcher(folder / "index");
  const Answer answer = searcher.search("fish water", {.explain = true});
  const Explanation& why = *answer[0].explanation();
  const std::string text = to_text(why);
  EXPECT_NE(text.find("one, 3 tokens"), std::string::npos) << text;
  EXPECT_NE(text.find("fish: 2 times here, in 1 of 2 documents"), std::string::npos) << text;
  const std::string json = to_json(why);
  EXPECT_NE(json.find("\"id\":\"one\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"frequency\":2"), std::string::npos) << json;
  EXPECT_EQ(searcher.search("fish")[0].explanation(), nullptr);
}

}  // namespace
}  // namespace warpdex
