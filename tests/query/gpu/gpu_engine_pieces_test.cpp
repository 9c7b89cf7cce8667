// Long queries of BM25 over `bitpack`, which are added up in pieces behind a guessed threshold,
// against the oracle: lists of all forms, guesses that are too high, too few matches, removed
// documents.
#include "gpu/kernels/pieces/or_pieces.hpp"
#include "gpu/layout/layout.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using reference::Posting;
using test::Random;

constexpr CodecSettings kBitpack{CodecKind::kBitpack, 1};

std::string name_of(std::uint32_t term) { return 't' + std::to_string(term); }

/// `percent` of some documents from `first` on, in groups of neighbours far from each other if they
/// are `clustered`.
std::vector<std::uint32_t> draw_docids(Random& random, std::uint32_t first, std::uint32_t documents,
                                       std::uint32_t percent, bool clustered) {
  std::vector<std::uint32_t> docids;
  std::uint32_t left = 0;  // of a group, or of the gap behind it
  bool is_gap = false;
  for (std::uint32_t i = first; i < first + documents; ++i) {
    if (left == 0) {
      is_gap = !is_gap;
      left = static_cast<std::uint32_t>(1 + random() % (is_gap ? 900 : 300));
    }
    --left;
    if ((!clustered || !is_gap) && random() % 100 < percent) docids.push_back(i);
  }
  return docids;
}

/// Frequencies of up to 2^8, 2^18 or 2^24: most are small.
void add_list(Collection& collection, std::uint32_t term, const std::vector<std::uint32_t>& docids,
              std::uint32_t bits, Random& random) {
  std::vector<Posting> postings;
  for (const std::uint32_t docid : docids) {
    const std::uint64_t range = random() % 500 == 0 ? std::uint64_t{1} << bits : 4;
    postings.push_back({docid, static_cast<std::uint32_t>(1 + random() % range)});
  }
  collection.add_list(name_of(term), std::move(postings));
}

/// Terms t0 to t63: frequent ones, some of them in groups of documents, and a few rare ones.
Collection make_lists(Random& random, std::uint32_t documents) {
  Collection collection = test::make_documents(random, documents, false);
  for (std::uint32_t term = 0; term < gpu::kMaxLists; ++term) {
    const std::uint32_t bits = term % 16 == 3 ? 24 : term % 16 == 5 ? 18 : 8;
    const bool is_rare = term % 16 == 7;
    const auto docids =
        is_rare ? test::scatter(random, documents, static_cast<std::uint32_t>(1 + random() % 500))
                : draw_docids(random, 0, documents, static_cast<std::uint32_t>(25 + random() % 75),
                              term % 4 == 1);
    add_list(collection, term, docids, bits, random);
  }
  return collection;
}

/// Of terms [first, first + count), the last `prohibited` of which no document may have.
Query query_of(std::uint32_t first, std::uint32_t count, std::uint32_t prohibited = 0) {
  Query query;
  for (std::uint32_t i = 0; i < count; ++i) {
    query.terms.push_back(
        {name_of(first + i), i + prohibited < count ? Occur::kUnsigned : Occur::kMustNot});
  }
  return query;
}

/// Runs each query alone and judges its answer. Returns how many ran again.
std::uint64_t expect_right(const Collection& collection, const Index& index,
                           std::span<const Query> queries, const SearchSettings& settings) {
  const test::LoneGpuIndex gpu(index);
  GpuEngine engine(gpu);
  for (const Query& query : queries) {
    const PlannedQuery plan = plan_query(index, query);
    const BatchAnswers answers = engine.run(std::span(&plan, 1), std::span(&settings, 1));
    EXPECT_TRUE(answers[0].is_answered);
    const test::Truth truth = test::find_truth(collection, query, settings);
    EXPECT_EQ(test::judge(truth, answers.result(0), settings), "") << query.terms.size();
  }
  return engine.statistics().candidates_lost;
}

TEST(GpuPieces, ListsOfAllForms) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(621);
  for (const std::uint32_t documents : {26'000U, 4 * gpu::kTileDocuments + 1, 99'999U}) {
    const Collection collection = make_lists(random, documents);
    const test::TemporaryFolder folder;
    test::write_index(collection, kBitpack, folder / "index");
    const Index index = Index::open(folder / "index");
    std::vector<Query> queries{query_of(0, 64), query_of(0, 64, 3), query_of(5, 48)};
    queries.push_back(query_of(0, 64));
    for (QueryTerm& term : queries.back().terms) {
      term.weight = term.term == "t7" ? 300.F : 0.25F + static_cast<float>(random() % 8) / 3;
    }
    for (const std::uint32_t k : {900U, 5'000U, kMaxK}) {
      expect_right(collection, index, queries, test::settings_of(QueryMode::kOr, k));
    }
  }
}

