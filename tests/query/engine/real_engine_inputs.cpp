#include "tests/query/engine/real_engine_inputs.hpp"

#include <algorithm>
#include <cstdlib>

#include "tests/query/engine/real_data.hpp"

namespace warpdex::test {
namespace {

bool full() {
  const char* wish = std::getenv("WARPDEX_FULL_TESTS");
  return wish != nullptr && std::string(wish) != "0";
}

void add_sample(std::vector<Topic> topics, bool is_signed, std::size_t count,
                std::mt19937_64& random, std::vector<Query>& queries) {
  std::shuffle(topics.begin(), topics.end(), random);
  topics.resize(std::min(topics.size(), count));
  for (const Topic& topic : topics) queries.push_back(analyse(topic, is_signed));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const RealCase& value) { return out << value.name; }

std::vector<RealCase> real_cases() {
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

std::vector<Query> sample_queries(const RealCase& of, std::mt19937_64& random) {
  const std::size_t count = full() ? of.full_sample : of.sample;
  std::vector<Query> queries;
  for (const char* file : of.topics) {
    add_sample(read_topics(file, '\t'), false, count, random, queries);
  }
  if (of.efficiency_queries) {
    add_sample(read_topics("queries/terabyte05.efficiency.txt.xz", ':'), false, count, random,
               queries);
    add_sample(read_game_topics("queries/search-benchmark-game.queries.jsonl"), true, count, random,
               queries);
  }
  return queries;
}

std::vector<Query> sample_log(std::size_t count, std::mt19937_64& random) {
  std::vector<Query> queries;
  add_sample(read_topics("queries/terabyte05.efficiency.txt.xz", ':'), false, count, random,
             queries);
  return queries;
}

std::vector<ScorerSettings> real_scorers() {
  return {{},
          {.form = Bm25Form::kPisa},
          {.k1 = 1.2F, .b = 0.75F},
          {.kind = ScorerKind::kQueryLikelihood},
          {.kind = ScorerKind::kBm25Plus},
          {.kind = ScorerKind::kJelinekMercer},
          {.kind = ScorerKind::kPl2},
          {.kind = ScorerKind::kBm25Lucene},
          {.kind = ScorerKind::kImpact}};
}

void RealIndexes::read(const RealCase& of) {
  collection_ = read_collection(of.documents).collection;
  impacts_ = collection_.to_impacts();
}

const reference::Collection& RealIndexes::collection(const ScorerSettings& scorer) const {
  return scorer.kind == ScorerKind::kImpact ? impacts_ : collection_;
}

std::filesystem::path RealIndexes::folder(std::size_t codec, const ScorerSettings& scorer) {
  const bool of_impacts = scorer.kind == ScorerKind::kImpact;
  const std::filesystem::path folder = folder_ / (std::to_string(codec) + (of_impacts ? "i" : ""));
  if (std::filesystem::exists(folder)) return folder;
  if (of_impacts) {
    write_impact_index(collection_, impacts_, all_codecs()[codec], folder);
  } else {
    write_index(collection_, all_codecs()[codec], folder);
  }
  return folder;
}

const Truth& ModeTruths::of(const SearchSettings& settings) const {
  if (settings.mode == QueryMode::kAnd) return with_and;
  if (settings.mode == QueryMode::kOr) return with_or;
  const std::size_t enough = settings.and_or_min == 0 ? settings.k : settings.and_or_min;
  return with_and.ranking.documents.size() < enough ? fallen_back : with_and;
}

ModeTruths find_mode_truths(const reference::Collection& collection, const Query& query,
                            const ScorerSettings& scorer) {
  SearchSettings settings;
  settings.scorer = scorer;
  ModeTruths truths;
  truths.with_or = find_truth(collection, query, settings);
  settings.mode = QueryMode::kAnd;
  truths.with_and = find_truth(collection, query, settings);
  truths.fallen_back = truths.with_or;
  truths.fallen_back.ranking.fell_back_to_or = true;
  return truths;
}

}  // namespace warpdex::test
