// Queries of up to 1,024 distinct terms on a GPU, whose kernels take more than 64 lists in groups.
// The answers are the CPU's, to the bit, and the oracle's.
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gpu/layout/layout.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/filter/filtered_index.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

/// Around the numbers of lists that kernels take at a time, and around the most terms.
constexpr std::uint32_t kLengths[] = {63,  64,  65,  66,  127,  128,  129,
                                      255, 256, 257, 511, 1023, 1024, 1025};
constexpr std::uint32_t kTerms = 1025;

/// Documents that each list has, nearly: so AND has matches.
constexpr std::uint32_t kEach = 701;

/// Terms t0 to t1024. Some are frequent, dense, or in a part of the documents; most are rare.
Collection make_long_lists(Random& random, std::uint32_t documents, bool has_statics = false) {
  Collection collection = test::make_documents(random, documents, has_statics);
  for (std::uint32_t term = 0; term < kTerms; ++term) {
    std::vector<bool> has(documents);
    for (std::uint32_t document = kEach / 2; document < documents; document += kEach) {
      has[document] = random() % 3000 != 0;
    }
    std::vector<std::uint32_t> docids;
    const auto below = [&](std::uint32_t end) {
      return static_cast<std::uint32_t>(random() % end);
    };
    switch (term % 16) {
      case 3:
        docids = test::scatter(random, documents, documents / 8 + below(documents / 3));
        break;
      case 7: docids = test::run(below(documents / 2), below(documents / 2)); break;
      case 11: docids = test::scatter(random, documents / 3, below(documents / 6)); break;
      default: docids = test::scatter(random, documents, below(term % 2 == 0 ? 90 : 600)); break;
    }
    for (const std::uint32_t document : docids) has[document] = true;
    docids.clear();
    for (std::uint32_t document = 0; document < documents; ++document) {
      if (has[document]) docids.push_back(document);
    }
    test::add_list(collection, 't' + std::to_string(term), docids, random);
  }
  return collection;
}

/// Of terms t0 to t(terms - 1): as they are, with some prohibited, with some required, with both.
std::vector<Query> queries_of(Random& random, std::uint32_t terms) {
  Query plain;
  for (std::uint32_t i = 0; i < terms; ++i) {
    plain.terms.push_back({'t' + std::to_string(i), Occur::kUnsigned});
  }
  Query without = plain;
  // Rare ones, so that not all frequent documents go.
  for (std::uint32_t i = 0; i < terms; i += 16) without.terms[i].occur = Occur::kMustNot;
  Query with = plain;
  for (int i = 0; i < 3; ++i) with.terms[random() % terms].occur = Occur::kMust;
  with.terms[random() % terms].weight = 2.5F;
  Query both = without;
  both.terms[3].occur = Occur::kMust;  // a frequent one
  return {plain, without, with, both};
}

/// Of each length, and some short ones between.
std::vector<Query> mixed_queries(Random& random, std::span<const std::uint32_t> lengths) {
  std::vector<Query> queries;
  for (const std::uint32_t terms : lengths) {
    for (Query& query : queries_of(random, terms)) queries.push_back(std::move(query));
    Query few;
    for (std::uint64_t i = 1 + random() % 4; i > 0; --i) {
      few.terms.push_back({'t' + std::to_string(random() % kTerms), Occur::kUnsigned});
    }
    queries.push_back(few);
  }
  return queries;
}

/// Runs the queries as one batch, and some alone. All but those of too many terms must be answered
/// by the GPU, and as by the CPU.
void expect_as_cpu(const test::UploadedIndex& uploaded, std::span<const Query> queries,
                   const SearchSettings& settings) {
  const std::vector<SearchResult> right =
      test::search_on_cpu(uploaded.index(), queries, settings, 0);
  std::vector<PlannedQuery> plans;
  for (const Query& query : queries) plans.push_back(plan_query(uploaded.index(), query));
  GpuEngine engine(uploaded.gpu_index());
  const auto expect = [&](const BatchAnswers& answers, std::size_t first) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const std::string what = std::to_string(plans[first + i].terms.size()) + " terms, " +
                               reference::describe(settings) + ", query " +
                               std::to_string(first + i) + " of a batch of " +
                               std::to_string(answers.size());
      ASSERT_EQ(answers[i].is_answered, plans[first + i].terms.size() <= kMaxGpuTerms) << what;
      if (!answers[i].is_answered) continue;
      ASSERT_EQ(test::disagreement(right[first + i], answers.result(i), settings), "") << what;
    }
  };
  ASSERT_NO_FATAL_FAILURE(expect(engine.run(plans, std::span(&settings, 1)), 0));
  for (std::size_t i = 0; i < plans.size(); i += 5) {
    ASSERT_NO_FATAL_FAILURE(
        expect(engine.run(std::span(plans).subspan(i, 1), std::span(&settings, 1)), i));
  }
}

