// Answers to queries in Lucene's syntax against those of Lucene, which the file has: matches,
// documents and scores, where lengths are rounded as Lucene rounds them.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kSplitWords =
    R"({"tokenizer": "whitespace", "filters": [{"type": "stop", "words": ["_"]}]})";

/// What Lucene says of a query.
struct LuceneAnswer {
  std::string query;
  std::uint64_t matches = 0;
  std::vector<Hit> best{};
};

LuceneAnswer read_answer(const std::string& line) {
  std::istringstream parts(line);
  LuceneAnswer answer;
  std::getline(parts, answer.query, '\t');
  parts >> answer.matches;
  for (std::string hit; parts >> hit;) {
    const std::size_t colon = hit.find(':');
    answer.best.push_back({static_cast<std::uint32_t>(std::stoul(hit.substr(0, colon))),
                           std::stof(hit.substr(colon + 1))});
  }
  return answer;
}

/// Documents may change places with others of their score; of the last score, they may be others.
void expect_lucenes(const SearchResult& found, const LuceneAnswer& wanted) {
  ASSERT_EQ(found.matches, wanted.matches);
  ASSERT_EQ(found.hits.size(), wanted.best.size());
  std::map<std::uint32_t, float> scores;
  for (const Hit& hit : wanted.best) scores[hit.document] = hit.score;
  for (std::size_t i = 0; i < found.hits.size(); ++i) {
    const Hit& hit = found.hits[i];
    const float loss = 1e-5F * std::abs(wanted.best[i].score);
    EXPECT_NEAR(hit.score, wanted.best[i].score, loss) << "place " << i;
    const auto own = scores.find(hit.document);
    const float score = own == scores.end() ? wanted.best.back().score : own->second;
    EXPECT_NEAR(hit.score, score, loss) << "document " << hit.document;
  }
}

/// tests/data/query/random_answers.py says where the file comes from.
TEST(LuceneAnswers, AreOurs) {
  const char* const source = std::getenv("WARPDEX_SOURCE_DIR");
  std::ifstream file(std::string(source == nullptr ? "." : source) +
                     "/tests/data/query/lucene_answers.tsv");
  std::vector<Document> documents;
  std::string line;
  while (std::getline(file, line) && !line.empty()) {
    documents.push_back({std::to_string(documents.size()), line});
  }
  const test::TemporaryFolder folder{test::place_in_memory()};
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = kSplitWords;
  options.positions = true;
  options.threads = 1;
  build_index(*documents_from_memory(std::move(documents)), options);
  TreeSearcher searcher(Snapshot::open(folder / "index"));
  const std::unique_ptr<Analyzer> analyzer = make_analyzer(kSplitWords);
  const SearchSettings settings{
      .k = 10, .count = true, .scorer = {.kind = ScorerKind::kBm25Lucene}};
  std::size_t queries = 0;
  for (; std::getline(file, line); ++queries) {
    const LuceneAnswer wanted = read_answer(line);
    Query query;
    take_tree(query, parse_lucene(wanted.query), *analyzer, true);
    SCOPED_TRACE(wanted.query);
    expect_lucenes(searcher.search(query.tree ? *query.tree : tree_of(query), settings).result,
                   wanted);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(queries, 600U);
}

}  // namespace
}  // namespace warpdex
