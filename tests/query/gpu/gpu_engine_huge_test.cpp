// Queries of many frequent terms with many answers, against the oracle: their tiles are accumulated
// in pieces, and all multiprocessors share their exact scores. Alone, in batches, and on an engine
// in the background while another one answers others.
#include "gpu/layout/layout.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

/// Terms t0 to t63. Most are in a tenth to nearly all of the documents; some are rare, lie in a
/// part of the documents only, or in all of them in a row.
Collection make_frequent_lists(Random& random, std::uint32_t documents, bool has_statics) {
  Collection collection = test::make_documents(random, documents, has_statics);
  for (std::uint32_t term = 0; term < gpu::kMaxLists; ++term) {
    const auto share = [&](std::uint32_t from, std::uint32_t to) {
      return static_cast<std::uint32_t>(documents * (from + random() % (to - from)) / 100);
    };
    std::vector<std::uint32_t> docids;
    switch (term % 8) {
      case 0:
        docids = test::scatter(random, documents, static_cast<std::uint32_t>(1 + random() % 300));
        break;
      case 1: docids = test::scatter(random, share(20, 90), share(10, 20)); break;
      case 2: docids = test::run(share(10, 50), share(10, 50)); break;
      default: docids = test::scatter(random, documents, share(10, 95)); break;
    }
    test::add_list(collection, 't' + std::to_string(term), docids, random);
  }
  return collection;
}

/// Of terms [first, first + count), the last `prohibited` of which no document may have.
Query query_of(std::uint32_t first, std::uint32_t count, std::uint32_t prohibited = 0) {
  Query query;
  for (std::uint32_t i = 0; i < count; ++i) {
    query.terms.push_back({'t' + std::to_string(first + i),
                           i + prohibited < count ? Occur::kUnsigned : Occur::kMustNot});
  }
  return query;
}

/// With all of these lists a tile has four pieces, with half of them two.
std::vector<Query> long_queries() {
  return {query_of(0, 64), query_of(0, 64, 1), query_of(8, 32), query_of(3, 16), query_of(3, 5)};
}

TEST(GpuHuge, AnswersOfFrequencies) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(611);
  const std::vector<CodecSettings> codecs = test::all_codecs();
  constexpr std::uint32_t kDocuments = 2 * gpu::kTileDocuments + 3'333;
  const ScorerSettings likelihood{.kind = ScorerKind::kQueryLikelihood};
  for (const bool has_statics : {false, true}) {
    const Collection collection = make_frequent_lists(random, kDocuments, has_statics);
    const test::TemporaryFolder folder;
    test::write_index(collection, codecs[random() % codecs.size()], folder / "index");
    test::UploadedIndex engine(folder / "index");
    for (const SearchSettings& settings :
         {test::settings_of(QueryMode::kOr, kMaxK), test::settings_of(QueryMode::kOr, 700, true),
          test::settings_of(QueryMode::kAndOr, 5'000, false, likelihood)}) {
      ASSERT_EQ(test::judge_batch(collection, engine, long_queries(), settings), "");
    }
  }
}

TEST(GpuHuge, AnswersOfImpactsAndWeights) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(612);
  const std::vector<CodecSettings> codecs = test::all_codecs();
  constexpr std::uint32_t kDocuments = 3 * gpu::kTileDocuments - 1;
  const test::TemporaryFolder folder;
  const Collection collection =
      test::write_index_of(make_frequent_lists(random, kDocuments, false), true,
                           codecs[random() % codecs.size()], folder / "index");
  test::UploadedIndex engine(folder / "index");
  std::vector<Query> queries = long_queries();
  for (Query& query : long_queries()) {
    for (QueryTerm& term : query.terms) term.weight = 0.25F + static_cast<float>(random() % 8) / 3;
    queries.push_back(query);
  }
  const ScorerSettings impacts{.kind = ScorerKind::kImpact};
  for (const std::uint32_t k : {900U, kMaxK}) {
    const SearchSettings settings = test::settings_of(QueryMode::kOr, k, false, impacts);
    ASSERT_EQ(test::judge_batch(collection, engine, queries, settings), "");
  }
}

// Segments, removed documents.
TEST(GpuHuge, AnswersOverAChangedIndex) {
  WARPDEX_NEEDS_GPU();
  for (const bool weights : {false, true}) {
    test::Living living(613, CodecKind::kBitpack, weights, 40'000);
    living.add_some(9'000);
    living.commit();
    living.remove_share(10);
    living.commit();
    test::Uploaded uploaded;
    const GpuSnapshot& gpu = uploaded.open(living);
    test::LivingLog log(living, gpu.snapshot(), 40);
    GpuEngine engine(gpu);
    for (SearchSettings& settings : log.settings) {
      settings.mode = QueryMode::kOr;
      settings.k = kMaxK;
    }
    for (std::size_t i = 0; i < log.plans.size(); ++i) {
      const BatchAnswers answers =
          engine.run(std::span(log.plans).subspan(i, 1), std::span(log.settings).subspan(i, 1));
      test::expect_right(gpu.snapshot(), log, i, answers);
      ASSERT_FALSE(HasFatalFailure()) << i;
    }
  }
}

// While huge queries are under way on an engine in the background, another one answers others.
TEST(GpuHuge, AnswersInTheBackgroundBesideOthers) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(614);
  constexpr std::uint32_t kDocuments = 6 * gpu::kTileDocuments + 77;
  const Collection collection = make_frequent_lists(random, kDocuments, false);
  const test::TemporaryFolder folder;
  test::write_index(collection, {CodecKind::kBitpack, 1}, folder / "index");
  const Index index = Index::open(folder / "index");
  const test::LoneGpuIndex gpu(index);
  GpuEngine usual(gpu, {.max_batches = 1});
  GpuEngine background(gpu, {.max_batches = 1, .is_background = true});
  struct Asked {
    SearchSettings settings;
    std::vector<Query> queries;
    std::vector<PlannedQuery> plans;
    std::vector<test::Truth> truths;
  };
  Asked huge{test::settings_of(QueryMode::kOr, kMaxK), {query_of(0, 64)}, {}, {}};
  Asked others{test::settings_of(QueryMode::kOr, 100), {}, {}, {}};
  for (std::uint32_t i = 0; i < 50; ++i) others.queries.push_back(query_of(i, 1 + i % 5));
  for (Asked* asked : {&huge, &others}) {
    for (const Query& query : asked->queries) {
      asked->plans.push_back(plan_query(index, query));
      asked->truths.push_back(test::find_truth(collection, query, asked->settings));
    }
  }
  const auto start = [](GpuEngine& engine, const Asked& asked) {
    return engine.submit(asked.plans, std::span(&asked.settings, 1));
  };
  const auto expect_right = [](const Asked& asked, const BatchAnswers& answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      ASSERT_EQ(test::judge(asked.truths[i], answers.result(i), asked.settings), "") << i;
    }
  };
  for (int round = 0; round < 20; ++round) {
    const Ticket of_huge = start(background, huge);
    do {
      expect_right(others, usual.wait(start(usual, others)));
      ASSERT_FALSE(HasFatalFailure());
    } while (!background.poll(of_huge));
    expect_right(huge, background.wait(of_huge));
    ASSERT_FALSE(HasFatalFailure());
  }
  EXPECT_EQ(background.statistics().unanswered_queries, 0U);
}

}  // namespace
}  // namespace warpdex
