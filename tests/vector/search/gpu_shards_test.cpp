// Tests of searches on several GPUs: the CPU's answers, to the bit. One GPU that is given several
// times stands for them; where there are two, both work.
#include <gmock/gmock.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "tests/vector/lists/made_codes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_change.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/search/index_searcher.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

class GpuShards : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
};

/// The GPUs there are, in turn, each with one account.
std::vector<Resources*> gpus(std::size_t count) {
  static std::vector<std::unique_ptr<Resources>> each;
  if (each.empty()) {
    for (int device = 0; device < device_count(); ++device) {
      each.push_back(std::make_unique<Resources>(
          ResourceSettings{.device = device, .memory = std::size_t{8} << 30, .host_memory = 0}));
    }
  }
  std::vector<Resources*> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(each[i % each.size()].get());
  return all;
}

struct Layout {
  std::size_t shards;
  std::size_t replicas;
};
constexpr Layout kLayouts[] = {{1, 1}, {2, 1}, {3, 1}, {1, 2}, {1, 3}, {2, 2}, {3, 2}};

std::string describe(const Layout& layout) {
  return std::to_string(layout.shards) + " shards, " + std::to_string(layout.replicas) +
         " replicas";
}

/// On all layouts, for batches of several sizes.
void expect_as_cpu(const SearchedVectors& vectors, const SearchOptions& settings,
                   std::mt19937_64& random, std::span<const std::size_t> ks) {
  const auto cpu = search_on_cpu(vectors);
  const std::size_t rows = rows_of(vectors);
  RowFilter filter(rows);
  for (std::size_t row = 0; row < rows; row += 1 + random() % 4) filter.add(row);
  for (const Layout& layout : kLayouts) {
    const auto gpu = search_on_gpus(vectors, gpus(layout.shards * layout.replicas), layout.shards,
                                    {.keeps_vectors = settings.refine > 0});
    const std::string what = describe(layout) + ", " + std::to_string(rows) + " rows";
    for (const std::size_t count : {1, 2, 9, 300}) {
      const std::vector<float> queries = test::draw(random, count * dimension_of(vectors));
      for (const std::size_t k : ks) {
        if (k > rows || (k > 700 && count > 9)) continue;
        expect_same(gpu->nearest(queries, k, settings), cpu->nearest(queries, k, settings), what);
        expect_same(gpu->nearest(queries, k, settings.among(&filter)),
                    cpu->nearest(queries, k, settings.among(&filter)), what + ", filtered");
      }
      if (count > 9) continue;
      const Neighbors some = cpu->nearest(queries, std::min<std::size_t>(9, rows), settings);
      const float radius = some.distances[some.k - 1];
      expect_same(gpu->within(queries, radius, settings), cpu->within(queries, radius, settings),
                  what + ", range");
      expect_same(gpu->within(queries, radius, settings.among(&filter)),
                  cpu->within(queries, radius, settings.among(&filter)),
                  what + ", range, filtered");
    }
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(GpuShards, FlatIndexesAnswerAsTheCpu) {
  auto random = test::generator(1);
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    const Store store = metric == Metric::kCosine ? Store::kHalf : Store::kFloat;
    for (const std::size_t rows : {1, 2, 33, 6000, 40'000}) {
      std::vector<float> values = test::draw(random, rows * 17);
      // Some of them several times: ties between shards.
      for (std::size_t i = rows / 2 * 17; i < values.size(); i += 3) values[i] = values[i % 1700];
      const Collection all(metric, store, 17, values);
      const std::size_t ks[] = {1, 10, 100};
      expect_as_cpu(all.vectors, {}, random, ks);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(GpuShards, TiesBetweenShardsGoToTheSmallerRow) {
  auto random = test::generator(2);
  std::vector<float> values = test::draw(random, 5000 * 8);
  for (std::size_t i = 80; i < values.size(); ++i) values[i] = values[i % 80];
  const Collection all(Metric::kL2, Store::kFloat, 8, values);
  const std::size_t ks[] = {1, 600, 3000};
  expect_as_cpu(all.vectors, {}, random, ks);
}

TEST_F(GpuShards, InvertedFilesAnswerAsTheCpu) {
  auto random = test::generator(3);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const std::size_t rows : {30, 20'000}) {
      VectorIndexWriter writer(folder / "index",
                               {.metric = metric,
                                .store = metric == Metric::kL2 ? Store::kHalf : Store::kFloat,
                                .dimension = 13,
                                .index = vector_kind("ivf-flat"),
                                .ivf = {.lists = 25}});
      writer.add(test::draw(random, rows * 13));
      writer.commit();
      const VectorIndex index = VectorIndex::open(folder / "index");
      for (const std::size_t probes : {1, 6, 25}) {
        const std::size_t ks[] = {1, 30, 2500};
        expect_as_cpu(std::get<Lists<RowCoding>>(index.searched()), {.probes = probes}, random, ks);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(GpuShards, CodesAnswerAsTheCpuRefinedToo) {
  auto random = test::generator(7);
  for (const test::CodesShape& shape :
       {test::CodesShape{Metric::kL2, 20, 3, 8, true}, {Metric::kInnerProduct, 40, 20, 4}}) {
    const test::MadeCodes made(random, shape, {0, 1, 31, 32, 33, 64, 0, 700, 5, 3000});
    for (const std::size_t refine : {0, 25}) {
      const std::size_t ks[] = {1, 30};
      expect_as_cpu(made.view(), {.probes = 6, .refine = refine}, random, ks);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_F(GpuShards, SegmentsAnswerAsOnTheCpu) {
  auto random = test::generator(8);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const VectorKind kind :
       {vector_kind("flat"), vector_kind("ivf-flat"), vector_kind("ivf-pq"), vector_kind("xfbq"),
        vector_kind("ivf-xfbq"), vector_kind("sq8"), vector_kind("ivf-sq8")}) {
    VectorIndexWriter writer(folder / "index", {.metric = Metric::kL2,
                                                .dimension = 12,
                                                .index = kind,
                                                .ivf = {.lists = 11},
                                                .pq = {.bytes = 4}});
    writer.add(test::draw(random, 4000 * 12));
    writer.commit();
    for (int i = 0; i < 3; ++i) {
      VectorIndexChange change(folder / "index");
      std::vector<std::int64_t> removed;
      for (std::int64_t row = i; row < 3000; row += 7) removed.push_back(row);
      change.remove(VectorIds(removed));
      change.add(test::draw(random, 900 * 12));
      change.commit();
      if (i == 1) merge_vector_index(folder / "index");
    }
    const VectorIndex index = VectorIndex::open(folder / "index");
    ASSERT_EQ(index.segments().size(), 2U);
    const SearchOptions settings{.probes = kind.in_lists ? std::size_t{5} : 1,
                                 .refine = kind.has_codes() ? std::size_t{60} : 0,
                                 .extra = kind == vector_kind("xfbq") ? std::size_t{9} : 0};
    const auto cpu = search_index_on_cpu(index);
    RowFilter filter(index.rows());
    for (std::size_t row = 0; row < index.rows(); row += 2) filter.add(row);
    for (const Layout& layout : kLayouts) {
      const auto gpu =
          search_index_on_gpus(index, gpus(layout.shards * layout.replicas), layout.shards);
      for (const std::size_t count : {1, 40}) {
        const std::vector<float> queries = test::draw(random, count * 12);
        for (const std::size_t k : {1, 100}) {
          expect_same(gpu->nearest(queries, k, settings), cpu->nearest(queries, k, settings),
                      describe(layout));
          expect_same(gpu->nearest(queries, k, settings.among(&filter)),
                      cpu->nearest(queries, k, settings.among(&filter)),
                      describe(layout) + ", filtered");
        }
        const std::size_t all = index.rows() + 7;
        expect_same(gpu->nearest(queries, all, settings), cpu->nearest(queries, all, settings),
                    describe(layout) + ", all");
        // Codes are checked by the vectors.
        for (const float radius : {4.0F, 12.0F, 25.0F}) {
          expect_same(gpu->within(queries, radius, settings),
                      cpu->within(queries, radius, settings), describe(layout) + ", range");
          expect_same(gpu->within(queries, radius, settings.among(&filter)),
                      cpu->within(queries, radius, settings.among(&filter)),
                      describe(layout) + ", range, filtered");
        }
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(GpuShards, PagedShardsAnswerAsTheCpu) {
  auto random = test::generator(4);
  const Collection all(Metric::kL2, Store::kFloat, 64, test::draw(random, 400'000 * 64));
  // Room for pages, not for the vectors.
  Resources small({.device = 0, .memory = std::size_t{96} << 20, .host_memory = 0});
  Resources other({.device = 0, .memory = std::size_t{96} << 20, .host_memory = 0});
  const std::vector<Resources*> both{&small, &other};
  const auto gpu = search_on_gpus(all.vectors, both, 2);
  EXPECT_FALSE(gpu->is_resident());
  const std::vector<float> queries = test::draw(random, 50 * 64);
  expect_same(gpu->nearest(queries, 10), FlatSearcher(all.vectors).nearest(queries, 10), "paged");
  EXPECT_EQ(gpu->figures().queries % 50, 0U);
}

TEST_F(GpuShards, ManyThreadsSearchAtOnce) {
  auto random = test::generator(5);
  const Collection all(Metric::kL2, Store::kFloat, 24, test::draw(random, 50'000 * 24));
  const auto gpu = search_on_gpus(all.vectors, gpus(4), 2);
  const std::vector<float> queries = test::draw(random, 100 * 24);
  const Neighbors alone = FlatSearcher(all.vectors).nearest(queries, 10);
  std::vector<Neighbors> together(6);
  std::vector<std::thread> threads;
  for (Neighbors& one : together) {
    threads.emplace_back([&] { one = gpu->nearest(queries, 10); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Neighbors& one : together) expect_same(one, alone, "together");
}

TEST_F(GpuShards, ErrorsNameTheGpuAndTheShard) {
  auto random = test::generator(6);
  const Collection all(Metric::kL2, Store::kFloat, 24, test::draw(random, 3000 * 24));
  Resources enough({.device = 0, .memory = std::size_t{1} << 30, .host_memory = 0});
  Resources none({.device = 0, .memory = 1 << 12, .host_memory = 0});
  const std::vector<Resources*> both{&enough, &none};
  const std::vector<float> queries = test::draw(random, 100 * 24);
  const auto message = [&](std::size_t shards) {
    try {
      search_on_gpus(all.vectors, both, shards)->nearest(queries, 10);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(2), testing::StartsWith("shard 1 on GPU 0: "));
  EXPECT_THAT(message(1), testing::StartsWith("replica 1 on GPU 0: "));
  EXPECT_EQ(enough.memory().used(), 0U);
  EXPECT_EQ(none.memory().used(), 0U);
  EXPECT_THROW(search_on_gpus(all.vectors, both, 3), UsageError);
  std::vector<float> broken = queries;
  broken[60 * 24 + 5] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<Resources*> twice{&enough, &enough};
  try {
    search_on_gpus(all.vectors, twice, 1)->nearest(broken, 10);
    FAIL() << "a query that is none";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("query 60 "));
  }
}

}  // namespace
}  // namespace warpdex::vector
