// The CPU engine against the oracle on real collections and queries: every codec, mode, scorer and
// k, by one and two threads. A sample of the queries; all of them with WARPDEX_FULL_TESTS=1.
#include <algorithm>
#include <cstdlib>

#include "tests/query/engine_support.hpp"
#include "tests/query/real_data.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/cpu/batch.hpp"

namespace warpdex {
namespace {

bool full() {
  const char* wish = std::getenv("WARPDEX_FULL_TESTS");
  return wish != nullptr && std::string(wish) != "0";
}

/// Where a collection and its queries lie, and how many queries of each file are asked.
struct Case {
  const char* name;
  const char* documents;
  std::vector<const char*> topics;  ///< id<TAB>text
  bool efficiency_queries;          ///< of the terabyte track and the search-benchmark-game too
  std::size_t sample;
  std::size_t full_sample;
};

std::ostream& operator<<(std::ostream& out, const Case& value) { return out << value.name; }

std::vector<Case> cases() {
  return {
      {"cacm", "ir/cacm/docs.jsonl.xz", {"ir/cacm/queries.tsv"}, false, 6, 1000},
      {"cran", "ir/cran/docs.jsonl.xz", {"ir/cran/queries.tsv"}, false, 6, 1000},
      {"cisi", "ir/cisi/docs.jsonl.xz", {"ir/cisi/queries.tsv"}, false, 6, 1000},
      {"npl", "ir/npl/docs.jsonl.xz", {"ir/npl/queries.tsv"}, false, 6, 1000},
      {"medquad", "ir/medquad/docs.jsonl.xz", {"ir/medquad/queries.tsv"}, false, 6, 1000},
      {"wiki25k",
       "text/wiki25k.jsonl.xz",
       {"queries/wiki25k.dbpedia-entity.queries.tsv", "queries/wiki25k.fever.queries.tsv",
        "queries/wiki25k.hotpotqa.queries.tsv"},
       true,
       5,
       40},
      {"arxiv59k", "text/arxiv59k.jsonl.xz", {}, true, 6, 60},
  };
}

void add_sample(std::vector<test::Topic> topics, bool is_signed, std::size_t count,
                std::mt19937_64& random, std::vector<Query>& queries) {
  std::shuffle(topics.begin(), topics.end(), random);
  topics.resize(std::min(topics.size(), count));
  for (const test::Topic& topic : topics) queries.push_back(test::analyse(topic, is_signed));
}

std::vector<Query> sample_queries(const Case& of, std::mt19937_64& random) {
  const std::size_t count = full() ? of.full_sample : of.sample;
  std::vector<Query> queries;
  for (const char* file : of.topics) {
    add_sample(test::read_topics(file, '\t'), false, count, random, queries);
  }
  if (of.efficiency_queries) {
    add_sample(test::read_topics("queries/terabyte05.efficiency.txt.xz", ':'), false, count, random,
               queries);
    add_sample(test::read_game_topics("queries/search-benchmark-game.queries.jsonl"), true, count,
               random, queries);
  }
  return queries;
}

std::vector<ScorerSettings> scorers() {
  return {{},
          {.form = Bm25Form::kPisa},
          {.k1 = 1.2F, .b = 0.75F},
          {.kind = ScorerKind::kQueryLikelihood},
          {.kind = ScorerKind::kImpact}};
}

/// The right answers of one query under one scorer.
struct Answers {
  test::Truth with_and;
  test::Truth with_or;
  test::Truth fallen_back;  ///< or's, as the answer of and-or

  const test::Truth& of(const SearchSettings& settings) const {
    if (settings.mode == QueryMode::kAnd) return with_and;
    if (settings.mode == QueryMode::kOr) return with_or;
    const std::size_t enough = settings.and_or_min == 0 ? settings.k : settings.and_or_min;
    return with_and.ranking.documents.size() < enough ? fallen_back : with_and;
  }
};

class EngineReal : public testing::TestWithParam<Case> {
 protected:
  void open(const Case& of) {
    collection_ = test::read_collection(of.documents).collection;
    impacts_ = collection_.to_impacts();
    for (const CodecSettings& codec : test::all_codecs()) {
      const std::string name = std::to_string(indexes_.size());
      test::write_index(collection_, codec, folder_ / name);
      indexes_.push_back(Index::open(folder_ / name));
      test::write_impact_index(collection_, impacts_, codec, folder_ / (name + "i"));
      impact_indexes_.push_back(Index::open(folder_ / (name + "i")));
    }
  }

  std::vector<Answers> find_answers(const ScorerSettings& scorer,
                                    const std::vector<Query>& queries) const {
    const reference::Collection& collection =
        scorer.kind == ScorerKind::kImpact ? impacts_ : collection_;
    std::vector<Answers> answers;
    for (const Query& query : queries) {
      SearchSettings settings;
      settings.scorer = scorer;
      Answers answer;
      answer.with_or = test::find_truth(collection, query, settings);
      settings.mode = QueryMode::kAnd;
      answer.with_and = test::find_truth(collection, query, settings);
      answer.fallen_back = answer.with_or;
      answer.fallen_back.ranking.fell_back_to_or = true;
      answers.push_back(std::move(answer));
    }
    return answers;
  }

  void judge_codec(std::size_t codec, const SearchSettings& settings,
                   const std::vector<Query>& queries, const std::vector<Answers>& answers) const {
    const bool of_impacts = settings.scorer.kind == ScorerKind::kImpact;
    const Index& index = of_impacts ? impact_indexes_[codec] : indexes_[codec];
    const auto one = search_batch(index, queries, settings, 1);
    const auto two = search_batch(index, queries, settings, 2);
    ASSERT_EQ(one.size(), queries.size());
    ASSERT_EQ(two.size(), queries.size());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      const std::string what = reference::describe(test::all_codecs()[codec]) + ' ' +
                               reference::describe(settings) + ' ' +
                               reference::describe(queries[i]);
      ASSERT_EQ(test::judge(answers[i].of(settings), one[i], settings), "") << what;
      ASSERT_EQ(one[i].hits, two[i].hits) << "threads=2 " << what;
      ASSERT_EQ(one[i].fell_back_to_or, two[i].fell_back_to_or) << "threads=2 " << what;
      if (settings.count) {
        ASSERT_EQ(one[i].matches, two[i].matches) << "threads=2 " << what;
      }
    }
  }

  reference::Collection collection_;
  test::TemporaryFolder folder_;
  std::vector<Index> indexes_;
  reference::Collection impacts_;
  std::vector<Index> impact_indexes_;
};

TEST_P(EngineReal, AnswersAsTheOracle) {
  WARPDEX_NEEDS_DATA(GetParam().documents);
  WARPDEX_NEEDS_DATA("queries/terabyte05.efficiency.txt.xz");
  auto random = test::generator(200);
  open(GetParam());
  const std::vector<Query> queries = sample_queries(GetParam(), random);
  for (const ScorerSettings& scorer : scorers()) {
    const std::vector<Answers> answers = find_answers(scorer, queries);
    for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
      for (const std::uint32_t k : {1U, 10U, 100U, 1'000U, 10'000U}) {
        for (std::size_t codec = 0; codec < indexes_.size(); ++codec) {
          SearchSettings settings;
          settings.mode = mode;
          settings.k = k;
          settings.count = random() % 2 == 0;
          settings.scorer = scorer;
          ASSERT_NO_FATAL_FAILURE(judge_codec(codec, settings, queries, answers));
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Collections, EngineReal, testing::ValuesIn(cases()),
                         [](const auto& test_case) { return std::string(test_case.param.name); });

}  // namespace
}  // namespace warpdex
