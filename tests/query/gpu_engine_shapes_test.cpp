// The GPU engine against the oracle on lists of chosen shapes: lengths around those of blocks,
// chunks and stretches, ties, huge numbers, queries as long as the kernels can hold. The tests
// named Small meet every kernel in every form, and are few enough for compute-sanitizer.
#include <algorithm>
#include <numeric>

#include "tests/query/gpu_support.hpp"
#include "tests/query/random_engine_inputs.hpp"
#include "tests/reference/compare.hpp"
#include "tests/reference/from_text.hpp"
#include "tests/support.hpp"
#include "warpdex/query/gpu/layout.hpp"

namespace warpdex {
namespace {

using reference::Collection;
using reference::Posting;
using test::Random;

/// A frequency: mostly a few.
std::uint32_t draw_frequency(Random& random) {
  if (random() % 10 == 0) return 1 + static_cast<std::uint32_t>(random() % 400);
  return 1 + static_cast<std::uint32_t>(random() % 4);
}

/// Documents without terms, of random lengths.
Collection make_documents(Random& random, std::uint32_t count, bool has_statics) {
  Collection collection;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto length = static_cast<std::uint32_t>(random() % 1'000 + 1);
    const float score = has_statics ? static_cast<float>(random() % 40) / 16.0F : 0.0F;
    collection.add_document_of_length({}, length, score);
  }
  return collection;
}

/// `size` docIDs spread evenly, up to the last document.
std::vector<std::uint32_t> spread(std::uint32_t documents, std::uint32_t size) {
  std::vector<std::uint32_t> docids;
  for (std::uint64_t i = 1; i <= size; ++i) {
    docids.push_back(static_cast<std::uint32_t>(i * documents / size - 1));
  }
  return docids;
}

/// `size` docIDs in a row.
std::vector<std::uint32_t> run(std::uint32_t first, std::uint32_t size) {
  std::vector<std::uint32_t> docids(size);
  std::iota(docids.begin(), docids.end(), first);
  return docids;
}

/// `size` docIDs, all sets of them alike.
std::vector<std::uint32_t> scatter(Random& random, std::uint32_t documents, std::uint32_t size) {
  std::vector<std::uint32_t> docids = run(0, documents);
  std::shuffle(docids.begin(), docids.end(), random);
  docids.resize(size);
  std::sort(docids.begin(), docids.end());
  return docids;
}

void add(Collection& collection, const std::string& term, const std::vector<std::uint32_t>& docids,
         Random& random) {
  std::vector<Posting> postings;
  for (const std::uint32_t docid : docids) postings.push_back({docid, draw_frequency(random)});
  collection.add_list(term, std::move(postings));
}

std::vector<Query> queries_from(const std::vector<std::string>& texts) {
  std::vector<Query> queries;
  for (const std::string& text : texts) queries.push_back(reference::query_from(text));
  return queries;
}

SearchSettings settings_of(QueryMode mode, std::uint32_t k, bool count,
                           const ScorerSettings& scorer) {
  SearchSettings settings;
  settings.mode = mode;
  settings.k = k;
  settings.count = count;
  settings.scorer = scorer;
  return settings;
}

constexpr QueryMode kModes[] = {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr};

// ------------------------------------------------------------------------------------ all forms

struct Form {
  CodecSettings codec;
  ScorerKind kind;
  bool has_statics;
};

std::vector<Form> all_forms() {
  std::vector<Form> forms;
  for (const CodecSettings& codec : test::all_codecs()) {
    for (const ScorerKind kind :
         {ScorerKind::kBm25, ScorerKind::kQueryLikelihood, ScorerKind::kImpact}) {
      forms.push_back({codec, kind, forms.size() % 2 == 0});  // every kind and codec meets both
    }
  }
  return forms;
}

std::string form_name(const testing::TestParamInfo<Form>& info) {
  static constexpr const char* kNames[] = {"Bm25", "Likelihood", "Impacts"};
  std::string name = reference::describe(info.param.codec).substr(6);
  std::replace(name.begin(), name.end(), '-', '_');
  return name + kNames[static_cast<int>(info.param.kind)];
}

class GpuSmall : public testing::TestWithParam<Form> {
 protected:
  /// Two tiles and a bit; raw lists, long ones, frequent ones, dense ones.
  static Collection make(Random& random, bool has_statics) {
    constexpr std::uint32_t kDocuments = 2 * gpu::kTileDocuments + 40;
    Collection collection = make_documents(random, kDocuments, has_statics);
    add(collection, "one", {kDocuments - 1}, random);
    add(collection, "two", {gpu::kTileDocuments - 1, gpu::kTileDocuments}, random);
    for (const std::uint32_t size : {127U, 128U, 129U, 255U, 256U, 257U, 1023U, 1025U}) {
      add(collection, 's' + std::to_string(size), spread(kDocuments, size), random);
    }
    add(collection, "dense", run(gpu::kTileDocuments - 700, 1'500), random);
    add(collection, "frequent", scatter(random, kDocuments, 3'000), random);
    add(collection, "everywhere", scatter(random, kDocuments, 9'000), random);
    return collection;
  }

  static std::vector<Query> queries() {
    return queries_from({"", "one", "two unknown", "s127", "s128 s129", "s255 dense two",
                         "frequent everywhere", "everywhere", "frequent frequent s1025 dense",
                         "+s1023 everywhere -dense", "+everywhere +frequent s257 -two",
                         "everywhere -frequent", "-dense", "s127 s128 s129 s255 s256 s257 dense",
                         "two one s127"});
  }
};

TEST_P(GpuSmall, AnswersAsTheOracle) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(600);
  const CodecSettings codec = GetParam().codec;
  const bool of_impacts = GetParam().kind == ScorerKind::kImpact;
  Collection collection = make(random, GetParam().has_statics);
  const test::TemporaryFolder folder;
  if (of_impacts) {
    const Collection frequencies = std::move(collection);
    collection = frequencies.to_impacts();
    test::write_impact_index(frequencies, collection, codec, folder / "index");
  } else {
    test::write_index(collection, codec, folder / "index");
  }
  test::GpuEngine engine(folder / "index");
  // k1 of 0: all documents of a term score the same, so that far more survive than are asked for.
  const ScorerSettings usual{.kind = GetParam().kind};
  const ScorerSettings ties{.kind = GetParam().kind, .k1 = 0};
  for (const QueryMode mode : kModes) {
    for (const SearchSettings& settings :
         {settings_of(mode, 3, false, usual), settings_of(mode, 300, true, usual),
          settings_of(mode, 10, false, ties), settings_of(mode, 2'000, false, usual)}) {
      ASSERT_EQ(test::judge_batch(collection, engine, queries(), settings), "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuSmall, testing::ValuesIn(all_forms()), form_name);

// -------------------------------------------------------------------------------- single shapes

TEST(GpuShapes, ListsAroundWholeStretchesAndChunks) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kStretch = gpu::kStretchBlocks * kBlockSize;
  constexpr std::uint32_t kDocuments = kStretch + 5'000;
  Random random = test::generator(601);
  const std::vector<CodecSettings> codecs = test::all_codecs();
  for (std::uint64_t turn = 0; turn < 2; ++turn) {
    Collection collection = make_documents(random, kDocuments, turn == 0);
    add(collection, "short", scatter(random, kDocuments, 100), random);
    for (const std::uint32_t size : {kStretch - 1, kStretch, kStretch + 1}) {
      add(collection, 'l' + std::to_string(size), scatter(random, kDocuments, size), random);
    }
    const std::uint32_t chunk = gpu::kAndBlocks * kBlockSize;
    for (const std::uint32_t size : {chunk - 1, chunk, chunk + 1}) {
      add(collection, 'c' + std::to_string(size), scatter(random, kDocuments, size), random);
      add(collection, 'r' + std::to_string(size), run(kStretch - 300, size), random);
    }
    const test::TemporaryFolder folder;
    const CodecSettings codec = codecs[(test::seed() + 3 * turn) % codecs.size()];
    test::write_index(collection, codec, folder / "index");
    test::GpuEngine engine(folder / "index");
    const std::vector<Query> queries =
        queries_from({"l262143", "l262144 l262145", "l262145 short", "l262143 l262144 l262145",
                      "c1023 r1024", "c1024 l262143", "c1025 r1025 l262145", "r1023 r1024 r1025",
                      "+l262144 +c1025 -r1023", "+l262143 short -l262145"});
    for (const QueryMode mode : kModes) {
      ASSERT_EQ(test::judge_batch(collection, engine, queries, settings_of(mode, 10, true, {})),
                "");
    }
    ASSERT_EQ(test::judge_batch(collection, engine, queries,
                                settings_of(QueryMode::kOr, 1'000, false, {.k1 = 1.2F})),
              "");
  }
}

TEST(GpuShapes, QueriesAsLongAsTheKernelsCanHold) {
  WARPDEX_NEEDS_GPU();
  constexpr std::uint32_t kDocuments = 20'000;
  Random random = test::generator(602);
  Collection collection = make_documents(random, kDocuments, false);
  for (int term = 0; term < 70; ++term) {
    const auto size = static_cast<std::uint32_t>(1 + random() % (term % 2 == 0 ? 100 : 12'000));
    add(collection, 't' + std::to_string(term), scatter(random, kDocuments, size), random);
  }
  const test::TemporaryFolder folder;
  test::write_index(collection, {CodecKind::kPfor, 2}, folder / "index");
  test::GpuEngine engine(folder / "index");
  std::vector<Query> queries;
  for (const std::uint32_t terms : {gpu::kMostLists - 1, gpu::kMostLists, gpu::kMostLists + 1}) {
    Query query;
    for (std::uint32_t i = 0; i < terms; ++i) {
      query.terms.push_back({'t' + std::to_string(i), Occur::kUnsigned});
    }
    queries.push_back(query);
    for (std::size_t i = 0; i < 20; ++i) query.terms[i].occur = Occur::kMustNot;
    queries.push_back(query);
  }
  int batches = 0;
  for (const QueryMode mode : kModes) {
    for (const std::uint32_t k : {10U, 5'000U}) {
      ASSERT_EQ(test::judge_batch(collection, engine, queries, settings_of(mode, k, k == 10, {})),
                "");
      ++batches;
    }
  }
  const GpuStatistics& statistics = engine.searcher().statistics();
  EXPECT_EQ(statistics.cpu_queries, 2 * batches);
  EXPECT_EQ(statistics.gpu_queries, 4 * batches);
}

// All gaps and frequencies are 1, so that the blocks of some codecs take no bytes, and the sections
// of their payloads are empty.
TEST(GpuShapes, SmallListsOfNoBytes) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(604);
  Collection collection = make_documents(random, 400, false);
  for (const std::uint32_t size : {200U, 400U}) {
    std::vector<Posting> postings;
    for (std::uint32_t docid = 0; docid < size; ++docid) postings.push_back({docid, 1});
    collection.add_list('a' + std::to_string(size), std::move(postings));
  }
  const std::vector<Query> queries = queries_from({"a200", "a200 a400", "+a400 -a200", "a400 a3"});
  for (const CodecSettings& codec : test::all_codecs()) {
    const test::TemporaryFolder folder;
    test::write_index(collection, codec, folder / "index");
    test::GpuEngine engine(folder / "index");
    for (const QueryMode mode : kModes) {
      ASSERT_EQ(test::judge_batch(collection, engine, queries, settings_of(mode, 250, true, {})),
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
    for (const std::uint32_t docid : scatter(random, 3'000, size)) {
      postings.push_back({docid, kFrequencies[random() % std::size(kFrequencies)]});
    }
    collection.add_list('h' + std::to_string(size), std::move(postings));
  }
  add(collection, "usual", scatter(random, 3'000, 2'000), random);
  const std::vector<Query> queries =
      queries_from({"h5", "h100", "h200", "h1500", "usual h5", "usual h200", "h1500 usual h100"});
  for (const CodecSettings& codec : test::all_codecs()) {
    const test::TemporaryFolder folder;
    test::write_index(collection, codec, folder / "index");
    test::GpuEngine engine(folder / "index");
    for (const QueryMode mode : kModes) {
      for (const ScorerSettings& scorer :
           {ScorerSettings{}, ScorerSettings{.b = 1}, ScorerSettings{.k1 = 1e6F, .b = 0},
            ScorerSettings{.kind = ScorerKind::kQueryLikelihood}}) {
        ASSERT_EQ(
            test::judge_batch(collection, engine, queries, settings_of(mode, 20, true, scorer)),
            "");
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
