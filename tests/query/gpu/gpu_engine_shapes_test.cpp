// The GPU engine against the oracle on lists of chosen shapes: lengths around those of chunks and
// ranges, blocks of no bytes, huge numbers, queries as long as the kernels can hold.
#include <iterator>

#include "gpu/layout/layout.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using reference::Posting;
using test::Random;

TEST(GpuShapes, ListsAroundWholeStretchesAndChunks) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kStretch = gpu::kRangeBlocks * kBlockSize;
  constexpr std::uint32_t kDocuments = kStretch + 5'000;
  Random random = test::generator(601);
  const std::vector<CodecSettings> codecs = test::all_codecs();
  for (std::uint64_t turn = 0; turn < 2; ++turn) {
    Collection collection = test::make_documents(random, kDocuments, turn == 0);
    test::add_list(collection, "short", test::scatter(random, kDocuments, 100), random);
    for (const std::uint32_t size : {kStretch - 1, kStretch, kStretch + 1}) {
      test::add_list(collection, 'l' + std::to_string(size),
                     test::scatter(random, kDocuments, size), random);
    }
    const std::uint32_t chunk = gpu::kAndBlocks * kBlockSize;
    for (const std::uint32_t size : {chunk - 1, chunk, chunk + 1}) {
      test::add_list(collection, 'c' + std::to_string(size),
                     test::scatter(random, kDocuments, size), random);
      test::add_list(collection, 'r' + std::to_string(size), test::run(kStretch - 300, size),
                     random);
    }
    const test::TemporaryFolder folder;
    const CodecSettings codec = codecs[(test::seed() + 3 * turn) % codecs.size()];
    test::write_index(collection, codec, folder / "index");
    test::UploadedIndex engine(folder / "index");
    const std::vector<Query> queries = test::queries_from(
        {"l262143", "l262144 l262145", "l262145 short", "l262143 l262144 l262145", "c1023 r1024",
         "c1024 l262143", "c1025 r1025 l262145", "r1023 r1024 r1025", "+l262144 +c1025 -r1023",
         "+l262143 short -l262145"});
    for (const QueryMode mode : test::kAllModes) {
      ASSERT_EQ(
          test::judge_batch(collection, engine, queries, test::settings_of(mode, 10, true, {})),
          "");
    }
    ASSERT_EQ(test::judge_batch(collection, engine, queries,
                                test::settings_of(QueryMode::kOr, 1'000, false, {.k1 = 1.2F})),
              "");
  }
}

// So many that each warp which looks documents up in decoded lists takes several queries, with
// documents of other queries still queued.
TEST(GpuShapes, ManyQueriesShareLists) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kDocuments = 3 * gpu::kTileDocuments + 17;
  constexpr std::size_t kLists = 48;
  Random random = test::generator(608);
  Collection collection = test::make_documents(random, kDocuments, false);
  for (std::size_t term = 0; term < kLists; ++term) {
    const auto size = static_cast<std::uint32_t>(1 + random() % (8U << term % 12));
    test::add_list(collection, 't' + std::to_string(term), test::scatter(random, kDocuments, size),
                   random);
  }
  std::vector<Query> queries(800);
  for (Query& query : queries) {
    std::size_t term = random() % kLists;
    for (std::size_t terms = 1 + random() % 9; terms > 0; --terms, term = (term + 7) % kLists) {
      const Occur occur = random() % 16 == 0 ? Occur::kMustNot : Occur::kUnsigned;
      query.terms.push_back({'t' + std::to_string(term), occur});
    }
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, {CodecKind::kBitpack}, folder / "index");
  test::UploadedIndex engine(folder / "index");
  // With k1 of 0, all documents of a term score the same.
  for (const auto& [k, k1] : {std::pair{1U, 1.2F}, {10U, 0.F}, {300U, 1.2F}}) {
    ASSERT_EQ(test::judge_batch(collection, engine, queries,
                                test::settings_of(QueryMode::kOr, k, false, {.k1 = k1})),
              "")
        << "k " << k;
  }
}

