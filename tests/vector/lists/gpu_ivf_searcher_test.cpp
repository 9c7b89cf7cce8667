// Tests of the inverted file on a GPU: the bits that the CPU gives, whose own tests compare it
// with a plain search.
#include "warpdex/vector/search/make_searcher.hpp"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"

namespace warpdex::vector {
namespace {

struct IvfForm {
  Metric metric;
  Store store;
};

class GpuIvfForms : public GpuFlat, public testing::WithParamInterface<IvfForm> {};
using GpuIvf = GpuFlat;

VectorIndex build(const std::filesystem::path& target, const IvfForm& form, std::size_t dimension,
                  std::size_t lists, std::span<const float> rows) {
  VectorIndexWriter writer(target, {.metric = form.metric,
                                    .store = form.store,
                                    .dimension = dimension,
                                    .index = vector_kind("ivf-flat"),
                                    .ivf = {.lists = lists}});
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(target);
}

void expect_as_cpu(const VectorIndex& index, const VectorSearcher& gpu,
                   const std::vector<float>& queries, std::size_t k, std::size_t probes,
                   const RowFilter* filter, const std::string& what) {
  const auto cpu = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()));
  expect_same(gpu.nearest(queries, k, {.filter = filter, .probes = probes}),
              cpu->nearest(queries, k, {.filter = filter, .probes = probes}),
              what + ", k " + std::to_string(k) + ", probes " + std::to_string(probes));
}

TEST_P(GpuIvfForms, AnswersAsTheCpu) {
  auto random = test::generator(static_cast<std::uint64_t>(GetParam().metric) * 2 +
                                store_bytes(GetParam().store));
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const auto& [rows, dimension, lists] :
       {std::tuple{1, 3, 1}, {33, 4, 33}, {5000, 33, 12}, {30'000, 24, 100}}) {
    const auto d = static_cast<std::size_t>(dimension);
    const VectorIndex index =
        build(folder / "index", GetParam(), d, static_cast<std::size_t>(lists),
              test::draw(random, static_cast<std::size_t>(rows) * d));
    const auto gpu = search_on_gpu(std::get<Lists<RowCoding>>(index.searched()), resources());
    RowFilter filter(index.rows());
    for (std::size_t row = 0; row < index.rows(); row += 3) filter.add(row);
    const std::string what = std::to_string(rows) + " x " + std::to_string(dimension);
    for (const std::size_t count : {1, 7, 8, 300}) {
      const std::vector<float> queries = test::draw(random, count * d);
      for (const std::size_t probes : {1, 5, lists}) {
        if (probes > std::get<Lists<RowCoding>>(index.searched()).lists()) continue;
        for (const std::size_t k : {1, 10, 700, 2500}) {
          if (k > index.rows() || (k > 700 && count > 8)) continue;
          expect_as_cpu(index, *gpu, queries, k, probes, nullptr, what);
          expect_as_cpu(index, *gpu, queries, k, probes, &filter, what + ", filtered");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(GpuIvfForms, RangesHoldAllWithinThem) {
  auto random = test::generator(30 + static_cast<std::uint64_t>(GetParam().metric));
  const test::TemporaryFolder folder(test::place_in_memory());
  const VectorIndex index =
      build(folder / "index", GetParam(), 16, 40, test::draw(random, 9000 * 16));
  const auto gpu = search_on_gpu(std::get<Lists<RowCoding>>(index.searched()), resources());
  const auto cpu = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()));
  RowFilter filter(index.rows());
  for (std::size_t row = 0; row < index.rows(); row += 2) filter.add(row);
  const std::vector<float> queries = test::draw(random, 20 * 16);
  for (const float radius : {0.0F, 0.4F, 9.0F, -1.0F}) {
    expect_same(gpu->within(queries, radius, {.probes = 7}),
                cpu->within(queries, radius, {.probes = 7}), "range");
    expect_same(gpu->within(queries, radius, {.filter = &filter, .probes = 7}),
                cpu->within(queries, radius, {.filter = &filter, .probes = 7}), "range, filtered");
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GpuIvfForms,
                         testing::Values(IvfForm{Metric::kL2, Store::kFloat},
                                         IvfForm{Metric::kL2, Store::kHalf},
                                         IvfForm{Metric::kInnerProduct, Store::kFloat},
                                         IvfForm{Metric::kCosine, Store::kHalf}),
                         [](const testing::TestParamInfo<IvfForm>& form) {
                           return std::string(metric_name(form.param.metric)) + "_" +
                                  std::string(store_name(form.param.store));
                         });

TEST_F(GpuIvf, ListsLongerThanCandidatesFit) {
  // Half of the rows are equal, and lie in one list.
  auto random = test::generator(40);
  const test::TemporaryFolder folder(test::place_in_memory());
  std::vector<float> rows = test::draw(random, 60'000 * 8);
  std::fill_n(rows.begin(), 30'000 * 8, 0.5F);
  const VectorIndex index = build(folder / "index", {Metric::kL2, Store::kFloat}, 8, 20, rows);
  const auto gpu = search_on_gpu(std::get<Lists<RowCoding>>(index.searched()), resources());
  std::vector<float> queries = test::draw(random, 100 * 8);
  std::fill_n(queries.begin(), 10 * 8, 0.5F);
  expect_as_cpu(index, *gpu, queries, 100, 6, nullptr, "equal rows");
  EXPECT_GE(gpu->figures().uncertified, 10U);
}

TEST_F(GpuIvf, ThreadsAndRefusals) {
  auto random = test::generator(41);
  const test::TemporaryFolder folder(test::place_in_memory());
  const VectorIndex index = build(folder / "index", {Metric::kL2, Store::kFloat}, 12, 50,
                                  test::draw(random, 20'000 * 12));
  const auto gpu = search_on_gpu(std::get<Lists<RowCoding>>(index.searched()), resources(),
                                 {.memory = std::size_t{512} << 20});
  const std::vector<float> queries = test::draw(random, 60 * 12);
  const Neighbors alone = search_on_cpu(std::get<Lists<RowCoding>>(index.searched()))
                              ->nearest(queries, 10, {.probes = 8});
  std::vector<Neighbors> together(4);
  std::vector<std::thread> threads;
  for (Neighbors& one : together) {
    threads.emplace_back([&] { one = gpu->nearest(queries, 10, {.probes = 8}); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Neighbors& one : together) expect_same(one, alone, "together");
  EXPECT_THROW(gpu->nearest(queries, 10, {.probes = 0}), UsageError);
  EXPECT_THROW(gpu->nearest(queries, 10, {.probes = 51}), UsageError);
  EXPECT_THROW(gpu->nearest(queries, 0, {.probes = 5}), UsageError);
  EXPECT_THROW(
      search_on_gpu(std::get<Lists<RowCoding>>(index.searched()), resources(), {.memory = 1 << 16}),
      Error);
}

}  // namespace
}  // namespace warpdex::vector
