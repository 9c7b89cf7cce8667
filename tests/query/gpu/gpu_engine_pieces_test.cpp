// Long queries of BM25 over `bitpack`, which are added up in pieces behind a guessed threshold,
// against the oracle: lists of all forms, pieces of all sizes, guesses that are too high, too few
// matches, removed documents.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/kernels/pieces/or_pieces.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "tests/query/gpu/lists/gpu_cache_support.hpp"
#include "tests/query/gpu/long_query_support.hpp"
#include "tests/reference/from_text.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using test::add_list;
using test::draw_docids;
using test::LoneQueries;
using test::query_of;
using test::Random;
using test::WrittenIndex;

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

/// Terms t0, t1, ...: so many, each in `percent` of the documents.
Collection make_alike(Random& random, std::uint32_t terms, std::uint32_t documents,
                      std::uint32_t percent) {
  Collection collection = test::make_documents(random, documents, false);
  for (std::uint32_t term = 0; term < terms; ++term) {
    add_list(collection, term, draw_docids(random, 0, documents, percent, false), 8, random);
  }
  return collection;
}

/// Terms t0 to t63, in a quarter to all of the documents: mostly bit sets of 4 to 16 bits a lane,
/// and longer ones where documents come in groups. Frequencies of 1 to 2^0, 2^1, ..., 2^8.
Collection make_bit_sets(Random& random, std::uint32_t documents) {
  Collection collection = test::make_documents(random, documents, false);
  for (std::uint32_t term = 0; term < gpu::kMaxLists; ++term) {
    const std::uint32_t percent = 25 + term % 16 * 5;
    std::vector<reference::Posting> postings;
    for (const std::uint32_t docid : draw_docids(random, 0, documents, percent, term % 5 == 2)) {
      postings.push_back({docid, static_cast<std::uint32_t>(1 + random() % (1U << term % 9))});
    }
    collection.add_list(test::name_of(term), std::move(postings));
  }
  return collection;
}

