// Snapshots of many segments on the GPU: large, tiny and empty ones, with and without static
// scores. The answers are the CPU's over the same snapshot, to the bit.
#include <gtest/gtest.h>

#include <array>

#include "tests/query/gpu/gpu_snapshot_support.hpp"

namespace warpdex {
namespace {

using test::expect_as_cpu;
using test::Kind;
using test::Living;
using test::Uploaded;

// Many segments, tiny ones among them; k is above their sizes.
class GpuSnapshotSegments : public testing::TestWithParam<std::size_t> {};

TEST_P(GpuSnapshotSegments, SmallOnesInEveryWay) {
  WARPDEX_NEEDS_GPU();
  for (const Kind& kind : {Kind{CodecKind::kBitpack, false}, Kind{CodecKind::kRice, false},
                           Kind{CodecKind::kPforBlock, true}, Kind{CodecKind::kPfor, true}}) {
    Living living(889, kind.codec, kind.weights, 2'000);
    for (std::size_t segments = 1; segments < GetParam(); ++segments) {
      living.add_some(std::array{1U, 127U, 128U, 129U, 900U}[segments % 5]);
      living.commit();
      if (segments == GetParam() / 2) living.remove_last(20);
    }
    Uploaded uploaded;
    expect_as_cpu(living, uploaded.open(living), 200);
    living.remove_share(20);
    living.commit();
    const GpuSnapshot& gpu = uploaded.open(living);
    for (const test::Way& way : test::kWays) {
      expect_as_cpu(living, gpu, 150, way.ablation);
      ASSERT_FALSE(HasFailure()) << way.name << ", " << GetParam() << " segments";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Numbers, GpuSnapshotSegments, testing::Values(1, 2, 10, 33));

// A large segment between small ones: their tables differ in size.
TEST(GpuSnapshot, ALargeSegmentBetweenSmallOnes) {
  WARPDEX_NEEDS_GPU();
  Living living(892, CodecKind::kBitpack, false, 300);
  living.add_some(70'000);
  living.commit();
  living.add_some(17'000);
  living.commit();
  living.remove_share(10);
  living.add_some(1);
  living.commit();
  Uploaded uploaded;
  const GpuSnapshot& gpu = uploaded.open(living);
  for (const test::Way& way : test::kWays) {
    expect_as_cpu(living, gpu, 100, way.ablation);
    ASSERT_FALSE(HasFailure()) << way.name;
  }
}

// Static scores, which differ with the document only, over segments of one tile and of several.
TEST(GpuSnapshot, StaticScoresInEveryWay) {
  WARPDEX_NEEDS_GPU();
  for (const Kind& kind : {Kind{CodecKind::kBitpack, false}, Kind{CodecKind::kPfor, true}}) {
    Living living(894, kind.codec, kind.weights, 5'000, true);
    for (const std::size_t documents : {1, 17'000, 129, 40'000}) {
      living.add_some(documents);
      living.commit();
    }
    Uploaded uploaded;
    expect_as_cpu(living, uploaded.open(living), 100);
    living.remove_share(20);
    living.commit();
    const GpuSnapshot& gpu = uploaded.open(living);
    for (const test::Way& way : test::kWays) {
      expect_as_cpu(living, gpu, 60, way.ablation);
      ASSERT_FALSE(HasFailure()) << way.name;
    }
  }
}

TEST(GpuSnapshot, TinyStaticScores) {
  WARPDEX_NEEDS_GPU();
  for (const Kind& kind : {Kind{CodecKind::kPfor, false}, Kind{CodecKind::kBitpack, true}}) {
    Living living(895, kind.codec, kind.weights, 300, true);
    for (const std::size_t documents : {1, 200}) {
      living.add_some(documents);
      living.remove();
      living.commit();
    }
    Uploaded uploaded;
    expect_as_cpu(living, uploaded.open(living), 40);
  }
}

// A segment that stays though all of its documents were removed: between others, the first, the
// last. One of one tile, and one of several.
TEST(GpuSnapshot, TinySegmentWithoutLiveDocuments) {
  WARPDEX_NEEDS_GPU();
  for (const Kind& kind : {Kind{CodecKind::kBitpack, false}, Kind{CodecKind::kPfor, true}}) {
    for (const std::size_t empty : {0, 1, 2}) {
      Living living(896, kind.codec, kind.weights, 200);
      for (int i = 0; i < 2; ++i) {
        living.add_some(200);
        living.commit();
      }
      Uploaded uploaded;
      expect_as_cpu(living, uploaded.open(living), 20);
      living.empty_segment(empty, 200 * empty, 200);
      const GpuSnapshot& gpu = uploaded.open(living);
      EXPECT_EQ(gpu.snapshot().segments().size(), 3U);
      expect_as_cpu(living, gpu, 40);
    }
  }
}

TEST(GpuSnapshot, ALargeSegmentWithoutLiveDocumentsInEveryWay) {
  WARPDEX_NEEDS_GPU();
  Living living(897, CodecKind::kPfor, false, 300);
  living.add_some(40'000);
  living.commit();
  living.add_some(2'000);
  living.commit();
  living.empty_segment(1, 300, 40'000);
  Uploaded uploaded;
  const GpuSnapshot& gpu = uploaded.open(living);
  for (const test::Way& way : test::kWays) {
    expect_as_cpu(living, gpu, 60, way.ablation);
    ASSERT_FALSE(HasFailure()) << way.name;
  }
}

}  // namespace
}  // namespace warpdex
