// VectorIndex: every coding with and without lists, beside distances worked out one by one; changes
// and commits of others.
#include "warpdex/vector_index.hpp"

#include <algorithm>
#include <random>

#include "tests/support.hpp"
#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/search_options.hpp"
#include "warpdex/vector/data/vector_writer.hpp"
#include "warpdex/vector_graph.hpp"
#include "warpdex/verify.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kDimension = 6;

void write_vectors(const std::filesystem::path& path, const std::vector<float>& rows) {
  const std::size_t count = rows.size() / kDimension;
  const auto writer =
      vector::create_vectors(path.string(), vector::Element::kFloat32, kDimension, count);
  writer->write(count, rows.data());
  writer->finish();
}

std::vector<float> draw_rows(std::mt19937_64& random, std::size_t rows) {
  std::normal_distribution<float> normal;
  std::vector<float> all(rows * kDimension);
  for (float& each : all) each = normal(random);
  return all;
}

double distance(const float* one, const float* other) {
  double sum = 0;
  for (std::size_t i = 0; i < kDimension; ++i) {
    const double part = static_cast<double>(one[i]) - static_cast<double>(other[i]);
    sum += part * part;
  }
  return sum;
}

/// The k nearest live rows of a query, by brute force.
std::vector<std::int32_t> nearest_of(const std::vector<float>& rows, const float* query,
                                     std::size_t k, const std::vector<bool>& removed = {}) {
  std::vector<std::int32_t> order;
  for (std::size_t i = 0; i < rows.size() / kDimension; ++i) {
    if (removed.empty() || !removed[i]) order.push_back(static_cast<std::int32_t>(i));
  }
  const auto to = [&](std::int32_t row) {
    return distance(rows.data() + static_cast<std::size_t>(row) * kDimension, query);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int32_t a, std::int32_t b) { return to(a) < to(b); });
  order.resize(std::min(order.size(), k));
  return order;
}

/// How many of the true nearest were found.
double recall(const VectorIndex& index, const std::vector<float>& rows,
              const std::vector<float>& queries, std::size_t k) {
  const vector::Neighbors found = index.search(queries, k);
  std::size_t hits = 0;
  for (std::size_t q = 0; q < found.queries; ++q) {
    for (const std::int32_t row : nearest_of(rows, queries.data() + q * kDimension, k)) {
      hits += static_cast<std::size_t>(
          std::count(found.rows.begin() + static_cast<std::ptrdiff_t>(q * k),
                     found.rows.begin() + static_cast<std::ptrdiff_t>((q + 1) * k), row));
    }
  }
  return static_cast<double>(hits) / static_cast<double>(found.queries * k);
}

TEST(VectorIndexApi, EveryCodingWithAndWithoutListsFindsTheNearest) {
  std::mt19937_64 random = test::generator(31);
  const std::vector<float> rows = draw_rows(random, 900);
  const std::vector<float> queries = draw_rows(random, 20);
  for (const VectorCoding coding :
       {VectorCoding::kRows, VectorCoding::kPq, VectorCoding::kBinary}) {
    for (const std::size_t lists : {std::size_t{0}, std::size_t{8}, kAutoLists}) {
      const test::TemporaryFolder folder;
      const NewVectorIndex settings{.dimension = kDimension, .coding = coding, .lists = lists};
      if (coding == VectorCoding::kPq && lists == 0) {
        EXPECT_THROW(VectorIndex::build(folder / "index", settings, rows), UsageError);
        continue;
      }
      EXPECT_TRUE(VectorIndex::build(folder / "index", settings, rows).notes.empty());
      VectorIndex index(folder / "index");
      EXPECT_EQ(index.rows(), 900U);
      EXPECT_EQ(index.lists() == 0, lists == 0);
      if (coding == VectorCoding::kRows) {
        index.set_depth({.probes = std::max<std::size_t>(1, index.lists())});
      } else {  // all are ranked again: exact
        index.set_depth({.probes = std::max<std::size_t>(1, index.lists()), .refine = 900});
      }
      EXPECT_EQ(recall(index, rows, queries, 10), 1.0)
          << static_cast<int>(coding) << " " << lists << "; seed " << test::seed();
    }
  }
}