/// Terms t0 to t69, every other one of a hundred documents at most.
Collection make_many_lists(std::uint64_t seed, std::uint32_t documents = 20'000) {
  Random random = test::generator(seed);
  Collection collection = test::make_documents(random, documents, false);
  for (int term = 0; term < 70; ++term) {
    const auto size = static_cast<std::uint32_t>(1 + random() % (term % 2 == 0 ? 100 : 12'000));
    test::add_list(collection, 't' + std::to_string(term), test::scatter(random, documents, size),
                   random);
  }
  return collection;
}

/// Its first terms.
Query query_of_first(std::uint32_t terms) {
  Query query;
  for (std::uint32_t i = 0; i < terms; ++i) {
    query.terms.push_back({'t' + std::to_string(i), Occur::kUnsigned});
  }
  return query;
}

TEST(GpuShapes, QueriesOfAsManyListsAsKernelsHold) {
  WARPDEX_NEEDS_GPU();
  const Collection collection = make_many_lists(602);
  const test::TemporaryFolder folder;
  test::write_index(collection, {CodecKind::kPfor, 2}, folder / "index");
  test::UploadedIndex engine(folder / "index");
  std::vector<Query> queries;
  for (const std::uint32_t terms : {gpu::kMaxLists - 1, gpu::kMaxLists, gpu::kMaxLists + 1}) {
    Query query = query_of_first(terms);
    queries.push_back(query);
    for (std::size_t i = 0; i < 20; ++i) query.terms[i].occur = Occur::kMustNot;
    queries.push_back(query);
  }
  int batches = 0;
  for (const QueryMode mode : test::kAllModes) {
    for (const std::uint32_t k : {10U, 5'000U}) {
      ASSERT_EQ(
          test::judge_batch(collection, engine, queries, test::settings_of(mode, k, k == 10, {})),
          "");
      ++batches;
    }
  }
  const GpuStatistics statistics = engine.searcher().statistics();
  EXPECT_EQ(statistics.unanswered_queries, 0U);
  EXPECT_EQ(statistics.queries, 2 * 6 * batches);  // together, and one by one
}

// Around the length from which on queries have rounds even where they are alone; over a tile or
// two, and over forty.
TEST(GpuShapes, LongQueriesOneByOne) {
  WARPDEX_NEEDS_GPU();
  struct Shape {
    bool impacts;
    std::uint32_t tiles;
  };
  for (const auto [impacts, tiles] : {Shape{false, 1}, Shape{false, 40}, Shape{true, 40}}) {
    const CodecSettings codec =
        impacts ? CodecSettings{CodecKind::kPfor, 1} : CodecSettings{CodecKind::kBitpack};
    const test::TemporaryFolder folder;
    const Collection collection =
        test::write_index_of(make_many_lists(603, tiles * gpu::kTileDocuments + 3'616), impacts,
                             codec, folder / "index");
    test::UploadedIndex engine(folder / "index");
    for (const std::uint32_t terms : {7U, 8U, 9U, 10U, 11U, 12U, 13U, 14U}) {
      for (const std::uint32_t prohibited : {0U, 5U}) {
        Query query = query_of_first(terms + prohibited);
        for (std::uint32_t i = terms; i < terms + prohibited; ++i) {
          query.terms[i].occur = Occur::kMustNot;
        }
        for (const SearchSettings& settings :
             {test::settings_of(QueryMode::kOr, 1), test::settings_of(QueryMode::kOr, 10),
              test::settings_of(QueryMode::kOr, 1'000), test::settings_of(QueryMode::kAndOr, 10)}) {
          ASSERT_EQ(test::judge_batch(collection, engine, std::vector{query}, settings), "");
        }
      }
    }
  }
}

/// Terms t0 to t31, of which none is shorter than a block.
Collection make_long_lists(std::uint32_t documents) {
  Random random = test::generator(607);
  Collection collection = test::make_documents(random, documents, false);
  for (int term = 0; term < 32; ++term) {
    const auto size = static_cast<std::uint32_t>(128 + random() % (term % 4 == 0 ? 60'000 : 900));
    test::add_list(collection, 't' + std::to_string(term), test::scatter(random, documents, size),
                   random);
  }
  return collection;
}

// Single queries that the first kernel brings along: of one list to as many as fit, and one more;
// over more tiles than one CTA bounds.
TEST(GpuShapes, QueriesThatTheFirstKernelBrings) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kDocuments = 40 * gpu::kTileDocuments + 3'616;
  for (const bool impacts : {false, true}) {
    const CodecSettings codec{impacts ? CodecKind::kRice : CodecKind::kBitpack};
    const test::TemporaryFolder folder;
    const Collection collection =
        test::write_index_of(make_long_lists(kDocuments), impacts, codec, folder / "index");
    test::UploadedIndex engine(folder / "index");
    std::vector<Query> queries;
    for (const std::uint32_t terms : {1U, 2U, 5U, 12U}) {
      for (const std::uint32_t prohibited : {0U, 1U, 4U, 5U, 20U}) {
        queries.push_back(query_of_first(terms + prohibited));
        for (std::uint32_t i = 0; i < prohibited; ++i) {
          queries.back().terms[terms + i].occur = Occur::kMustNot;
        }
      }
    }
    for (const std::uint32_t k : {1U, 10U, 1'000U}) {
      ASSERT_EQ(
          test::judge_batch(collection, engine, queries, test::settings_of(QueryMode::kOr, k)), "");
    }
  }
}

// Rare terms, whose scores are hundreds of times those of terms that nearly all documents have: the
// k-th best document has a rare one, or only frequent ones, by k.
class GpuShapesOfRareTerms : public ::testing::Test {
 protected:
  static constexpr std::uint32_t kDocuments = 2 * gpu::kTileDocuments + 5'000;

  static Collection make(bool has_statics) {
    Random random = test::generator(606);
    Collection collection = test::make_documents(random, kDocuments, has_statics);
    for (const std::uint32_t size : {1U, 4U, 5U, 6U, 200U, 30'000U, kDocuments - 3, kDocuments}) {
      test::add_list(collection, 'l' + std::to_string(size),
                     test::scatter(random, kDocuments, size), random);
    }
    return collection;
  }

  inline static const std::string kAll = 'l' + std::to_string(kDocuments);
  inline static const std::string kNearlyAll = 'l' + std::to_string(kDocuments - 3);
};

TEST_F(GpuShapesOfRareTerms, SmallOnesBesideFrequentOnes) {
  WARPDEX_NEEDS_GPU();
  const std::vector<Query> queries = test::queries_from(
      {"l4 " + kNearlyAll, "l1 l4 l5 " + kAll, "l5 l6 l30000 " + kNearlyAll, "l4 l6", "l5 l5",
       "l200 " + kAll + ' ' + kAll, "l6 l200 l30000", "l5 l30000 -l6", "+l30000 l4 l5",
       "+l6 " + kAll, "l4 l200 l30000 " + kNearlyAll + ' ' + kAll});
  for (const bool has_statics : {false, true}) {
    const Collection collection = make(has_statics);
    const test::TemporaryFolder folder;
    test::write_index(collection, {CodecKind::kPfor, 1}, folder / "index");
    test::UploadedIndex engine(folder / "index");
    for (const ScorerSettings& scorer : {ScorerSettings{}, ScorerSettings{.k1 = 3, .b = 1},
                                         ScorerSettings{.kind = ScorerKind::kQueryLikelihood}}) {
      for (const std::uint32_t k : {1U, 5U, 6U, 10U, 250U}) {
        ASSERT_EQ(test::judge_batch(collection, engine, queries,
                                    test::settings_of(QueryMode::kOr, k, false, scorer)),
                  "");
      }
      ASSERT_EQ(test::judge_batch(collection, engine, queries,
                                  test::settings_of(QueryMode::kAndOr, 10, true, scorer)),
                "");
    }
  }
}

// The frequent ones' scores are told apart even so.
TEST_F(GpuShapesOfRareTerms, LeaveFewCandidates) {
  WARPDEX_NEEDS_GPU();
  const test::TemporaryFolder folder;
  test::write_index(make(false), {CodecKind::kBitpack, 1}, folder / "index");
  const Index index = Index::open(folder / "index");
  const test::LoneGpuIndex gpu_index(index, {});
  test::GpuSearcher searcher(gpu_index, {.time_stages = true});
  const std::vector<Query> queries = test::queries_from(
      {"l4 " + kNearlyAll, "l1 l4 " + kAll, "l5 l30000", "l6 l30000 " + kNearlyAll});
  for (const Query& query : queries) {
    const std::uint64_t before = searcher.statistics().exact_scores;
    test::search_by_gpu(searcher, index, {&query, 1}, test::settings_of(QueryMode::kOr, 10));
    EXPECT_LT(searcher.statistics().exact_scores - before, kDocuments / 8) << query.terms[1].term;
  }
}

// Few postings decide, and their documents are looked up in lists of hundreds of blocks that could
// not decide by themselves.
TEST(GpuShapes, SmallSparseListsBesideDenseOnes) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kDocuments = 8 * gpu::kTileDocuments + 100;
  Random random = test::generator(605);
  Collection collection = test::make_documents(random, kDocuments, false);
  test::add_list(collection, "raw", test::scatter(random, kDocuments, 90), random);
  test::add_list(collection, "rare", test::scatter(random, kDocuments, 600), random);
  test::add_list(collection, "edges",
                 {4 * gpu::kTileDocuments - 1, 4 * gpu::kTileDocuments, kDocuments - 1}, random);
  test::add_list(collection, "often", test::scatter(random, kDocuments, 90'000), random);
  test::add_list(collection, "everywhere", test::scatter(random, kDocuments, 125'000), random);
  const std::vector<Query> queries =
      test::queries_from({"rare often everywhere", "raw everywhere often", "edges rare everywhere",
                          "often everywhere", "rare rare raw everywhere", "edges raw"});
  for (const CodecSettings& codec :
       {CodecSettings{CodecKind::kBitpack, 1}, CodecSettings{CodecKind::kPfor, 2}}) {
    const test::TemporaryFolder folder;
    test::write_index(collection, codec, folder / "index");
    test::UploadedIndex engine(folder / "index");
    for (const std::uint32_t k : {3U, 50U}) {
      ASSERT_EQ(
          test::judge_batch(collection, engine, queries, test::settings_of(QueryMode::kOr, k)), "");
    }
  }
}

// All gaps and frequencies are 1, so that the blocks of some codecs take no bytes, and the sections
// of their payloads are empty.
TEST(GpuShapes, SmallListsOfNoBytes) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(604);
  Collection collection = test::make_documents(random, 400, false);
  for (const std::uint32_t size : {200U, 400U}) {
    std::vector<Posting> postings;
    for (std::uint32_t docid = 0; docid < size; ++docid) postings.push_back({docid, 1});
    collection.add_list('a' + std::to_string(size), std::move(postings));
  }
  const std::vector<Query> queries =
      test::queries_from({"a200", "a200 a400", "+a400 -a200", "a400 a3"});
  for (const CodecSettings& codec : test::all_codecs()) {
    const test::TemporaryFolder folder;
    test::write_index(collection, codec, folder / "index");
    test::UploadedIndex engine(folder / "index");
    for (const QueryMode mode : test::kAllModes) {
      ASSERT_EQ(
          test::judge_batch(collection, engine, queries, test::settings_of(mode, 250, true, {})),
          "");
    }
  }
}

TEST(GpuShapes, SmallCollectionOfHugeNumbers) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(603);
  constexpr std::uint32_t kLengths[] = {1,         31,
                                        32,        (1U << 19) - 1,
                                        1 << 19,   1U << 22,
                                        31U << 14, (31U << 14) - 1,
                                        50'000,    (1U << 31) - 1};
  constexpr std::uint32_t kFrequencies[] = {1,
                                            2,
                                            255,
                                            256,
                                            1 << 16,
                                            1U << 22,
                                            (1U << 23) - 1,
                                            1 << 23,
                                            (1U << 23) + 1,
                                            (1U << 24) + 1,
                                            1U << 30};
  Collection collection;
  for (int i = 0; i < 3'000; ++i) {
    collection.add_document_of_length({}, kLengths[random() % std::size(kLengths)]);
  }
  for (const std::uint32_t size : {5U, 100U, 200U, 1'500U}) {
    std::vector<Posting> postings;
    for (const std::uint32_t docid : test::scatter(random, 3'000, size)) {
      postings.push_back({docid, kFrequencies[random() % std::size(kFrequencies)]});
    }
    collection.add_list('h' + std::to_string(size), std::move(postings));
  }
  test::add_list(collection, "usual", test::scatter(random, 3'000, 2'000), random);
  const std::vector<Query> queries = test::queries_from(
      {"h5", "h100", "h200", "h1500", "usual h5", "usual h200", "h1500 usual h100"});
  for (const CodecSettings& codec : test::all_codecs()) {
    const test::TemporaryFolder folder;
    test::write_index(collection, codec, folder / "index");
    test::UploadedIndex engine(folder / "index");
    for (const QueryMode mode : test::kAllModes) {
      for (const ScorerSettings& scorer :
           {ScorerSettings{}, ScorerSettings{.b = 1}, ScorerSettings{.k1 = 1e6F, .b = 0},
            ScorerSettings{.kind = ScorerKind::kQueryLikelihood}}) {
        ASSERT_EQ(test::judge_batch(collection, engine, queries,
                                    test::settings_of(mode, 20, true, scorer)),
                  "");
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
