// The last step of the GPU engine against the oracle: numbers of survivors around those at which
// it changes its ways, few ties and many, few queries, which several CTAs share, and many.
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::Random;

enum class NestedKind { kMixed, kAlike, kAlikeImpacts };
constexpr NestedKind kKinds[] = {NestedKind::kMixed, NestedKind::kAlike, NestedKind::kAlikeImpacts};

/// A term with `often` documents, and one for each of `sizes` with so many of them. Documents that
/// are alike have the same length, and each term once.
Collection make_nested(Random& random, NestedKind kind, std::uint32_t often,
                       const std::vector<std::uint32_t>& sizes) {
  const std::uint32_t documents = 4 * often;
  const bool are_alike = kind != NestedKind::kMixed;
  Collection collection;
  if (!are_alike) collection = test::make_documents(random, documents, false);
  for (std::uint32_t i = 0; are_alike && i < documents; ++i) {
    collection.add_document_of_length({}, 100);
  }
  const auto add = [&](const std::string& term, const std::vector<std::uint32_t>& docids) {
    if (!are_alike) return test::add_list(collection, term, docids, random);
    std::vector<reference::Posting> postings;
    for (const std::uint32_t docid : docids) postings.push_back({docid, 1});
    collection.add_list(term, std::move(postings));
  };
  const std::vector<std::uint32_t> docids = test::scatter(random, documents, often);
  add("often", docids);
  for (const std::uint32_t size : sizes) {
    std::vector<std::uint32_t> some;
    for (const std::uint32_t place : test::scatter(random, often, size)) {
      some.push_back(docids[place]);
    }
    add('s' + std::to_string(size), some);
  }
  return collection;
}

/// Asks each query alone, and all of them among so many others that there is a CTA for each. Empty
/// if the answers are those of the batch of all.
std::string disagreement_by_batch(test::UploadedIndex& engine, const std::vector<Query>& queries,
                                  const SearchSettings& settings) {
  constexpr std::size_t kMany = 250;
  const std::vector<SearchResult> together = engine.search(queries, settings);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::string wrong =
        test::disagreement(together[i], engine.search({&queries[i], 1}, settings)[0], settings);
    if (!wrong.empty()) return "alone: " + wrong + "; " + reference::describe(queries[i]);
  }
  std::vector<Query> many;
  while (many.size() < kMany) many.insert(many.end(), queries.begin(), queries.end());
  const std::vector<SearchResult> among_many = engine.search(many, settings);
  for (std::size_t i = 0; i < many.size(); ++i) {
    const std::size_t query = i % queries.size();
    const std::string wrong = test::disagreement(together[query], among_many[i], settings);
    if (!wrong.empty()) return "among many: " + wrong + "; " + reference::describe(many[i]);
  }
  return "";
}

class GpuFinish : public testing::Test {
 protected:
  /// Judges AND of `often` and each of the sizes, which finds so many, and OR.
  void judge(NestedKind kind, const CodecSettings& codec, std::uint32_t often,
             const std::vector<std::uint32_t>& sizes, const std::vector<std::uint32_t>& ks) {
    const test::TemporaryFolder folder;
    const Collection collection =
        test::write_index_of(make_nested(random_, kind, often, sizes),
                             kind == NestedKind::kAlikeImpacts, codec, folder / "index");
    std::vector<Query> queries;
    for (const std::uint32_t size : sizes) {
      queries.push_back(test::queries_from({"often s" + std::to_string(size)})[0]);
    }
    test::UploadedIndex engine(folder / "index");
    const ScorerSettings scorer{.kind = kind == NestedKind::kAlikeImpacts ? ScorerKind::kImpact
                                                                          : ScorerKind::kBm25};
    for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr}) {
      for (const std::uint32_t k : ks) {
        const SearchSettings settings = test::settings_of(mode, k, false, scorer);
        ASSERT_EQ(test::judge_batch(collection, engine, queries, settings), "");
        ASSERT_EQ(disagreement_by_batch(engine, queries, settings), "")
            << reference::describe(settings);
      }
    }
    EXPECT_EQ(engine.searcher().statistics().unanswered_queries, 0);
  }

  Random random_ = test::generator(607);
};