// So few lists go by bound, although nearly all of their postings must be read.
TEST(GpuPieces, FewDenseLists) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(625);
  constexpr std::uint32_t kDocuments = 26'000;
  Collection collection = test::make_documents(random, kDocuments, false);
  for (std::uint32_t term = 0; term < 32; ++term) {
    const std::uint32_t percent = term < 13 ? 100 : 5;
    add_list(collection, term, draw_docids(random, 0, kDocuments, percent, false), 8, random);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, kBitpack, folder / "index");
  const Index index = Index::open(folder / "index");
  std::vector<Query> queries{query_of(0, 9), query_of(3, 10), query_of(0, 12), query_of(0, 13)};
  queries.push_back(query_of(4, 24, 15));  // rare ones are prohibited
  for (const std::uint32_t k : {2'731U, 5'000U, kMaxK}) {
    expect_right(collection, index, queries, test::settings_of(QueryMode::kOr, k));
  }
}

// The documents of the sample are the best by far, so the guessed threshold is too high.
TEST(GpuPieces, ASampleThatIsNotLikeTheRest) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(622);
  constexpr std::uint32_t kDocuments = 30 * gpu::kMinPiece;
  constexpr std::uint32_t kSample = gpu::kSampleStep / 2 * gpu::kMinPiece;
  Collection collection = test::make_documents(random, kDocuments, false);
  for (std::uint32_t term = 0; term < gpu::kMaxLists; ++term) {
    auto docids = draw_docids(random, 0, kSample, 40, false);
    const auto best = test::run(kSample, gpu::kMinPiece);
    const std::uint32_t behind = kSample + gpu::kMinPiece;
    const auto others = draw_docids(random, behind, kDocuments - behind, 40, false);
    docids.insert(docids.end(), best.begin(), best.end());
    docids.insert(docids.end(), others.begin(), others.end());
    add_list(collection, term, docids, 2, random);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, kBitpack, folder / "index");
  const Index index = Index::open(folder / "index");
  const std::vector<Query> queries{query_of(0, 64)};
  const auto settings = test::settings_of(QueryMode::kOr, 3 * gpu::kMinPiece);
  EXPECT_EQ(expect_right(collection, index, queries, settings), 1U);
}

// Fewer documents match than are wanted, and none of the sample does.
TEST(GpuPieces, FewMatchesInASmallIndex) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(623);
  constexpr std::uint32_t kDocuments = 30 * gpu::kMinPiece;
  Collection collection = test::make_documents(random, kDocuments, false);
  for (std::uint32_t term = 0; term < gpu::kMaxLists; ++term) {
    add_list(collection, term, draw_docids(random, 77, 8 * gpu::kMinPiece, 95, false), 8, random);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, kBitpack, folder / "index");
  const Index index = Index::open(folder / "index");
  const std::vector<Query> queries{query_of(0, 64), query_of(0, 64, 1)};
  EXPECT_EQ(expect_right(collection, index, queries, test::settings_of(QueryMode::kOr, kMaxK)), 0U);
}

TEST(GpuPieces, RemovedDocuments) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(624);
  std::vector<Document> documents(30'000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = std::to_string(i);
    for (std::uint32_t term = 0; term < gpu::kMaxLists; ++term) {
      if (random() % 100 < 20 + term) documents[i].text += name_of(term) + ' ';
    }
  }
  const test::TemporaryFolder folder;
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = "whitespace";
  options.codec = kBitpack;
  build_index(*documents_from_memory(documents), options);
  LivingIndex living(folder / "index");
  for (const Document& document : documents) {
    if (random() % 4 == 0) {
      EXPECT_TRUE(living.remove(document.id));
    }
  }
  living.commit();
  Resources resources;
  const GpuSnapshot gpu(Snapshot::open(folder / "index"), resources);
  ASSERT_EQ(gpu.snapshot().segments().size(), 1U);
  ASSERT_GT(gpu.snapshot().removed_documents(), 6'000U);
  GpuEngine engine(gpu);
  CpuSearcher cpu(gpu.snapshot());
  const PlannedQuery plan = plan_query(gpu.snapshot(), query_of(0, 64));
  const auto settings = test::settings_of(QueryMode::kOr, 5'000);
  const BatchAnswers answers = engine.run(std::span(&plan, 1), std::span(&settings, 1));
  ASSERT_TRUE(answers[0].is_answered);
  EXPECT_EQ(test::disagreement(cpu.run(plan, settings), answers.result(0), settings), "");
}

}  // namespace
}  // namespace warpdex