TEST(VectorIndexApi, ChangesAreFoundAtOnce) {
  std::mt19937_64 random = test::generator(32);
  const test::TemporaryFolder folder;
  std::vector<float> rows = draw_rows(random, 50);
  std::vector<std::string> names;
  for (int i = 0; i < 50; ++i) names.push_back("v" + std::to_string(i));
  VectorIndex::build(folder / "index", {.dimension = kDimension}, rows, vector::VectorIds(names));
  VectorIndex index(folder / "index");
  VectorIndex other(folder / "index");
  const std::vector<float> more = draw_rows(random, 10);
  EXPECT_THROW(index.add(more, vector::VectorIds(
                                   std::vector<std::string>(names.begin(), names.begin() + 10))),
               InputError);
  std::vector<std::string> new_names;
  for (int i = 0; i < 10; ++i) new_names.push_back("n" + std::to_string(i));
  EXPECT_EQ(index.add(more, vector::VectorIds(new_names)).number, 1U);
  rows.insert(rows.end(), more.begin(), more.end());
  EXPECT_EQ(index.remove(vector::VectorIds(std::vector<std::string>{"v3", "n1"})).number, 2U);
  std::vector<bool> removed(60);
  removed[3] = removed[51] = true;
  for (std::size_t q = 0; q < 60; ++q) {
    const float* const query = rows.data() + q * kDimension;
    const vector::Neighbors found = index.search(std::span(query, kDimension), 5);
    EXPECT_EQ(found.rows, nearest_of(rows, query, 5, removed));
  }
  EXPECT_EQ(index.id(55), "n5");
  EXPECT_EQ(index.live_rows(), 58U);
  EXPECT_EQ(other.live_rows(), 50U);
  EXPECT_TRUE(other.refresh());
  EXPECT_FALSE(other.refresh());
  EXPECT_EQ(other.live_rows(), 58U);
  index.merge();
  EXPECT_EQ(index.rows(), 58U);
  EXPECT_THROW(index.remove(vector::VectorIds(std::vector<std::string>{"v3"})), InputError);
}

TEST(VectorIndexApi, RadiusAndFilter) {
  std::mt19937_64 random = test::generator(33);
  const test::TemporaryFolder folder;
  const std::vector<float> rows = draw_rows(random, 200);
  VectorIndex::build(folder / "index", {.dimension = kDimension}, rows);
  const VectorIndex index(folder / "index");
  vector::RowFilter filter(200);
  for (std::size_t i = 0; i < 200; i += 3) filter.add(i);
  const std::span<const float> query(rows.data(), kDimension);
  const vector::RangeNeighbors found = index.search_radius(query, 6.F, {.filter = &filter});
  std::size_t wanted = 0;
  for (std::size_t i = 0; i < 200; i += 3) {
    const double d = distance(rows.data() + i * kDimension, rows.data());
    if (d <= 6) ++wanted;
  }
  EXPECT_EQ(found.rows.size(), wanted);
  for (const std::int32_t row : index.search(query, 30, {.filter = &filter}).rows)
    EXPECT_EQ(row % 3, 0);
  EXPECT_THROW(index.search(std::span(rows.data(), 5), 3), UsageError);
}