/// For the sanitizer, which takes long.
TEST(GpuLongQueriesSmall, AreAnsweredAsByTheCpu) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(1601);
  const test::TemporaryFolder folder;
  test::write_index(make_long_lists(random, 17'000), {CodecKind::kPfor, 1}, folder / "index");
  const test::UploadedIndex uploaded(folder / "index");
  constexpr std::uint32_t kFew[] = {64, 65, 129};
  const std::vector<Query> queries = mixed_queries(random, kFew);
  for (const QueryMode mode : test::kAllModes) {
    ASSERT_NO_FATAL_FAILURE(
        expect_as_cpu(uploaded, queries, test::settings_of(mode, 10, mode == QueryMode::kAndOr)));
  }
}

class GpuLongQueries : public testing::TestWithParam<CodecSettings> {};

TEST_P(GpuLongQueries, AreAnsweredAsByTheCpu) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(1602);
  constexpr std::uint32_t kDocuments = 2 * gpu::kTileDocuments + 3'333;
  for (const bool as_impacts : {false, true}) {
    const test::TemporaryFolder folder;
    test::write_index_of(make_long_lists(random, kDocuments), as_impacts, GetParam(),
                         folder / "index");
    const test::UploadedIndex uploaded(folder / "index");
    const std::vector<Query> queries = mixed_queries(random, kLengths);
    for (const QueryMode mode : test::kAllModes) {
      for (const std::uint32_t k : {1U, 10U, 1000U}) {
        ASSERT_NO_FATAL_FAILURE(
            expect_as_cpu(uploaded, queries, test::settings_of(mode, k, k == 10)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Codecs, GpuLongQueries, testing::ValuesIn(test::all_codecs()));

// Static scores, and scorers with units of other forms.
TEST(GpuLongQueries, OfOtherScorers) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(1603);
  constexpr std::uint32_t kSome[] = {65, 128, 1024};
  for (const bool has_statics : {false, true}) {
    const test::TemporaryFolder folder;
    test::write_index(make_long_lists(random, 40'000, has_statics), {CodecKind::kBitpack},
                      folder / "index");
    const test::UploadedIndex uploaded(folder / "index");
    const std::vector<Query> queries = mixed_queries(random, kSome);
    for (const ScorerKind kind : named_scorers()) {
      const SearchSettings settings =
          test::settings_of(QueryMode::kOr, 100, kind == ScorerKind::kBm25, {.kind = kind});
      ASSERT_NO_FATAL_FAILURE(expect_as_cpu(uploaded, queries, settings));
    }
  }
}

// In all ways, with terms that are repeated, by the oracle.
TEST(GpuLongQueries, AreTheOraclesInEveryWay) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(1604);
  const Collection collection = make_long_lists(random, 20'000);
  const test::TemporaryFolder folder;
  test::write_index(collection, {CodecKind::kRice}, folder / "index");
  test::UploadedIndex uploaded(folder / "index");
  std::vector<Query> queries;
  for (const std::uint32_t terms : {64U, 65U, 192U, 1024U, 1025U}) {
    Query query = queries_of(random, terms)[1];
    for (std::uint32_t i = 1; i < 4; ++i) query.terms.push_back(query.terms[i * 7]);
    queries.push_back(query);
    for (QueryTerm& term : query.terms) term.weight = 0.25F + static_cast<float>(random() % 8) / 3;
    queries.push_back(query);
  }
  for (const QueryMode mode : test::kAllModes) {
    ASSERT_EQ(test::judge_batch(collection, uploaded, queries, test::settings_of(mode, 300, true)),
              "");
  }
  EXPECT_EQ(uploaded.searcher().statistics().unanswered_queries, 3 * 2 * 2U);
}

/// Words of the indexes that change, each once, in any order.
Query query_of_words(Random& random, std::size_t terms, int words, const std::string& mark) {
  std::vector<int> numbers(static_cast<std::size_t>(words));
  for (int i = 0; i < words; ++i) numbers[static_cast<std::size_t>(i)] = i + 1;
  std::shuffle(numbers.begin(), numbers.end(), random);
  Query query;
  for (std::size_t i = 0; i < terms; ++i) {
    const Occur occur = random() % 60 == 0    ? Occur::kMustNot
                        : random() % 200 == 0 ? Occur::kMust
                                              : Occur::kUnsigned;
    query.terms.push_back({mark + "w" + std::to_string(numbers[i]), occur});
  }
  return query;
}

/// Replaces some queries of a log by long ones.
void lengthen(test::LivingLog& log, Random& random, const Snapshot& snapshot,
              const std::string& mark) {
  constexpr std::size_t kSome[] = {64, 65, 129, 500, 1024, 1100};
  for (std::size_t i = 0; i < log.queries.size(); i += 2) {
    log.queries[i] = query_of_words(random, kSome[i / 2 % std::size(kSome)], 1999, mark);
    log.plans[i] = plan_query(snapshot, log.queries[i]);
  }
}

// Segments that lack some of the terms, removed documents, text fields.
TEST(GpuLongQueries, OverAChangedIndex) {
  WARPDEX_NEEDS_GPU();
  struct Form {
    CodecKind codec;
    bool weights;
    std::size_t fields;
  };
  for (const Form& form : {Form{CodecKind::kBitpack, false, 1}, Form{CodecKind::kPfor, true, 1},
                           Form{CodecKind::kRice, false, 3}}) {
    test::Living living(1605, form.codec, form.weights, 20'000, false, form.fields);
    for (const std::size_t documents : {9'000U, 100U, 3'000U}) {
      living.add_some(documents);
      living.commit();
    }
    living.remove_share(10);
    living.commit();
    test::Uploaded uploaded;
    const GpuSnapshot& gpu = uploaded.open(living);
    test::LivingLog log(living, gpu.snapshot(), 60);
    lengthen(log, living.random(), gpu.snapshot(), form.fields == 1 ? "" : field_mark(1));
    CpuSearcher cpu(gpu.snapshot());
    GpuEngine engine(gpu);
    const BatchAnswers together = engine.run(log.plans, log.settings);
    for (std::size_t i = 0; i < log.plans.size(); ++i) {
      const bool fits = log.plans[i].terms.size() <= kMaxGpuTerms;
      ASSERT_EQ(together[i].is_answered, fits) << log.plans[i].terms.size() << " terms";
      if (!fits) continue;
      const SearchResult right = cpu.run(log.plans[i], log.settings[i]);
      ASSERT_EQ(test::disagreement(right, together.result(i), log.settings[i]), "") << i;
      const BatchAnswers alone =
          engine.run(std::span(log.plans).subspan(i, 1), std::span(log.settings).subspan(i, 1));
      ASSERT_EQ(test::disagreement(right, alone.result(0), log.settings[i]), "") << i;
    }
  }
}

TEST(GpuLongQueries, Filtered) {
  WARPDEX_NEEDS_GPU();
  test::FilteredIndex index(1606, CodecKind::kPforBlock, 30'000, true);
  const Snapshot snapshot = Snapshot::open(index.index());
  Resources resources;
  const GpuSnapshot gpu(snapshot, resources);
  GpuEngine engine(gpu);
  CpuSearcher cpu(snapshot);
  std::vector<std::unique_ptr<const DocumentFilter>> filters;
  for (int i = 0; i < 3; ++i) {
    filters.push_back(
        std::make_unique<const DocumentFilter>(evaluate_filter(snapshot, index.filter())));
  }
  std::vector<PlannedQuery> plans;
  std::vector<SearchSettings> settings;
  for (std::size_t i = 0; i < 90; ++i) {
    const Query query =
        i % 3 == 0 ? index.query() : query_of_words(index.random(), 60 + i * 9, 999, "");
    plans.push_back(plan_query(snapshot, query));
    settings.push_back(index.settings());
    if (i % 4 != 0) settings[i].documents = filters[i % 3].get();
  }
  const BatchAnswers answers = engine.run(plans, settings);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    ASSERT_TRUE(answers[i].is_answered) << plans[i].terms.size() << " terms";
    ASSERT_EQ(test::disagreement(cpu.run(plans[i], settings[i]), answers.result(i), settings[i]),
              "")
        << i << ": " << plans[i].terms.size() << " terms";
  }
}

}  // namespace
}  // namespace warpdex
