// Hybrid search on the GPU: the answers are the CPU's over the same snapshot, to the bit, whatever
// segments there are and whatever was removed; the next snapshot uploads the vectors that are new.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_group.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/query/hybrid/hybrid_searcher.hpp"

namespace warpdex {
namespace {

using test::Kind;
using test::Living;

constexpr std::array kFusions{Fusion::kReciprocalRank, Fusion::kConvex, Fusion::kRerank,
                              Fusion::kFilter, Fusion::kNeighbors};
constexpr std::array kFusionNames{"rrf", "convex", "rerank", "filter", "neighbors"};

/// What is on the GPU of an index that changes.
class UploadedVectors {
 public:
  const GpuVectors& open(const Living& living) {
    const Snapshot snapshot = Snapshot::open(living.index());
    lists_ = lists_ ? lists_->next(snapshot) : GpuSnapshot(snapshot, resources_);
    vectors_ = vectors_ ? vectors_->next(*lists_) : GpuVectors(*lists_);
    return *vectors_;
  }
  void close() {
    vectors_.reset();
    lists_.reset();
  }
  std::size_t used() { return resources_.memory().used(); }

 private:
  Resources resources_;
  std::optional<GpuSnapshot> lists_;
  std::optional<GpuVectors> vectors_;
};

/// Both processors' answers to random queries.
class Both {
 public:
  explicit Both(const GpuVectors& vectors)
      : snapshot_(vectors.snapshot().snapshot()), cpu_(snapshot_, 2), gpu_(vectors, 2) {}
  Both(const Snapshot& snapshot, std::span<const GpuVectors> shards)
      : snapshot_(snapshot), cpu_(snapshot_, 2), gpu_(snapshot, shards, 2) {}

  void expect_same(Living& living, std::size_t count, SearchSettings settings,
                   const FusionSettings& fusion) {
    std::vector<Query> queries;
    std::vector<float> vectors;
    for (std::size_t i = 0; i < count; ++i) {
      queries.push_back(living.query());
      if (living.below(10) == 0) queries.back().terms.clear();
      const std::vector<float> vector = living.new_vector();
      vectors.insert(vectors.end(), vector.begin(), vector.end());
    }
    settings.count = false;
    const std::vector<SearchResult> wanted = cpu_.search(queries, vectors, settings, fusion);
    const std::vector<SearchResult> found = gpu_.search(queries, vectors, settings, fusion);
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t i = 0; i < count; ++i) {
      const std::string what =
          std::string(kFusionNames[static_cast<std::size_t>(fusion.fusion)]) + ", depth " +
          std::to_string(fusion.depth) + ", " + reference::describe(queries[i]) + " " +
          reference::describe(settings) + ", " + std::to_string(snapshot_.segments().size()) +
          " segments, " + std::to_string(snapshot_.removed_documents()) + " removed documents, " +
          std::to_string(count) + " queries";
      ASSERT_EQ(found[i].hits.size(), wanted[i].hits.size()) << what;
      for (std::size_t j = 0; j < wanted[i].hits.size(); ++j) {
        ASSERT_EQ(found[i].hits[j].document, wanted[i].hits[j].document) << what << ", hit " << j;
        ASSERT_EQ(found[i].hits[j].score, wanted[i].hits[j].score) << what << ", hit " << j;
      }
      if (fusion.fusion == Fusion::kFilter) {
        ASSERT_EQ(found[i].matches, wanted[i].matches) << what;
      }
      ASSERT_EQ(found[i].fell_back_to_or, wanted[i].fell_back_to_or) << what;
    }
  }

  void expect_same_nearest(Living& living, const DocumentFilter& filter) {
    std::vector<float> vectors;
    for (int i = 0; i < 5; ++i) std::ranges::copy(living.new_vector(), std::back_inserter(vectors));
    const std::vector<SearchResult> wanted = cpu_.nearest(vectors, 20, {}, &filter);
    const std::vector<SearchResult> found = gpu_.nearest(vectors, 20, {}, &filter);
    for (std::size_t i = 0; i < 5; ++i) ASSERT_EQ(found[i].hits, wanted[i].hits);
  }