TEST_F(GpuFinish, SmallNumbersOfSurvivors) {
  WARPDEX_NEEDS_GPU();
  const std::vector<std::uint32_t> sizes = {1, 31, 32, 33, 256, 257, 1'023, 1'025};
  for (const NestedKind kind : kKinds)
    judge(kind, {CodecKind::kPforBlock, 1}, 3'000, sizes, {10, 1'500});
}

TEST_F(GpuFinish, SurvivorsAroundWhatThereIsRoomFor) {
  WARPDEX_NEEDS_GPU();
  const std::vector<std::uint32_t> sizes = {1'024, 1'055, 1'056, 1'057, 2'048, 2'049, 5'000};
  for (const NestedKind kind : kKinds) {
    judge(kind, {CodecKind::kBitpack, 1}, 12'000, sizes, {1, 31, 32, 33, 1'000, 1'025});
  }
}

TEST_F(GpuFinish, ManyTiesAndTheMostThatCanBeWanted) {
  WARPDEX_NEEDS_GPU();
  const std::vector<std::uint32_t> sizes = {9'999, 10'000, 10'001, 10'176, 10'177, 40'000, 90'000};
  for (const NestedKind kind : kKinds) {
    judge(kind, {CodecKind::kPfor, 2}, 100'000, sizes, {10, kMaxK - 1, kMaxK});
  }
}

TEST_F(GpuFinish, MoreBlocksThatAreAlikeThanAFirstPhaseTakes) {
  WARPDEX_NEEDS_GPU();
  for (const NestedKind kind : {NestedKind::kAlike, NestedKind::kAlikeImpacts}) {
    judge(kind, {CodecKind::kBitpack, 1}, 200'000, {5, 150'000}, {1, 10});
  }
}

// Many answers, so that each lane looks its own survivor up, in lists of several segments.
TEST(GpuFinishSegments, ManyAnswersOfLists) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kSegment = 8'000;
  constexpr std::size_t kLists = 12;
  Random random = test::generator(608);
  Collection collection;
  std::vector<Document> documents(3 * kSegment);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = std::to_string(i);
    for (std::size_t term = 0; term < kLists; ++term) {
      // In one segment a term is rare, or not there.
      const std::uint64_t percent = i / kSegment == term % 4 ? term / 4 : 10 + 5 * term;
      if (random() % 100 >= percent) continue;
      for (std::uint64_t j = 1 + random() % 3; j > 0; --j) {
        documents[i].text += 't' + std::to_string(term) + ' ';
      }
    }
    reference::add_text(collection, documents[i].text);
  }
  const auto reader = [&](std::size_t segment) {
    const auto first = documents.begin() + static_cast<std::ptrdiff_t>(segment * kSegment);
    return documents_from_memory({first, first + kSegment});
  };
  const test::TemporaryFolder folder;
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = "whitespace";
  options.codec = {CodecKind::kBitpack, 1};
  build_index(*reader(0), options);
  LivingIndex writer(folder / "index");
  for (const std::size_t segment : {1, 2}) {
    writer.add(*reader(segment));
    writer.commit();
  }
  Resources resources;
  const GpuSnapshot gpu(Snapshot::open(folder / "index"), resources);
  ASSERT_EQ(gpu.snapshot().segments().size(), 3U);
  GpuEngine engine(gpu);
  for (const std::string text : {"t0 t1 t2 t3", "t4 t5 t6 t7 t8 t9 t10 t11", "t3 t7 t10 t11 -t0",
                                 "t0 t1 t2 t3 t4 t5 t6 t7 t8 t9 t10 t11"}) {
    const Query query = test::queries_from({text})[0];
    const PlannedQuery plan = plan_query(gpu.snapshot(), query);
    const SearchSettings settings = test::settings_of(QueryMode::kOr, kMaxK);
    const BatchAnswers answers = engine.run(std::span(&plan, 1), std::span(&settings, 1));
    ASSERT_TRUE(answers[0].is_answered);
    EXPECT_EQ(
        test::judge(test::find_truth(collection, query, settings), answers.result(0), settings), "")
        << text;
  }
}

}  // namespace
}  // namespace warpdex
