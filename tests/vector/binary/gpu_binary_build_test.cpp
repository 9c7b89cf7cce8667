// Tests of encoding on a GPU: the bytes of the CPU's codes.
#include <gtest/gtest.h>

#include <vector>

#include "lists/build/gpu_steps.hpp"
#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/format/binary_builder.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

using GpuBinaryBuild = GpuFlat;

TEST_F(GpuBinaryBuild, CodesAreTheCpus) {
  auto random = test::generator(150);
  for (const std::size_t dimension : {1, 31, 32, 33, 100, 300}) {
    for (const std::size_t rows : {1, 32, 33, 5000}) {
      const BinarySettings settings{.bits = 1 + random() % 8,
                                    .is_rotated = random() % 2 == 0,
                                    .is_corrected = random() % 2 == 0};
      const Store store = random() % 2 == 0 ? Store::kHalf : Store::kFloat;
      const Metric metric = static_cast<Metric>(random() % 3);
      const Collection all(metric, store, dimension, test::draw(random, rows * dimension, 2, 3));
      const OwnedBinaryVectors cpu = build_binary(all.vectors, settings);
      const OwnedBinaryVectors gpu = build_binary(all.vectors, settings, {}, {.gpu = &resources()});
      EXPECT_EQ(cpu.scale, gpu.scale);
      EXPECT_EQ(cpu.rotation, gpu.rotation);
      ASSERT_EQ(cpu.codes, gpu.codes) << rows << " x " << dimension << ", " << settings.bits
                                      << (settings.is_rotated ? " bits, rotated" : " bits")
                                      << (settings.is_corrected ? ", corrected" : "");
      ASSERT_EQ(cpu.factors, gpu.factors);
      ASSERT_EQ(cpu.residuals, gpu.residuals);
    }
  }
}

/// Vectors of zeros, of one component, and of lengths far from 1.
TEST_F(GpuBinaryBuild, CorrectionsAreTheCpus) {
  auto random = test::generator(154);
  for (const std::size_t bits : {1, 2, 4, 7, 8}) {
    std::vector<float> rows = test::draw(random, 4000 * 48, 2, 3);
    std::fill_n(rows.begin(), 10 * 48, 0.0F);
    std::fill_n(rows.begin() + 11 * 48, 47, 0.0F);
    for (std::size_t i = 0; i < 48; ++i) {
      rows[20 * 48 + i] *= 0x1p-70F;
      rows[21 * 48 + i] *= 0x1p40F;
    }
    const Collection all(Metric::kL2, Store::kFloat, 48, rows);
    const BinarySettings settings{.bits = bits, .is_rotated = bits > 2, .is_corrected = true};
    const OwnedBinaryVectors cpu = build_binary(all.vectors, settings);
    const OwnedBinaryVectors gpu = build_binary(all.vectors, settings, {}, {.gpu = &resources()});
    EXPECT_EQ(cpu.codes, gpu.codes) << bits;
    EXPECT_EQ(cpu.factors, gpu.factors) << bits;
    EXPECT_EQ(cpu.residuals, gpu.residuals) << bits;
  }
}

/// More rows than a block on the GPU has.
TEST_F(GpuBinaryBuild, ManyBlocksAreEncoded) {
  auto random = test::generator(151);
  const Collection all(Metric::kL2, Store::kFloat, 1000, test::draw(random, 40'000 * 1000));
  const OwnedBinaryVectors cpu = build_binary(all.vectors, {.bits = 4});
  EXPECT_EQ(build_binary(all.vectors, {.bits = 4}, {}, {.gpu = &resources()}).codes, cpu.codes);
  const BinarySettings corrected{.bits = 3, .is_corrected = true};
  EXPECT_EQ(build_binary(all.vectors, corrected, {}, {.gpu = &resources()}).residuals,
            build_binary(all.vectors, corrected).residuals);
  // Little memory: blocks are smaller.
  Resources small({.device = 0, .memory = std::size_t{3} << 20, .host_memory = 0});
  EXPECT_EQ(build_binary(all.vectors, {.bits = 4}, {}, {.gpu = &small}).codes, cpu.codes);
}

TEST_F(GpuBinaryBuild, IndexesAreTheCpusByteForByte) {
  auto random = test::generator(152);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, 3000 * 20, 1);
  for (const bool keeps_vectors : {true, false}) {
    for (const bool on_gpu : {false, true}) {
      VectorIndexWriter writer(folder / (on_gpu ? "gpu" : "cpu"),
                               {.dimension = 20,
                                .index = vector_kind("xfbq"),
                                .pq = {.keeps_vectors = keeps_vectors},
                                .binary = {.bits = 5, .is_rotated = true}});
      writer.add(rows);
      bool has_step = false;
      writer.commit({}, {},
                    {.gpu = on_gpu ? &resources() : nullptr,
                     .on_cpu = {},
                     .on_step = [&](const BuildStep& step) { has_step |= step.is_on_gpu; }});
      EXPECT_EQ(has_step, on_gpu);
    }
    EXPECT_TRUE(verify_vectors(folder / "gpu").ok());
    const VectorIndex built = VectorIndex::open(folder / "cpu");
    for (const SectionInfo& section : built.section_infos()) {
      EXPECT_EQ(test::read_file(folder / "cpu" / "segment-0" / section.name),
                test::read_file(folder / "gpu" / "segment-0" / section.name))
          << section.name;
    }
  }
}

TEST(BinaryBuilder, BuildsWhatAnIndexHas) {
  auto random = test::generator(153);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, 500 * 20, 1);
  VectorIndexWriter writer(folder / "index", {.metric = Metric::kInnerProduct,
                                              .dimension = 20,
                                              .index = vector_kind("xfbq"),
                                              .binary = {.bits = 3, .is_rotated = true}});
  writer.add(rows);
  writer.commit();
  const VectorIndex index = VectorIndex::open(folder / "index");
  const OwnedBinaryVectors built = build_binary(index.flat(), {.bits = 3, .is_rotated = true});
  const BinaryVectors view = built.view();
  EXPECT_TRUE(std::equal(view.codes.begin(), view.codes.end(),
                         std::get<BinaryVectors>(index.searched()).codes.begin(),
                         std::get<BinaryVectors>(index.searched()).codes.end()));
  const std::vector<float> query = test::draw(random, 20);
  const Neighbors a = search_on_cpu(view)->nearest(query, 30, {.refine = 40});
  const Neighbors b =
      search_on_cpu(std::get<BinaryVectors>(index.searched()))->nearest(query, 30, {.refine = 40});
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.distances, b.distances);
}

}  // namespace
}  // namespace warpdex::vector