TEST(VectorIndexApi, FilesBuildAndGrowAnIndexAndItsRowsComeBack) {
  std::mt19937_64 random = test::generator(36);
  const test::TemporaryFolder folder;
  const std::vector<float> rows = draw_rows(random, 300);
  write_vectors(folder / "rows.fvecs", rows);
  const auto reader = vector::open_vectors(folder / "rows.fvecs");
  std::vector<std::int64_t> numbers;
  for (int i = 0; i < 300; ++i) numbers.push_back(1000 + i);
  std::uint64_t read = 0;
  VectorBuildOptions options;
  options.work.progress = [&](std::string_view stage, std::uint64_t done, std::uint64_t) {
    if (stage == "reading") read = done;
  };
  const VectorBuildReport built = VectorIndex::build(folder / "index", {.lists = 4}, *reader,
                                                     vector::VectorIds(numbers), options);
  EXPECT_EQ(built.vectors, 300U);
  EXPECT_EQ(read, 300U);
  EXPECT_FALSE(built.steps.empty());
  VectorIndex index(folder / "index");
  reader->rewind();
  for (std::int64_t& number : numbers) number += 100;  // 200 of them are there
  EXPECT_THROW(index.add(*reader, vector::VectorIds(numbers)), InputError);
  reader->rewind();
  const VectorChangeReport changed = index.add(*reader, vector::VectorIds(numbers), true);
  EXPECT_EQ(changed.added, 300U);
  EXPECT_EQ(changed.removed, 200U);
  EXPECT_EQ(changed.vectors, 400U);
  const VectorIndex::CopyRow copy = index.row_copier();
  const std::vector<std::int64_t> found =
      index.find(vector::VectorIds(std::vector<std::int64_t>{1150, 1399, 7}));
  EXPECT_EQ(found, (std::vector<std::int64_t>{350, 599, -1}));
  std::vector<float> row(kDimension);
  copy(350, row.data());
  EXPECT_TRUE(std::equal(row.begin(), row.end(), rows.begin() + 50 * kDimension));
  EXPECT_EQ(index.live().count(), 400U);
  EXPECT_FALSE(index.live().contains(150));
  EXPECT_THROW(index.row_copier(true), UsageError);
  index.check_sections();
}

TEST(VectorIndexApi, CodesMayHaveFewerComponents) {
  std::mt19937_64 random = test::generator(38);
  const test::TemporaryFolder folder;
  NewVectorIndex settings{.dimension = kDimension};
  set_vector_kind("ivf-pq", settings);
  settings.lists = 3;
  settings.pq_bytes = 2;
  settings.rotated_dimension = kDimension - 1;
  VectorIndex::build(folder / "index", settings, draw_rows(random, 100));
  const NewVectorIndex stored = VectorIndex(folder / "index").stats().settings;
  EXPECT_TRUE(stored.is_rotated);
  EXPECT_EQ(stored.rotated_dimension, kDimension - 1);
  settings.rotated_dimension = kDimension + 1;
  EXPECT_THROW(VectorIndex::build(folder / "index", settings, draw_rows(random, 100)), UsageError);
}

TEST(VectorIndexApi, StatsSayWhatItHolds) {
  std::mt19937_64 random = test::generator(37);
  const test::TemporaryFolder folder;
  NewVectorIndex settings{.dimension = kDimension, .metric = vector::Metric::kCosine};
  set_vector_kind("ivf-xfbq", settings);
  settings.lists = 5;
  settings.binary_bits = 3;
  settings.is_rotated = true;
  VectorIndex::build(folder / "index", settings, draw_rows(random, 100));
  VectorIndex index(folder / "index");
  index.remove(vector::VectorIds(std::vector<std::int64_t>{1, 2}));
  const VectorIndexStats stats = index.stats();
  EXPECT_EQ(vector_kind_name(stats.settings), "ivf-xfbq");
  EXPECT_EQ(stats.settings.lists, 5U);
  EXPECT_EQ(stats.settings.binary_bits, 3U);
  EXPECT_TRUE(stats.settings.is_rotated);
  EXPECT_EQ(stats.live_rows, 98U);
  EXPECT_EQ(stats.removed_rows, 2U);
  EXPECT_EQ(stats.commit, 1U);
  EXPECT_EQ(stats.ids, vector::IdKind::kRows);
  EXPECT_GE(stats.largest_list, 20U);
  EXPECT_FALSE(stats.sections.empty());
  EXPECT_EQ(content_of(folder / "index"), IndexContent::kVectors);
  const IndexCheck report = verify(folder / "index");
  EXPECT_TRUE(report.problems.empty());
  EXPECT_EQ(report.vectors, 98U);
  EXPECT_THROW(set_vector_kind("tree", settings), UsageError);
}