  /// All fusions, and vectors alone.
  void expect_same(Living& living, std::size_t count) {
    for (const Fusion fusion : kFusions) {
      FusionSettings settings{.fusion = fusion};
      settings.weight = static_cast<float>(living.below(5)) / 4;
      settings.depth = std::array{1U, 7U, 33U, 128U, 1000U, 10'000U}[living.below(6)];
      expect_same(living, count, living.settings(), settings);
      if (testing::Test::HasFatalFailure()) return;
    }
    std::vector<float> vectors;
    for (std::size_t i = 0; i < count; ++i) {
      const std::vector<float> vector = living.new_vector();
      vectors.insert(vectors.end(), vector.begin(), vector.end());
    }
    const std::vector<SearchResult> wanted = cpu_.nearest(vectors, 20);
    const std::vector<SearchResult> found = gpu_.nearest(vectors, 20);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(found[i].hits, wanted[i].hits);
  }

 private:
  Snapshot snapshot_;
  HybridSearcher cpu_;
  HybridSearcher gpu_;
};

class GpuHybridTest : public testing::TestWithParam<Kind> {};

// Shards, on two accounts of the same GPU, in every fusion and with filters.
TEST_P(GpuHybridTest, TinyShards) {
  WARPDEX_NEEDS_GPU();
  Living living(898, GetParam().codec, GetParam().weights, 300);
  for (int i = 0; i < 3; ++i) {
    living.add_some(100);
    living.commit();
  }
  living.remove_share(10);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  Resources one;
  Resources two;
  const std::vector<Resources*> gpus{&one, &two, &one};
  for (const std::size_t shards : {2U, 3U}) {
    const GpuGroup group(snapshot, std::span(gpus).first(shards), shards);
    std::vector<GpuVectors> vectors;
    for (const GpuSnapshot& shard : group.replica(0)) vectors.emplace_back(shard);
    Both both(snapshot, vectors);
    for (const std::size_t count : {1, 33}) both.expect_same(living, count);
    vector::RowFilter documents(snapshot.docid_end());
    for (std::uint32_t i = 0; i < snapshot.docid_end();
         i += 1 + static_cast<std::uint32_t>(living.below(5))) {
      const auto& [index, first] = snapshot.segments()[snapshot.segment_of(i)];
      if (!index->removed().contains(i - first)) documents.add(i);
    }
    const DocumentFilter filter = filter_of(snapshot, documents);
    both.expect_same_nearest(living, filter);
    for (const Fusion fusion : kFusions) {
      SearchSettings settings = living.settings();
      settings.documents = &filter;
      both.expect_same(living, 20, settings, {.fusion = fusion, .depth = 33});
    }
    ASSERT_FALSE(HasFailure()) << shards << " shards";
  }
}

TEST_P(GpuHybridTest, TinyRandomOperations) {
  WARPDEX_NEEDS_GPU();
  Living living(890, GetParam().codec, GetParam().weights);
  UploadedVectors uploaded;
  for (int round = 0; round < 6; ++round) {
    living.change(round == 0 ? 0 : 1 + living.below(5));
    Both both(uploaded.open(living));
    for (const std::size_t count : {1, 33}) both.expect_same(living, count);
    ASSERT_FALSE(HasFailure()) << "round " << round;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Codecs, GpuHybridTest,
    testing::Values(Kind{CodecKind::kBitpack, false}, Kind{CodecKind::kPfor, false},
                    Kind{CodecKind::kPforBlock, false}, Kind{CodecKind::kRice, false},
                    Kind{CodecKind::kBitpack, true}, Kind{CodecKind::kPfor, true}));

// Ten segments, several tiles in some, a fifth of the documents removed.
TEST(GpuHybrid, TenSegmentsOfSeveralTiles) {
  WARPDEX_NEEDS_GPU();
  Living living(891, CodecKind::kBitpack, false, 40'000);
  for (const std::size_t count : {20'000, 3000, 500, 129, 128, 127, 33, 1, 1}) {
    living.add_some(count);
    living.commit();
  }
  UploadedVectors uploaded;
  Both whole(uploaded.open(living));
  for (const std::size_t count : {1, 3, 100}) whole.expect_same(living, count);
  living.remove_share(20);
  living.commit();
  Both both(uploaded.open(living));
  for (const std::size_t count : {1, 3, 100}) both.expect_same(living, count);
  // More answers than one selection holds, and than there are.
  for (const Fusion fusion : {Fusion::kFilter, Fusion::kNeighbors}) {
    for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
      SearchSettings settings;
      settings.mode = mode;
      settings.k = 10'000;
      both.expect_same(living, 5, settings, {.fusion = fusion, .depth = 10'000});
    }
  }
}

// A segment from which all went, and a segment whose terms are others.
TEST(GpuHybrid, SmallEmptySegments) {
  WARPDEX_NEEDS_GPU();
  Living living(892, CodecKind::kRice, false, 300);
  living.add_some(50);
  living.commit();
  living.add_some(200);
  living.commit();
  living.empty_segment(1, 300, 50);
  UploadedVectors uploaded;
  Both both(uploaded.open(living));
  for (const std::size_t count : {1, 33}) both.expect_same(living, count);
}

TEST(GpuHybrid, SmallStaticScores) {
  WARPDEX_NEEDS_GPU();
  for (const bool weights : {false, true}) {
    Living living(896, CodecKind::kBitpack, weights, 500, true);
    living.add_some(129);
    living.commit();
    living.remove_share(20);
    living.commit();
    UploadedVectors uploaded;
    Both both(uploaded.open(living));
    for (const std::size_t count : {1, 33}) both.expect_same(living, count);
  }
}

TEST(GpuHybrid, SmallTextFields) {
  WARPDEX_NEEDS_GPU();
  Living living(899, CodecKind::kBitpack, false, 500, true, 3);
  living.add_some(129);
  living.commit();
  living.remove_share(20);
  living.commit();
  UploadedVectors uploaded;
  Both both(uploaded.open(living));
  for (const std::size_t count : {1, 33}) both.expect_same(living, count);
}

TEST(GpuHybrid, SmallUploadsWhatIsNew) {
  WARPDEX_NEEDS_GPU();
  Living living(893, CodecKind::kPfor, false, 2000);
  UploadedVectors uploaded;
  const std::size_t first = uploaded.open(living).memory();
  EXPECT_EQ(uploaded.open(living).new_memory(), 0U);
  living.add_some(100);
  living.commit();
  const GpuVectors& more = uploaded.open(living);
  EXPECT_GT(more.new_memory(), 0U);
  EXPECT_LT(more.new_memory(), first);
  EXPECT_EQ(more.memory(), first + more.new_memory());
  living.remove_share(20);
  living.commit();
  EXPECT_EQ(uploaded.open(living).new_memory(), 0U);
  Both(uploaded.open(living)).expect_same(living, 3);
  uploaded.close();
  EXPECT_EQ(uploaded.used(), 0U);
}

TEST(GpuHybrid, SmallMemoryLeavesTheCpuToSearch) {
  WARPDEX_NEEDS_GPU();
  Living living(894, CodecKind::kBitpack, false, 2000);
  living.add_some(500);
  living.commit();
  const Snapshot snapshot = Snapshot::open(living.index());
  {
    Resources little({.memory = std::size_t{48} << 20});
    const GpuVectors vectors{GpuSnapshot(snapshot, little)};
    EXPECT_FALSE(vectors.is_resident());
    EXPECT_EQ(vectors.memory(), 0U);
    Both(vectors).expect_same(living, 3);
  }
  Resources resources;
  const GpuVectors vectors{GpuSnapshot(snapshot, resources)};
  EXPECT_TRUE(vectors.is_resident());
  Both both(vectors);
  const Reservation others(resources.memory(), resources.memory().left());
  both.expect_same(living, 3);
}

TEST(GpuHybrid, SmallMemoryForRemovedRows) {
  WARPDEX_NEEDS_GPU();
  Living living(897, CodecKind::kBitpack, false, 2000);
  Resources resources;
  const GpuSnapshot lists(Snapshot::open(living.index()), resources);
  const GpuVectors vectors(lists);
  living.remove_share(20);
  living.commit();
  const GpuSnapshot later = lists.next(Snapshot::open(living.index()));
  std::optional<Reservation> others(std::in_place, resources.memory(), resources.memory().left());
  const GpuVectors without = vectors.next(later);
  EXPECT_FALSE(without.is_resident());
  Both(without).expect_same(living, 3);
  others.reset();
  const GpuVectors with = vectors.next(later);
  EXPECT_TRUE(with.is_resident());
  Both(with).expect_same(living, 3);
}

// Many queries of many matches: the nearest of all documents are filtered. Where those that match
// are far, too few of them are left.
TEST(GpuHybrid, FiltersOfManyMatches) {
  WARPDEX_NEEDS_GPU();
  constexpr std::size_t kDimension = 128;
  auto random = test::generator(895);
  std::normal_distribution<float> normal;
  const auto draw = [&] {
    std::vector<float> vector(kDimension);
    for (float& component : vector) component = normal(random);
    return vector;
  };
  std::vector<Document> documents(40'000);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    Document& document = documents[i];
    document.id = "d" + std::to_string(i);
    document.embedding = draw();
    document.text = "all";
    if (random() % 2 == 0) document.text += " half";
    if (document.embedding[0] < 0) document.text += " far";
    if (random() % 100 == 0) document.text += " few";
  }
  const test::TemporaryFolder folder(test::place_in_memory());
  BuildOptions options;
  options.output = folder / "index";
  options.analyzer = "whitespace";
  options.vectors =
      vector::RowSettings{vector::Metric::kInnerProduct, vector::Store::kFloat, kDimension};
  build_index(*documents_from_memory(std::move(documents)), options);
  std::vector<Query> queries;
  std::vector<float> vectors;
  for (std::size_t i = 0; i < 100; ++i) {
    const std::array<std::vector<QueryTerm>, 5> words{
        std::vector<QueryTerm>{{"all"}},
        {{"half"}, {"few", Occur::kMustNot}},
        {{"far"}, {"few"}},
        {{"few"}},
        {{"far", Occur::kMust}, {"half", Occur::kMust}}};
    queries.push_back({"", words[i % words.size()]});
    std::vector<float> vector = draw();
    vector[0] = 40;  // what is far is last
    vectors.insert(vectors.end(), vector.begin(), vector.end());
  }
  const Snapshot snapshot = Snapshot::open(folder / "index");
  Resources resources;
  HybridSearcher gpu{GpuVectors{GpuSnapshot(snapshot, resources)}};
  HybridSearcher cpu(snapshot);
  for (const std::uint32_t k : {1U, 10U, 100U, 1000U}) {
    SearchSettings settings;
    settings.k = k;
    const FusionSettings filter{.fusion = Fusion::kFilter};
    const std::vector<SearchResult> wanted = cpu.search(queries, vectors, settings, filter);
    const std::vector<SearchResult> found = gpu.search(queries, vectors, settings, filter);
    for (std::size_t i = 0; i < queries.size(); ++i) {
      ASSERT_EQ(found[i].hits, wanted[i].hits) << "k " << k << ", query " << i;
      ASSERT_EQ(found[i].matches, wanted[i].matches) << "k " << k << ", query " << i;
    }
  }
}

TEST(GpuHybrid, RefusesAnIndexWithoutVectors) {
  WARPDEX_NEEDS_GPU();
  const test::TemporaryFolder folder(test::place_in_memory());
  BuildOptions options;
  options.output = folder / "index";
  options.threads = 1;
  build_index(*documents_from_memory({Document{"a", "x", {}}}), options);
  Resources resources;
  const GpuSnapshot lists(Snapshot::open(folder / "index"), resources);
  EXPECT_THROW(GpuVectors{lists}, UsageError);
}

}  // namespace
}  // namespace warpdex
