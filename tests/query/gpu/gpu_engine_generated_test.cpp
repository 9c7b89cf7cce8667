// The GPU engine over generated collections, whose lists have what random ones lack: dense runs,
// bursts, and frequencies that follow lengths. A small one by the oracle; one of any size, which
// WARPDEX_GOV2 names (the folder that `warpdex-lab generate` wrote), by the dense oracle.
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "generate/generator.hpp"
#include "tests/query/engine/dense_oracle.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/engine/real_engine_inputs.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex {
namespace {

std::vector<SearchSettings> all_settings(const std::vector<std::uint32_t>& ks) {
  std::vector<SearchSettings> all;
  for (const QueryMode mode : test::kAllModes) {
    for (const std::uint32_t k : ks) {
      SearchSettings settings;
      settings.mode = mode;
      settings.k = k;
      all.push_back(settings);
    }
  }
  return all;
}

/// With counts, and by BM25's other form.
std::vector<SearchSettings> other_settings() {
  std::vector<SearchSettings> all;
  for (const QueryMode mode : test::kAllModes) {
    all.push_back(test::settings_of(mode, 10, true));
    all.push_back(test::settings_of(mode, 100, false, {.form = Bm25Form::kPisa, .k1 = 1.2F}));
  }
  return all;
}

std::vector<Query> generate_small(std::uint32_t documents, std::uint32_t queries,
                                  const CodecSettings& codec, bool impacts,
                                  const std::filesystem::path& folder) {
  generate::GeneratorSettings settings = generate::gov2_settings();
  settings.documents = documents;
  settings.queries = queries;
  settings.seed = test::seed();
  generate::GeneratorReport report;
  std::vector<Query> made;
  for (const generate::GeneratedQuery& query :
       generate::generate_collection(settings, codec, impacts, folder, 0, {}, report)) {
    made.push_back(reference::query_from(query.text));
  }
  return made;
}

// The judge of large collections is judged itself.
TEST(DenseOracle, AgreesWithTheOracle) {
  const test::TemporaryFolder folder;
  for (const bool impacts : {false, true}) {
    const std::filesystem::path at = folder / (impacts ? "impacts" : "frequencies");
    const auto queries = generate_small(20'000, 30, {CodecKind::kRice, 1}, impacts, at);
    const Index index = Index::open(at);
    const reference::Collection collection = test::collection_of(index);
    test::DenseOracle dense(index);
    std::vector<SearchSettings> all = all_settings({10, 1'000});
    for (const SearchSettings& other : other_settings()) all.push_back(other);
    for (const Query& query : queries) {
      for (SearchSettings settings : all) {
        if (impacts) settings.scorer.kind = ScorerKind::kImpact;
        const reference::Ranking right = reference::rank(collection, query, settings);
        const reference::Ranking& found = dense.rank(query, settings);
        ASSERT_EQ(found.fell_back_to_or, right.fell_back_to_or);
        ASSERT_EQ(found.documents.size(), right.documents.size());
        ASSERT_EQ(found.place, right.place) << reference::describe(query);
        for (std::size_t i = 0; i < right.documents.size(); ++i) {
          ASSERT_DOUBLE_EQ(found.documents[i].score, right.documents[i].score);
        }
      }
    }
  }
}

TEST(GpuGenerated, AgreesWithTheOracle) {
  WARPDEX_NEEDS_GPU();
  const test::TemporaryFolder folder;
  const std::vector<CodecSettings> codecs = test::all_codecs();
  for (const bool impacts : {false, true}) {
    const std::filesystem::path at = folder / (impacts ? "impacts" : "frequencies");
    const CodecSettings codec = codecs[(test::seed() + (impacts ? 3 : 0)) % codecs.size()];
    const std::vector<Query> queries = generate_small(300'000, 60, codec, impacts, at);
    test::UploadedIndex engine(at);
    ScorerSettings scorer;
    if (impacts) scorer.kind = ScorerKind::kImpact;
    std::vector<SearchSettings> all = all_settings({10, 1'000});
    for (SearchSettings& settings : all) settings.scorer = scorer;
    all.push_back(all[3]);  // or
    all.back().count = true;
    std::vector<std::vector<SearchResult>> answers;
    std::vector<std::vector<std::vector<SearchResult>>> other_ways(test::kWays.size());
    for (const SearchSettings& settings : all) {
      answers.push_back(engine.search(queries, settings));
      for (std::size_t way = 1; way < test::kWays.size(); ++way) {
        other_ways[way].push_back(engine.search(queries, settings, way));
      }
    }
    const reference::Collection collection = test::collection_of(engine.index());
    for (std::size_t query = 0; query < queries.size(); ++query) {
      const test::ModeTruths truths = test::find_mode_truths(collection, queries[query], scorer);
      for (std::size_t i = 0; i < all.size(); ++i) {
        const std::string what = reference::describe(codec) + ' ' + reference::describe(all[i]) +
                                 ' ' + reference::describe(queries[query]);
        ASSERT_EQ(test::judge(truths.of(all[i]), answers[i][query], all[i]), "") << what;
        for (std::size_t way = 1; way < test::kWays.size(); ++way) {
          ASSERT_EQ(test::disagreement(answers[i][query], other_ways[way][i][query], all[i]), "")
              << what << ' ' << test::kWays[way].name;
        }
      }
    }
  }
}

// So many queries take the same tiles first where lists are decoded once for all of them.
TEST(GpuGenerated, ManyQueriesTogether) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kQueries = 2'100;
  const test::TemporaryFolder folder;
  const std::vector<Query> queries =
      generate_small(300'000, 30, {CodecKind::kBitpack}, false, folder / "index");
  std::vector<Query> many;
  for (std::size_t i = 0; i < kQueries; ++i) many.push_back(queries[i % queries.size()]);
  const SearchSettings settings = test::settings_of(QueryMode::kOr, 10, false, {});
  test::UploadedIndex engine(folder / "index");
  const std::size_t way = test::kWays.size() - 1;
  ASSERT_EQ(test::kWays[way].name, "decoding once");
  const std::vector<SearchResult> found = engine.search(many, settings, way);
  const reference::Collection collection = test::collection_of(engine.index());
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const test::ModeTruths truths = test::find_mode_truths(collection, queries[i], {});
    for (std::size_t again = i; again < kQueries; again += queries.size()) {
      ASSERT_EQ(test::judge(truths.of(settings), found[again], settings), "")
          << again << ' ' << reference::describe(queries[i]);
    }
  }
}

// ------------------------------------------------------------------------------------- any size

/// Queries of a file that `warpdex-lab generate` wrote: id<TAB>terms. Evenly from the whole log.
std::vector<Query> read_log(const std::filesystem::path& file, std::size_t most) {
  std::vector<Query> queries;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    queries.push_back(reference::query_from(line.substr(line.find('\t') + 1)));
  }
  std::vector<Query> chosen;
  const std::size_t count = std::min(most, queries.size());
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(queries[i * queries.size() / count]);
  return chosen;
}

/// Answers by the settings that they were asked by.
struct GivenAnswers {
  SearchSettings settings;
  std::vector<SearchResult> results;
};

/// Judges by the dense oracle, on a few threads; each takes 32 bytes a document and more.
void judge_large(const Index& index, const std::vector<Query>& queries,
                 const std::vector<GivenAnswers>& all) {
  const std::size_t threads = std::min<std::size_t>(default_threads(), 16);
  std::vector<std::unique_ptr<test::DenseOracle>> oracles(threads);
  std::mutex mutex;
  std::string wrong;
  parallel_for(threads, queries.size(), [&](std::size_t thread, std::size_t i) {
    if (!oracles[thread]) oracles[thread] = std::make_unique<test::DenseOracle>(index);
    for (const GivenAnswers& asked : all) {
      const reference::Ranking& truth = oracles[thread]->rank(queries[i], asked.settings);
      const std::string found = reference::difference(truth, asked.results[i], asked.settings);
      if (found.empty()) continue;
      const std::lock_guard<std::mutex> lock(mutex);
      wrong = found + "; " + reference::describe(asked.settings) + ' ' +
              reference::describe(queries[i]);
    }
  });
  EXPECT_EQ(wrong, "");
}

TEST(GpuGenerated, AgreesOverTheCollectionThatIsNamed) {
  const char* wish = std::getenv("WARPDEX_GOV2");
  if (wish == nullptr) {
    GTEST_SKIP() << "set WARPDEX_GOV2 to a folder that `warpdex-lab generate` wrote";
  }
  WARPDEX_NEEDS_GPU();
  const std::filesystem::path folder = wish;
  const std::vector<Query> queries = read_log(folder / "queries.tsv", 100);
  ASSERT_FALSE(queries.empty());
  test::UploadedIndex engine(folder / "index");
  std::vector<SearchSettings> wanted = all_settings({1, 10, 100, 1'000, 10'000});
  for (const SearchSettings& other : other_settings()) wanted.push_back(other);
  std::vector<GivenAnswers> all;
  for (SearchSettings settings : wanted) {
    settings.scorer = test::meant_settings(engine.index(), settings).scorer;
    all.push_back({settings, engine.search(queries, settings)});
    ASSERT_EQ(all.back().results.size(), queries.size());
  }
  judge_large(engine.index(), queries, all);
  for (const auto& [settings, results] : all) {
    if (settings.k != 10 && settings.k != 1'000) continue;
    const std::vector<SearchResult> by_cpu =
        test::search_on_cpu(engine.index(), queries, settings, 0);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_EQ(test::disagreement(by_cpu[i], results[i], settings), "") << "the CPU " << i;
    }
    for (std::size_t way = 1; way < test::kWays.size(); ++way) {
      const std::vector<SearchResult> others = engine.search(queries, settings, way);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        ASSERT_EQ(test::disagreement(results[i], others[i], settings), "")
            << test::kWays[way].name << ' ' << i;
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
