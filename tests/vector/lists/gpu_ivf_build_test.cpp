// Tests of building inverted files on a GPU: each step gives what the CPU's gives, and the index
// is one that verifies and that the CPU searches.
#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "lists/build/centroid_search.hpp"
#include "lists/build/gpu_steps.hpp"
#include "lists/build/lists.hpp"
#include "pq/lists/list_codes.hpp"
#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/lists/owned/list_builder.hpp"

namespace warpdex::vector {
namespace {

class GpuIvfBuild : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
};

std::string describe_codes(std::size_t rows, std::size_t dimension, const PqSettings& pq) {
  return std::to_string(rows) + " x " + std::to_string(dimension) + ", " +
         std::to_string(pq.bytes) + " bytes of " + std::to_string(pq.bits) + " bits" +
         (pq.is_rotated ? ", rotated" : "") +
         (pq.rotated_dimension > 0 ? " to " + std::to_string(pq.rotated_dimension) : "");
}

/// What one step hands on, block after block.
struct Encoded {
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
  std::size_t groups = 0;

  BlockSink sink(const ListGroups& all) {
    return [this, &all](const EncodedBlock& block) {
      EXPECT_EQ(block.first_group, groups);
      groups += block.groups;
      codes.insert(codes.end(), block.codes.begin(), block.codes.end());
      for_each_piece(all, block, block.terms, [&](std::span<const float> piece) {
        terms.insert(terms.end(), piece.begin(), piece.end());
      });
    };
  }
};

/// Rows given to lists, each of the nearest centroid in the canonical order.
void expect_nearest(const Collection& rows, const Matrix<float>& centroids,
                    const std::vector<std::uint32_t>& lists, const std::string& what) {
  const std::size_t dimension = centroids.columns;
  for (std::size_t row = 0; row < lists.size(); ++row) {
    std::size_t best = 0;
    float smallest = std::numeric_limits<float>::infinity();
    for (std::size_t c = 0; c < centroids.rows; ++c) {
      const float distance = reference::canonical(
          std::span(rows.rows).subspan(row * dimension, dimension), centroids.row(c), true);
      if (distance < smallest) {
        smallest = distance;
        best = c;
      }
    }
    ASSERT_EQ(lists[row], best) << what << ", row " << row;
  }
}

TEST_F(GpuIvfBuild, RowsAreInTheListsOfTheirNearestCentroids) {
  auto random = test::generator(3);
  for (const Store store : {Store::kFloat, Store::kHalf}) {
    for (const std::size_t dimension : {1, 3, 31, 33, 96, 300}) {
      for (const std::size_t rows : {1, 31, 127, 129, 2000}) {
        for (const std::size_t count : {1, 2, 127, 129, 700}) {
          if (rows * count * dimension > 50'000'000) continue;
          const Collection collection(Metric::kL2, store, dimension,
                                      test::draw(random, rows * dimension, 4));
          const Matrix<float> centroids = test::draw_matrix(random, count, dimension, 4);
          const CentroidSearch search(centroids, {}, 1);
          std::vector<std::uint32_t> lists(rows, ~0U);
          std::size_t told = 0;
          GpuSteps(resources())
              .assign(collection.vectors.vectors, centroids, search, lists.data(),
                      [&](std::size_t done) { told = done; });
          EXPECT_EQ(told, rows);
          expect_nearest(collection, centroids, lists,
                         describe(Metric::kL2, store, dimension, rows) + ", " +
                             std::to_string(count) + " lists");
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_F(GpuIvfBuild, EqualCentroidsAndFarRowsAreAssignedAsByTheCpu) {
  auto random = test::generator(4);
  constexpr std::size_t kRows = 3000;
  constexpr std::size_t kDimension = 20;
  std::vector<float> values = test::draw(random, kRows * kDimension);
  for (std::size_t c = 0; c < kDimension; ++c) values[77 * kDimension + c] *= 1e30F;
  for (const bool are_far : {false, true}) {
    Matrix<float> centroids = test::draw_matrix(random, 50, kDimension);
    std::copy_n(centroids.row(3).data(), kDimension, centroids.row(40).data());
    std::copy_n(centroids.row(3).data(), kDimension, centroids.row(2).data());
    std::vector<float> own = values;
    if (!are_far) own.resize(std::size_t{50} * kDimension);
    const Collection collection(Metric::kInnerProduct, Store::kFloat, kDimension, own);
    const CentroidSearch search(centroids, {}, 2);
    const std::size_t rows = own.size() / kDimension;
    std::vector<std::uint32_t> expected(rows);
    std::vector<std::uint32_t> found(rows);
    search.nearest(collection.vectors.vectors, 0, rows, expected.data());
    GpuSteps(resources())
        .assign(collection.vectors.vectors, centroids, search, found.data(), [](std::size_t) {});
    EXPECT_EQ(found, expected);
    EXPECT_EQ(std::count(found.begin(), found.end(), 3U), 0);
    EXPECT_EQ(std::count(found.begin(), found.end(), 40U), 0);
  }
}

TEST_F(GpuIvfBuild, CodesAndTermsAreTheCpus) {
  auto random = test::generator(5);
  struct Case {
    std::size_t rows, dimension, lists;
    PqSettings pq;
  };
  for (const auto& [rows, dimension, lists, pq] :
       {Case{1, 1, 1, {.bytes = 1}}, Case{2, 3, 2, {.bytes = 3}},
        Case{33, 4, 33, {.bytes = 1, .is_rotated = true}}, Case{100, 7, 3, {.bytes = 4, .bits = 4}},
        Case{2000, 31, 20, {.bytes = 16}},
        Case{2000, 33, 20, {.bytes = 17, .bits = 4, .is_rotated = true}},
        Case{3000, 40, 7, {.bytes = 20}}, Case{1500, 96, 40, {.bytes = 32}},
        Case{1500, 130, 40, {.bytes = 3, .is_rotated = true}},
        Case{50, 2, 3, {.bytes = 1, .is_rotated = true, .rotated_dimension = 1}},
        Case{2000, 70, 20, {.bytes = 17, .bits = 4, .is_rotated = true, .rotated_dimension = 33}},
        Case{1500, 130, 300, {.bytes = 8, .is_rotated = true, .rotated_dimension = 64}},
        Case{4000, 96, 1, {.bytes = 48, .bits = 4}}, Case{4000, 96, 150, {.bytes = 96}}}) {
    for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
      for (const Store store : {Store::kFloat, Store::kHalf}) {
        const Collection collection(metric, store, dimension,
                                    test::draw(random, rows * dimension, 2));
        const FlatVectors& flat = collection.vectors;
        const IvfSettings ivf{.lists = lists};
        BuildSteps steps({}, {});
        const IvfLists made = make_lists(flat, ivf, has_spherical_lists<PqCoding>(metric), steps);
        const TrainedCodes trained = train_codes(flat, made, ivf, pq, steps);
        const ProductQuantizer quantizer = trained.quantizer(dimension);
        const ListGroups groups(made.members);
        const bool has_terms = metric != Metric::kCosine || store == Store::kHalf;
        const EncodingRules rules{quantizer, made.centroids, flat.centre, has_terms, metric};
        Encoded expected;
        encode_list_codes(flat, rules, groups, 0, steps, expected.sink(groups));
        Encoded found;
        GpuSteps(resources()).encode(flat.vectors, rules, groups, found.sink(groups));
        const std::string what =
            describe_codes(rows, dimension, pq) + ", " + std::string(metric_name(metric));
        EXPECT_EQ(found.codes, expected.codes) << what;
        EXPECT_EQ(found.terms, expected.terms) << what;
        EXPECT_EQ(found.terms.size(), has_terms ? rows : 0) << what;
      }
    }
  }
}

/// The list and the code of each row.
std::vector<std::vector<std::uint8_t>> codes_by_row(const OwnedCodeLists<PqCoding>& built) {
  std::vector<std::vector<std::uint8_t>> found(built.lists.row_numbers.size());
  const CodeGroups layout{built.trained.bytes};
  for (std::size_t list = 0; list + 1 < built.lists.begins.size(); ++list) {
    for (std::uint64_t p = built.lists.begins[list]; p < built.lists.begins[list + 1]; ++p) {
      const std::uint64_t place = p - built.lists.begins[list];
      const std::uint64_t group = built.group_begins[list] + place / kGroupVectors;
      std::vector<std::uint8_t>& code = found[built.lists.row_numbers[p]];
      code.resize(built.trained.bytes);
      layout.read(built.codes.data() + group * layout.group_bytes(), place % kGroupVectors,
                  code.data());
      code.push_back(static_cast<std::uint8_t>(list));
    }
  }
  return found;
}

TEST_F(GpuIvfBuild, WholeBuildsDifferFromTheCpusInAtMostOneRowOf100000) {
  auto random = test::generator(10);
  constexpr std::size_t kRows = 100'000;
  for (const Metric metric : {Metric::kL2, Metric::kCosine}) {
    const Collection collection(metric, Store::kFloat, 16, test::draw(random, kRows * 16, 1));
    const IvfSettings ivf{.lists = 200};
    const PqSettings pq{.bytes = 4, .is_rotated = metric == Metric::kCosine};
    const OwnedCodeLists<PqCoding> gpu =
        build_pq_lists(collection.vectors, ivf, pq, {}, {.gpu = &resources()});
    const OwnedCodeLists<PqCoding> cpu = build_pq_lists(collection.vectors, ivf, pq);
    for (std::size_t i = 0; i < cpu.lists.centroids.size(); ++i) {
      ASSERT_NEAR(gpu.lists.centroids[i], cpu.lists.centroids[i], 1e-5) << i;
    }
    const std::vector<std::vector<std::uint8_t>> found = codes_by_row(gpu);
    const std::vector<std::vector<std::uint8_t>> expected = codes_by_row(cpu);
    std::size_t differing = 0;
    for (std::size_t row = 0; row < kRows; ++row) differing += found[row] != expected[row] ? 1 : 0;
    EXPECT_LE(differing, 1U) << metric_name(metric);
  }
}

TEST_F(GpuIvfBuild, LittleMemoryMakesBlocksSmallAndChangesNothing) {
  auto random = test::generator(6);
  const Collection collection(Metric::kL2, Store::kFloat, 8,
                              test::draw(random, std::size_t{100'000} * 8));
  const IvfSettings ivf{.lists = 60, .train = 2000};
  const PqSettings pq{.bytes = 4, .is_rotated = true};
  std::vector<std::string> on_gpu;
  std::size_t assigned = 0;
  const auto build = [&](Resources& with) {
    on_gpu.clear();
    assigned = 0;
    BuildDevice device{.gpu = &with};
    device.on_step = [&](const BuildStep& step) {
      if (step.is_on_gpu) on_gpu.emplace_back(step.name);
    };
    return build_pq_lists(
        collection.vectors, ivf, pq,
        [&](const char* stage, std::uint64_t, std::uint64_t) {
          assigned += stage == std::string("assigning") ? 1 : 0;
        },
        device);
  };
  const OwnedCodeLists<PqCoding> expected = build(resources());
  const auto all =
      testing::ElementsAre("training lists", "assigning", "training codes", "encoding");
  EXPECT_THAT(on_gpu, all);
  EXPECT_EQ(assigned, 1U);
  Resources little({.device = 0, .memory = std::size_t{20} << 20, .host_memory = 0});
  const OwnedCodeLists<PqCoding> found = build(little);
  EXPECT_THAT(on_gpu, all);
  EXPECT_GT(assigned, 3U);
  EXPECT_EQ(found.lists.row_numbers, expected.lists.row_numbers);
  EXPECT_EQ(found.lists.centroids, expected.lists.centroids);
  EXPECT_EQ(found.codes, expected.codes);
  EXPECT_EQ(found.terms, expected.terms);
}

TEST_F(GpuIvfBuild, StepsWithTooLittleMemoryAreTheCpus) {
  auto random = test::generator(7);
  const Collection collection(Metric::kInnerProduct, Store::kFloat, 16,
                              test::draw(random, std::size_t{3000} * 16));
  Resources tiny({.device = 0, .memory = 1 << 13, .host_memory = 0});
  BuildDevice device{.gpu = &tiny};
  std::vector<std::string> reasons;
  device.on_cpu = [&](const Error& error) { reasons.emplace_back(error.what()); };
  device.on_step = [&](const BuildStep& step) { EXPECT_FALSE(step.is_on_gpu) << step.name; };
  const OwnedCodeLists<PqCoding> found =
      build_pq_lists(collection.vectors, {.lists = 9}, {}, {}, device);
  EXPECT_THAT(reasons, testing::SizeIs(4));
  EXPECT_THAT(reasons, testing::Each(testing::HasSubstr("GPU memory")));
  const OwnedCodeLists<PqCoding> expected = build_pq_lists(collection.vectors, {.lists = 9}, {});
  EXPECT_EQ(found.codes, expected.codes);
  device.on_cpu = [&](const Error&) { throw; };
  EXPECT_THROW(build_pq_lists(collection.vectors, {.lists = 9}, {}, {}, device), Error);
  EXPECT_EQ(tiny.memory().used(), 0U);
}

TEST_F(GpuIvfBuild, AnIndexMadeOnTheGpuVerifiesAndIsSearchedByTheCpu) {
  auto random = test::generator(8);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const VectorKind kind : {vector_kind("ivf-flat"), vector_kind("ivf-pq")}) {
      for (const bool is_rotated : {false, true}) {
        if (is_rotated && kind == vector_kind("ivf-flat")) continue;
        constexpr std::size_t kRows = 4000;
        constexpr std::size_t kDimension = 24;
        VectorIndexWriter writer(folder / "index",
                                 {.metric = metric,
                                  .store = is_rotated ? Store::kHalf : Store::kFloat,
                                  .dimension = kDimension,
                                  .index = kind,
                                  .ivf = {.lists = 30},
                                  .pq = {.bytes = 5,
                                         .is_rotated = is_rotated,
                                         .rotated_dimension = is_rotated ? std::size_t{7} : 0}});
        writer.add(test::draw(random, kRows * kDimension, 1));
        writer.commit({}, {}, {.gpu = &resources()});
        EXPECT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
        const VectorIndex index = VectorIndex::open(folder / "index");
        const std::vector<float> queries = test::draw(random, 5 * kDimension, 1);
        const Neighbors exact = FlatSearcher(index.flat()).nearest(queries, 20);
        const Neighbors found = kind == vector_kind("ivf-flat")
                                    ? search_on_cpu(std::get<Lists<RowCoding>>(index.searched()))
                                          ->nearest(queries, 20, {.probes = 30})
                                    : search_on_cpu(std::get<Lists<PqCoding>>(index.searched()))
                                          ->nearest(queries, 20, {.probes = 30, .refine = kRows});
        EXPECT_EQ(found.rows, exact.rows);
        EXPECT_EQ(found.distances, exact.distances);
      }
    }
  }
}

TEST_F(GpuIvfBuild, RefusesWhatTheCpuRefuses) {
  auto random = test::generator(9);
  const BuildDevice device{.gpu = &resources()};
  const Collection none(Metric::kL2, Store::kFloat, 3, {});
  EXPECT_THROW(build_row_lists(none.vectors, {}, {}, device), UsageError);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    Collection rows(Metric::kL2, Store::kFloat, 3, test::draw(random, 3000));
    rows.rows[std::size_t{3} * 712 + 1] = bad;
    try {
      build_pq_lists(rows.vectors, {.lists = 2, .train = 2}, {}, {}, device);
      ADD_FAILURE() << "taken";
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("row 712 (counted from 0)"));
    }
  }
  const BuildProgress stop = [](const char* stage, std::uint64_t, std::uint64_t) {
    if (stage == std::string("encoding")) throw 7;
  };
  const Collection rows(Metric::kL2, Store::kFloat, 4, test::draw(random, 4000));
  EXPECT_THROW(build_pq_lists(rows.vectors, {.lists = 2}, {}, stop, device), int);
}

}  // namespace
}  // namespace warpdex::vector