// Of fewer than 24 pieces there is no sample.
TEST(GpuPieces, ListsOfAllForms) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(621);
  constexpr std::uint32_t kSampled = gpu::kSampleStep * gpu::kMinPiece;
  for (const std::uint32_t documents :
       {gpu::kTileDocuments, kSampled - gpu::kMinPiece, kSampled - gpu::kMinPiece + 1,
        4 * gpu::kTileDocuments + 1, 99'999U}) {
    const Collection collection = make_lists(random, documents);
    const WrittenIndex written(collection);
    std::vector<Query> queries{query_of(0, 64), query_of(0, 64, 3), query_of(5, 48)};
    queries.push_back(query_of(0, 64));
    for (QueryTerm& term : queries.back().terms) {
      term.weight = term.term == "t7" ? 300.F : 0.25F + static_cast<float>(random() % 8) / 3;
    }
    const test::LoneGpuIndex gpu(*written.index);
    LoneQueries lone(gpu);
    expect_right(collection, written, lone, queries, {900U, 5'000U, kMaxK});
    EXPECT_LT(4 * lone.ran_again(), lone.runs());
  }
}

// Many bit sets reach over the end of a piece.
TEST(GpuPieces, BitSets) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(631);
  for (const std::uint32_t documents : {4 * gpu::kTileDocuments + 333, 40'000U}) {
    const Collection collection = make_bit_sets(random, documents);
    const WrittenIndex written(collection);
    const test::LoneGpuIndex gpu(*written.index);
    LoneQueries lone(gpu);
    const std::vector<Query> queries{query_of(0, 64), query_of(7, 50, 2)};
    expect_right(collection, written, lone, queries, {900U, 5'000U, kMaxK});
    EXPECT_EQ(lone.ran_again(), 0U);
  }
}

// Some lists are read in place, in page-locked memory of the host.
TEST(GpuPieces, ListsThatAreNotResident) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(627);
  const Collection collection = make_lists(random, 40'000);
  const WrittenIndex written(collection);
  const std::size_t memory = test::Budgets(*written.index).at(30);
  const test::LoneGpuIndex gpu(*written.index, {.memory = memory});
  ASSERT_FALSE(gpu.is_resident());
  LoneQueries lone(gpu);
  const std::vector<Query> queries{query_of(0, 64), query_of(5, 48, 3)};
  expect_right(collection, written, lone, queries, {5'000U, kMaxK});
  EXPECT_EQ(lone.ran_again(), 0U);
}

// About the fewest documents of a long query: all lists have all of them.
TEST(GpuPieces, FewDocuments) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(628);
  const Collection collection = make_alike(random, gpu::kMaxLists, 2'100, 100);
  const WrittenIndex written(collection);
  const test::LoneGpuIndex gpu(*written.index);
  LoneQueries lone(gpu);
  const std::vector<Query> queries{query_of(0, 64)};
  expect_right(collection, written, lone, queries, {600U, 2'000U, kMaxK});
  EXPECT_EQ(lone.ran_again(), 0U);
}

TEST(PieceSize, IsTheLargestOfWhichHalfOfTheCtasGetOne) {
  Random random = test::generator(629);
  for (int i = 0; i < 10'000; ++i) {
    const auto documents = static_cast<std::uint32_t>(1 + random() % (1U << random() % 32));
    const auto resident = static_cast<std::uint32_t>(1 + random() % 400);
    const std::uint32_t size = gpu::piece_size(documents, resident);
    ASSERT_TRUE(std::has_single_bit(size));
    ASSERT_GE(size, gpu::kMinPiece);
    ASSERT_LE(size, gpu::kMaxPiece);
    if (size > gpu::kMinPiece) {
      ASSERT_GE(documents / size, resident / 2);
    }
    if (size < gpu::kMaxPiece) {
      ASSERT_LT(documents / (2 * size), resident / 2);
    }
  }
}

// The sizes are those of a GPU with 132 multiprocessors, for two CTAs each. The last piece lacks a
// document, or has only one.
TEST(GpuPieces, LargePieces) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kHalf = 132;  // of the CTAs
  EXPECT_EQ(gpu::piece_size(kHalf * 4'096 - 1, 2 * kHalf), 2'048U);
  EXPECT_EQ(gpu::piece_size(kHalf * 8'192 + 1, 2 * kHalf), 8'192U);
  Random random = test::generator(630);
  for (const std::uint32_t documents : {kHalf * 4'096 - 1, kHalf * 8'192 + 1}) {
    const Collection collection = make_alike(random, 13, documents, 67);
    const WrittenIndex written(collection);
    const test::LoneGpuIndex gpu(*written.index);
    LoneQueries lone(gpu);
    const std::vector<Query> queries{query_of(0, 13)};
    expect_right(collection, written, lone, queries, {5'000U});
    EXPECT_EQ(lone.ran_again(), 0U);
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
  const WrittenIndex written(collection);
  const test::LoneGpuIndex gpu(*written.index);
  LoneQueries lone(gpu);
  std::vector<Query> queries{query_of(0, 9), query_of(3, 10), query_of(0, 12), query_of(0, 13)};
  queries.push_back(query_of(4, 24, 15));  // rare ones are prohibited
  expect_right(collection, written, lone, queries, {2'731U, 5'000U, kMaxK});
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
  const WrittenIndex written(collection);
  const test::LoneGpuIndex gpu(*written.index);
  LoneQueries lone(gpu);
  const std::vector<Query> queries{query_of(0, 64)};
  expect_right(collection, written, lone, queries, {3 * gpu::kMinPiece});
  EXPECT_EQ(lone.ran_again(), 1U);
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
  const WrittenIndex written(collection);
  const test::LoneGpuIndex gpu(*written.index);
  LoneQueries lone(gpu);
  const std::vector<Query> queries{query_of(0, 64), query_of(0, 64, 1)};
  expect_right(collection, written, lone, queries, {kMaxK});
  EXPECT_EQ(lone.ran_again(), 0U);
}

TEST(GpuPieces, RemovedDocuments) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(624);
  std::vector<Document> documents(30'000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    documents[i].id = std::to_string(i);
    for (std::uint32_t term = 0; term < gpu::kMaxLists; ++term) {
      if (random() % 100 < 20 + term) documents[i].text += test::name_of(term) + ' ';
    }
  }
  const test::TemporaryFolder folder;
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = "whitespace";
  options.codec = test::kBitpack;
  build_index(*documents_from_memory(documents), options);
  LivingIndex living(folder / "index");
  Collection live;
  std::vector<std::uint32_t> live_numbers(documents.size());  // their docIDs there
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (random() % 4 == 0) {
      EXPECT_TRUE(living.remove(documents[i].id));
      continue;
    }
    live_numbers[i] = static_cast<std::uint32_t>(live.documents());
    reference::add_text(live, documents[i].text);
  }
  living.commit();
  Resources resources;
  const GpuSnapshot gpu(Snapshot::open(folder / "index"), resources);
  ASSERT_EQ(gpu.snapshot().segments().size(), 1U);
  ASSERT_GT(gpu.snapshot().removed_documents(), 6'000U);
  LoneQueries lone(gpu);
  const Query query = query_of(0, 64);
  const PlannedQuery plan = plan_query(gpu.snapshot(), query);
  for (const std::uint32_t k : {900U, 5'000U}) {
    const SearchSettings settings = test::settings_of(QueryMode::kOr, k);
    const test::Truth truth = test::find_truth(live, query, settings);
    for (SearchResult& result : lone.run(query, plan, settings, documents.size())) {
      for (Hit& hit : result.hits) hit.document = live_numbers[hit.document];
      EXPECT_EQ(test::judge(truth, result, settings), "") << k;
    }
  }
  EXPECT_EQ(lone.ran_again(), 0U);
}

}  // namespace
}  // namespace warpdex