TEST(VectorIndexApi, IdsHoldOverMerges) {
  std::mt19937_64 random = test::generator(38);
  const test::TemporaryFolder folder;
  const std::vector<float> rows = draw_rows(random, 40);
  std::vector<std::string> names;
  for (int i = 0; i < 40; ++i) names.push_back("v" + std::to_string(i));
  VectorIndex::build(folder / "index", {.dimension = kDimension}, rows, vector::VectorIds(names));
  VectorIndex index(folder / "index");
  index.remove(vector::VectorIds(std::vector<std::string>{"v0", "v1"}));
  const std::span<const float> query(rows.data() + 30 * kDimension, kDimension);
  const NamedNeighbors before = index.search_named(query, 40);
  EXPECT_EQ(before.ids.front(), "v30");
  EXPECT_EQ(before.ids.back(), "");  // two places are missing
  EXPECT_TRUE(index.merge().is_changed);
  EXPECT_FALSE(index.merge().is_changed);
  const NamedNeighbors after = index.search_named(query, 40);
  EXPECT_EQ(after.ids, before.ids);
  EXPECT_NE(after.neighbors.rows, before.neighbors.rows);
  EXPECT_EQ(index.ids(after.neighbors.rows), after.ids);
  vector::UnknownIds unknown;
  const vector::RowFilter filter =
      index.filter_of(vector::VectorIds(std::vector<std::string>{"v30", "v1", "v7"}), &unknown);
  EXPECT_EQ(filter.count(), 2U);
  EXPECT_EQ(unknown.count, 1U);
  EXPECT_EQ(unknown.first, "v1");
  EXPECT_EQ(index.search_named(query, 3, {.filter = &filter}).ids,
            (std::vector<std::string>{"v30", "v7", ""}));
}

TEST(VectorIndexApi, StopTokensEndSearchesAndWork) {
  std::mt19937_64 random = test::generator(39);
  const test::TemporaryFolder folder;
  const std::vector<float> rows = draw_rows(random, 700);
  VectorIndex::build(folder / "index", {.dimension = kDimension}, rows);
  VectorIndex index(folder / "index");
  std::stop_source source;
  const VectorSearchOptions options{.stop = source.get_token()};
  const vector::Neighbors whole = index.search(rows, 3);
  EXPECT_EQ(index.search(rows, 3, options).rows, whole.rows);
  EXPECT_EQ(index.search(rows, 3, options).queries, 700U);
  const vector::RangeNeighbors near = index.search_radius(rows, 1.F);
  EXPECT_EQ(index.search_radius(rows, 1.F, options).offsets, near.offsets);
  source.request_stop();
  EXPECT_THROW(index.search(rows, 3, options), CancelledError);
  EXPECT_THROW(index.search_radius(rows, 1.F, options), CancelledError);
  EXPECT_THROW(knn_graph(index, {.work = {.stop = source.get_token()}}), CancelledError);
  VectorBuildOptions build;
  build.work.stop = source.get_token();
  EXPECT_THROW(
      VectorIndex::build(folder / "index", {.dimension = kDimension, .lists = 3}, rows, {}, build),
      CancelledError);
  EXPECT_EQ(VectorIndex(folder / "index").rows(), 700U);
}

TEST(VectorIndexApi, OtherOptionsSearchTheSameCommit) {
  std::mt19937_64 random = test::generator(40);
  const test::TemporaryFolder folder;
  const std::vector<float> rows = draw_rows(random, 400);
  VectorIndex::build(folder / "index",
                     {.dimension = kDimension, .coding = VectorCoding::kPq, .lists = 6}, rows);
  VectorIndex index(folder / "index");
  VectorIndex writer(folder / "index");
  writer.add(std::span(rows).first(kDimension));
  index.set_options({.threads = 1, .depth = {.probes = 6, .refine = 400}});
  EXPECT_EQ(index.rows(), 400U);
  EXPECT_EQ(index.options().threads, 1U);
  EXPECT_EQ(recall(index, rows, draw_rows(random, 10), 5), 1.0) << "seed " << test::seed();
  index.set_depth({.probes = 1});
  EXPECT_LT(recall(index, rows, draw_rows(random, 50), 5), 1.0) << "seed " << test::seed();
  index.set_depth({.probes = 6, .refine = 400});
  EXPECT_EQ(recall(index, rows, draw_rows(random, 10), 5), 1.0) << "seed " << test::seed();
  EXPECT_EQ(index.rows(), 400U);
  EXPECT_EQ(index.options().threads, 1U);
  if (device_count() > 0) return;
  EXPECT_THROW(index.set_options({.device = Device::kGpu}), CudaError);
  EXPECT_EQ(index.options().threads, 1U);
  std::string why;
  const auto tell = [&](const Error& error) { why = error.what(); };
  index.set_options({.device = Device::kAuto, .on_cpu = tell});
  EXPECT_EQ(index.device(), Device::kCpu);
  EXPECT_EQ(why, why_no_device());
}

