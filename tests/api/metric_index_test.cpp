// MetricIndex: texts and vectors, beside distances worked out one by one.
#include "warpdex/metric_index.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/search_options.hpp"
#include "warpdex/verify.hpp"

namespace warpdex {
namespace {

const std::vector<std::string> kWords{"house", "mouse", "moose", "horse", "hose",
                                      "rose",  "nose",  "noise", "poise", "praise"};

/// All objects: every answer is right.
MetricSearchOptions exact() {
  MetricSearchOptions options;
  options.settings.share.reset();
  return options;
}

std::vector<std::uint32_t> objects_of(const std::vector<metric::Match>& matches) {
  std::vector<std::uint32_t> objects;
  for (const metric::Match& match : matches) objects.push_back(match.object);
  return objects;
}

TEST(MetricIndexApi, FindsTheWordsThatAFewEditsAreAway) {
  const test::TemporaryFolder folder;
  const MetricBuildReport built = MetricIndex::build(folder / "index", {}, kWords);
  EXPECT_EQ(built.objects, 10U);
  EXPECT_EQ(built.permutants, 10U);
  EXPECT_TRUE(built.notes.empty());
  const MetricIndex index(folder / "index");
  EXPECT_EQ(index.objects(), 10U);
  EXPECT_EQ(index.text(2), "moose");
  EXPECT_THROW(index.text(10), UsageError);
  const MetricQueries queries(std::vector<std::string>{"mouse", "nose"});
  EXPECT_EQ(queries.size(), 2U);
  const metric::Matches nearest = index.search(queries, 3, exact());
  ASSERT_EQ(nearest.size(), 2U);
  EXPECT_EQ(objects_of(nearest[0]), (std::vector<std::uint32_t>{1, 0, 2}));
  EXPECT_EQ(nearest[1][0].object, 6U);
  EXPECT_EQ(nearest[1][1].distance, 1.F);
  MetricSearchOptions second = exact();
  second.first = 1;
  const metric::Matches within = index.search_radius(queries, 1, second);
  ASSERT_EQ(within.size(), 1U);
  EXPECT_EQ(objects_of(within[0]), (std::vector<std::uint32_t>{6, 4, 5, 7}));
  EXPECT_THROW(index.search(queries, 0), UsageError);
  EXPECT_THROW(index.search(MetricQueries({1, 2}, 2), 1), UsageError);
}

TEST(MetricIndexApi, VectorsAndTheirFiles) {
  std::mt19937_64 random = test::generator(41);
  std::normal_distribution<float> normal;
  std::vector<float> rows(200 * 3);
  for (float& each : rows) each = normal(random);
  const test::TemporaryFolder folder;
  const NewMetricIndex settings{.objects = {.distance = metric::DistanceKind::kL1, .dimension = 3},
                                .permutants = 20};
  EXPECT_EQ(MetricIndex::build(folder / "index", settings, rows).permutants, 20U);
  const MetricIndex index(folder / "index");
  const metric::Matches found = index.search(MetricQueries(rows, 3), 2, exact());
  for (std::size_t q = 0; q < 200; ++q) {
    EXPECT_EQ(found[q][0].object, q);
    float nearest = INFINITY;
    for (std::size_t i = 0; i < 200; ++i) {
      if (i == q) continue;
      float sum = 0;
      for (std::size_t c = 0; c < 3; ++c) sum += std::abs(rows[3 * q + c] - rows[3 * i + c]);
      nearest = std::min(nearest, sum);
    }
    EXPECT_NEAR(found[q][1].distance, nearest, 1e-5) << "seed " << test::seed();
  }
  EXPECT_THROW(MetricIndex::build(folder / "other", settings, kWords), UsageError);
  EXPECT_THROW(MetricQueries({1, 2, 3, 4}, 3), UsageError);
}

TEST(MetricIndexApi, FilesNameTheLineThatIsWrong) {
  const test::TemporaryFolder folder;
  std::ofstream(folder / "words.txt") << "abc\nabd\n";
  std::ofstream(folder / "queries.txt") << "abe\nabcd\n";
  const NewMetricIndex settings{.objects = {.distance = metric::DistanceKind::kHamming}};
  MetricIndex::build(folder / "index", settings, (folder / "words.txt").string());
  EXPECT_EQ(content_of(folder / "index"), IndexContent::kObjects);
  EXPECT_TRUE(verify(folder / "index").problems.empty());
  EXPECT_EQ(verify(folder / "index").objects, 2U);
  const MetricIndex index(folder / "index");
  const MetricQueries queries =
      MetricQueries::read((folder / "queries.txt").string(), index.settings());
  EXPECT_EQ(queries.text(1), "abcd");
  try {
    index.search(queries, 1);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("line 2 of '"), std::string::npos) << error.what();
  }
}

TEST(MetricIndexApi, SearchesCanBeStoppedAndMoved) {
  const test::TemporaryFolder folder;
  MetricIndex::build(folder / "index", {}, kWords);
  MetricIndex index(folder / "index");
  const MetricQueries queries(kWords);
  std::atomic<int> asked{0};
  MetricSearchOptions options = exact();
  options.on_query = [&] { ++asked; };
  index.search(queries, 1, options);
  EXPECT_EQ(asked, 10);
  std::stop_source source;
  source.request_stop();
  options.stop = source.get_token();
  EXPECT_THROW(index.search(queries, 1, options), CancelledError);
  if (device_count() > 0) return;
  EXPECT_THROW(index.set_options({.device = Device::kGpu}), CudaError);
  std::string why;
  index.set_options(
      {.device = Device::kAuto, .on_cpu = [&](const Error& error) { why = error.what(); }});
  EXPECT_EQ(why, why_no_device());
  EXPECT_EQ(index.device(), Device::kCpu);
  EXPECT_FALSE(index.gpu());
}

TEST(MetricIndexApi, BuildsOnTheCpuWhereThereIsNoGpu) {
  if (device_count() > 0) GTEST_SKIP() << "there is a GPU";
  const test::TemporaryFolder folder;
  NewMetricIndex settings;
  settings.device = Device::kGpu;
  EXPECT_THROW(MetricIndex::build(folder / "index", settings, kWords), CudaError);
  EXPECT_FALSE(std::filesystem::exists(folder / "index"));
  std::string why;
  settings.device = Device::kAuto;
  settings.on_cpu = [&](const Error& error) { why = error.what(); };
  EXPECT_FALSE(MetricIndex::build(folder / "index", settings, kWords).is_on_gpu);
  EXPECT_EQ(why, why_no_device());
  EXPECT_EQ(MetricIndex(folder / "index").objects(), kWords.size());
}

TEST(GpuMetricIndexApi, BuildsTheCpusIndex) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const test::TemporaryFolder folder;
  NewMetricIndex settings;
  EXPECT_FALSE(MetricIndex::build(folder / "cpu", settings, kWords).is_on_gpu);
  settings.device = Device::kGpu;
  EXPECT_TRUE(MetricIndex::build(folder / "gpu", settings, kWords).is_on_gpu);
  std::string why;
  settings.device = Device::kAuto;
  settings.gpu = Gpu(0, 1);
  settings.on_cpu = [&](const Error& error) { why = error.what(); };
  EXPECT_FALSE(MetricIndex::build(folder / "small", settings, kWords).is_on_gpu);
  EXPECT_NE(why.find("MiB of GPU memory"), std::string::npos) << why;
  settings.device = Device::kGpu;
  EXPECT_THROW(MetricIndex::build(folder / "none", settings, kWords), Error);
  settings.permutants = 11;
  EXPECT_THROW(MetricIndex::build(folder / "none", settings, kWords), UsageError);
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
  const std::filesystem::path ranks = std::filesystem::path("segment-0") / "permutations";
  const std::string right = test::read_file(folder / "cpu" / ranks);
  EXPECT_EQ(test::read_file(folder / "gpu" / ranks), right);
  EXPECT_EQ(test::read_file(folder / "small" / ranks), right);
}

TEST(GpuMetricIndexApi, AnswersAreTheCpus) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  const test::TemporaryFolder folder;
  MetricIndex::build(folder / "index", {}, kWords);
  const MetricIndex cpu(folder / "index");
  const MetricIndex gpu(folder / "index", {.device = Device::kGpu});
  EXPECT_EQ(gpu.device(), Device::kGpu);
  const MetricQueries queries(kWords);
  const metric::Matches wanted = cpu.search(queries, 4);
  const metric::Matches found = gpu.search(queries, 4);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    EXPECT_EQ(objects_of(found[q]), objects_of(wanted[q]));
  }
  std::string why;
  const MetricIndex small(folder / "index",
                          {.device = Device::kAuto,
                           .gpu = Gpu(0, 1),
                           .on_cpu = [&](const Error& error) { why = error.what(); }});
  EXPECT_EQ(small.search(queries, 4).size(), kWords.size());
  EXPECT_EQ(small.device(), Device::kCpu);
  EXPECT_NE(why, "");
}

}  // namespace
}  // namespace warpdex