TEST(GpuVectorIndexApi, AnswersAreTheCpus) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::mt19937_64 random = test::generator(34);
  const std::vector<float> rows = draw_rows(random, 3000);
  const std::vector<float> queries = draw_rows(random, 33);
  const Gpu gpu;
  for (const VectorCoding coding :
       {VectorCoding::kRows, VectorCoding::kPq, VectorCoding::kBinary}) {
    const test::TemporaryFolder folder;
    const VectorDepth depth{.probes = 4, .refine = coding == VectorCoding::kRows ? 0U : 50U};
    VectorIndex::build(folder / "index", {.dimension = kDimension, .coding = coding, .lists = 16},
                       rows);
    const VectorIndex cpu(folder / "index", {.depth = depth});
    VectorIndex index(folder / "index", {.device = Device::kGpu, .gpus = {gpu}, .depth = depth});
    EXPECT_EQ(index.device(), Device::kGpu);
    const vector::Neighbors wanted = cpu.search(queries, 10);
    const vector::Neighbors found = index.search(queries, 10);
    EXPECT_EQ(found.rows, wanted.rows);
    EXPECT_EQ(found.distances, wanted.distances);
  }
  EXPECT_EQ(gpu.memory_used(), 0U);
}

TEST(GpuVectorIndexApi, OneGpuTwiceAndDevicePointersGiveTheCpusAnswers) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::mt19937_64 random = test::generator(42);
  const std::vector<float> rows = draw_rows(random, 2000);
  const std::vector<float> queries = draw_rows(random, 40);
  const Gpu gpu;
  for (const std::size_t lists : {std::size_t{0}, std::size_t{10}}) {
    const test::TemporaryFolder folder;
    VectorIndex::build(folder / "index", {.dimension = kDimension, .lists = lists}, rows);
    VectorIndex index(folder / "index", {.depth = {.probes = 3}});
    const vector::Neighbors wanted = index.search(queries, 7);
    const vector::Neighbors graph = knn_graph(index, {.k = 5});
    DeviceArray<std::int32_t> found_rows(40 * 7);
    DeviceArray<float> given(queries.size());
    DeviceArray<float> distances(40 * 7);
    const Stream stream;
    given.upload(queries, stream);
    stream.synchronize();
    EXPECT_THROW(index.search_on_gpu(given.data(), 40, 7, found_rows.data(), distances.data()),
                 UsageError);
    index.set_options({.device = Device::kGpu, .gpus = {gpu}, .depth = {.probes = 3}});
    index.search_on_gpu(given.data(), 40, 7, found_rows.data(), distances.data());
    std::vector<std::int32_t> found(40 * 7);
    found_rows.download(found, stream);
    stream.synchronize();
    EXPECT_EQ(found, wanted.rows);
    DeviceArray<std::int64_t> wide_rows(40 * 7);
    index.search_on_gpu(given.data(), 40, 7, wide_rows.data(), distances.data());
    std::vector<std::int64_t> wide(40 * 7);
    wide_rows.download(wide, stream);
    stream.synchronize();
    EXPECT_EQ(std::vector<std::int32_t>(wide.begin(), wide.end()), wanted.rows);
    EXPECT_EQ(knn_graph(index, {.k = 5}).rows, graph.rows);
    EXPECT_TRUE(index.gpu_figures().is_resident);
    for (const std::size_t shards : {1U, 2U}) {
      index.set_options(
          {.device = Device::kGpu, .gpus = {gpu, gpu}, .shards = shards, .depth = {.probes = 3}});
      EXPECT_EQ(index.search(queries, 7).rows, wanted.rows) << shards;
    }
    index.set_options({});
    EXPECT_EQ(gpu.memory_used(), 0U);
  }
}

/// Refined answers of pointers need the vectors on the GPU: the first depth that refines uploads
/// them, and later ones keep what is there.
TEST(GpuVectorIndexApi, OtherDepthsKeepWhatTheGpuHolds) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::mt19937_64 random = test::generator(44);
  const std::vector<float> rows = draw_rows(random, 3000);
  const std::vector<float> queries = draw_rows(random, 129);
  const Gpu gpu;
  for (const VectorCoding coding : {VectorCoding::kRows, VectorCoding::kPq}) {
    const test::TemporaryFolder folder;
    VectorIndex::build(folder / "index", {.dimension = kDimension, .coding = coding, .lists = 16},
                       rows);
    VectorIndex cpu(folder / "index");
    VectorIndex index(folder / "index", {.device = Device::kGpu, .gpus = {gpu}});
    const Stream stream;
    DeviceArray<float> given(queries.size());
    given.upload(queries, stream);
    DeviceArray<std::int32_t> found_rows(129 * 9);
    DeviceArray<float> found_distances(129 * 9);
    stream.synchronize();
    for (const VectorDepth& depth : std::vector<VectorDepth>{{.probes = 5},
                                                             {.probes = 3, .refine = 40},
                                                             {.probes = 16},
                                                             {.probes = 7, .refine = 9}}) {
      cpu.set_depth(depth);
      index.set_depth(depth);
      const vector::Neighbors wanted = cpu.search(queries, 9);
      EXPECT_EQ(index.search(queries, 9).rows, wanted.rows);
      for (const std::size_t count : {std::size_t{1}, std::size_t{129}}) {
        index.search_on_gpu(given.data(), count, 9, found_rows.data(), found_distances.data());
        std::vector<std::int32_t> numbers(count * 9);
        std::vector<float> distances(count * 9);
        found_rows.download(numbers, stream);
        found_distances.download(distances, stream);
        stream.synchronize();
        EXPECT_TRUE(std::equal(numbers.begin(), numbers.end(), wanted.rows.begin()))
            << depth.probes << " probes, " << depth.refine << " refined; seed " << test::seed();
        EXPECT_TRUE(std::equal(distances.begin(), distances.end(), wanted.distances.begin()));
      }
      EXPECT_EQ(index.options().depth.probes, depth.probes);
    }
  }
  EXPECT_EQ(gpu.memory_used(), 0U);
}

TEST(GpuVectorIndexApi, TheCpuTakesOverWhereMemoryIsTooSmall) {
  if (device_count() == 0) GTEST_SKIP() << why_no_device();
  std::mt19937_64 random = test::generator(43);
  const std::vector<float> rows = draw_rows(random, 2000);
  const Gpu small(0, 1);
  for (const std::size_t lists : {std::size_t{0}, std::size_t{10}}) {
    const test::TemporaryFolder folder;
    VectorIndex::build(folder / "index", {.dimension = kDimension, .lists = lists}, rows);
    const VectorIndex cpu(folder / "index");
    std::string why;
    const VectorIndex index(folder / "index",
                            {.device = Device::kAuto,
                             .gpus = {small},
                             .on_cpu = [&](const Error& error) { why = error.what(); }});
    EXPECT_EQ(index.search(rows, 4).rows, cpu.search(rows, 4).rows);
    EXPECT_EQ(index.device(), Device::kCpu);
    EXPECT_NE(why, "");
    EXPECT_THROW(
        {
          const VectorIndex none(folder / "index", {.device = Device::kGpu, .gpus = {small}});
          none.search(rows, 4);
        },
        Error);
  }
}

}  // namespace
}  // namespace warpdex
