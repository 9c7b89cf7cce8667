// Tests of the index of codes as it is built and stored: tiny and odd sizes, the same bytes for any
// number of threads, damage, and real descriptors.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <vector>

#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {
namespace {

using testing::HasSubstr;

VectorIndexSettings settings_of(std::size_t dimension, std::size_t lists, const PqSettings& pq) {
  return {
      .dimension = dimension, .index = vector_kind("ivf-pq"), .ivf = {.lists = lists}, .pq = pq};
}

VectorIndex build(const std::filesystem::path& target, const VectorIndexSettings& settings,
                  std::span<const float> rows) {
  VectorIndexWriter writer(target, settings);
  writer.add(rows);
  writer.commit();
  return VectorIndex::open(target);
}

TEST(IvfPqIndex, TinyAndOddSizesAreBuiltVerifiedAndSearched) {
  auto random = test::generator(1);
  const test::TemporaryFolder folder(test::place_in_memory());
  struct Case {
    std::size_t rows, dimension, lists;
    PqSettings pq;
  };
  for (const auto& [rows, dimension, lists, pq] :
       {Case{1, 1, 1, {.bytes = 1}}, Case{1, 5, 1, {.bytes = 5}}, Case{2, 3, 2, {}},
        Case{40, 1, 1, {.bytes = 1, .bits = 4}}, Case{100, 7, 3, {.bytes = 4, .bits = 4}},
        Case{255, 16, 1, {.bytes = 16}}, Case{600, 20, 0, {.bytes = 3, .keeps_vectors = false}},
        Case{1000, 33, 20, {.bytes = 33}}, Case{2, 1, 1, {.bytes = 1, .is_rotated = true}},
        Case{300, 9, 4, {.bytes = 4, .is_rotated = true}},
        Case{900, 10, 9, {.bytes = 5, .bits = 4, .is_rotated = true, .keeps_vectors = false}},
        Case{2, 2, 1, {.bytes = 1, .is_rotated = true, .rotated_dimension = 1}},
        Case{300, 9, 4, {.bytes = 4, .is_rotated = true, .rotated_dimension = 4}},
        Case{900, 40, 9, {.bits = 4, .is_rotated = true, .rotated_dimension = 33}},
        Case{1000, 33, 20, {.bytes = 17, .bits = 4}}}) {
    for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
      for (const Store store : {Store::kFloat, Store::kHalf}) {
        VectorIndexSettings settings = settings_of(dimension, lists, pq);
        settings.metric = metric;
        settings.store = store;
        const VectorIndex index =
            build(folder / "index", settings, test::draw(random, rows * dimension, 1));
        EXPECT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
        EXPECT_EQ(index.settings().pq.keeps_vectors, pq.keeps_vectors);
        EXPECT_EQ(index.settings().pq.is_rotated, pq.is_rotated);
        EXPECT_EQ(index.settings().pq.rotated_dimension, pq.rotated_dimension);
        EXPECT_GT(index.settings().pq.bytes, 0U);
        EXPECT_EQ(index.rows(), rows);
        const auto searcher = search_on_cpu(std::get<Lists<PqCoding>>(index.searched()), 2);
        const std::vector<float> queries = test::draw(random, 3 * dimension, 1);
        const std::size_t all = index.settings().ivf.lists;
        Neighbors found = searcher->nearest(queries, rows, {.probes = all});
        std::sort(found.rows.begin(), found.rows.end());
        for (std::size_t i = 0; i < found.rows.size(); ++i) {
          ASSERT_EQ(found.rows[i], static_cast<std::int32_t>(i / 3)) << "each row once a query";
        }
        if (!pq.keeps_vectors) {
          EXPECT_THROW(searcher->nearest(queries, 1, {.probes = all, .refine = 10}), UsageError);
          EXPECT_THROW(index.flat(), UsageError);
          continue;
        }
        // All refined: the answer is exact.
        const Neighbors refined = searcher->nearest(queries, rows, {.probes = all, .refine = rows});
        const Neighbors exact = FlatSearcher(index.flat(), 1).nearest(queries, rows);
        EXPECT_EQ(refined.rows, exact.rows);
        EXPECT_EQ(refined.distances, exact.distances);
      }
    }
  }
}

TEST(IvfPqIndex, FewerVectorsThanCodewordsLoseNothing) {
  auto random = test::generator(2);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, std::size_t{200} * 8, 1);
  const VectorIndex index = build(folder / "index", settings_of(8, 3, {.bytes = 2}), rows);
  const Neighbors found = search_on_cpu(std::get<Lists<PqCoding>>(index.searched()), 1)
                              ->nearest(rows, 1, {.probes = 3});
  for (std::size_t row = 0; row < 200; ++row) {
    EXPECT_EQ(found.rows[row], static_cast<std::int32_t>(row));
    EXPECT_NEAR(found.distances[row], 0, 1e-3);
  }
}

TEST(IvfPqIndex, MoreGroupsThanAreEncodedTogether) {
  auto random = test::generator(6);
  const test::TemporaryFolder folder(test::place_in_memory());
  constexpr std::size_t kRows = 150'000;  // 4,096 groups have 131,072
  const VectorIndex index =
      build(folder / "index", settings_of(2, 500, {.bytes = 2}), test::draw(random, kRows * 2, 1));
  ASSERT_GT(std::get<Lists<PqCoding>>(index.searched()).group_begins.back(), 4096U);
  EXPECT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
}

TEST(IvfPqIndex, ThreadsDoNotChangeAByte) {
  auto random = test::generator(3);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, std::size_t{6000} * 10, 1);
  for (const bool keeps_vectors : {true, false}) {
    VectorIndexSettings settings = settings_of(10, 50,
                                               {.bytes = 5,
                                                .is_rotated = true,
                                                .rotated_dimension = keeps_vectors ? 6U : 0U,
                                                .keeps_vectors = keeps_vectors});
    settings.ivf.threads = 1;
    const VectorIndex one = build(folder / "one", settings, rows);
    settings.ivf.threads = 3;
    const VectorIndex three = build(folder / "three", settings, rows);
    for (const SectionInfo& section : one.section_infos()) {
      EXPECT_EQ(test::read_file(folder / "one" / "segment-0" / section.name),
                test::read_file(folder / "three" / "segment-0" / section.name))
          << section.name;
    }
    settings.ivf.seed = 2;
    build(folder / "other", settings, rows);
    EXPECT_NE(test::read_file(folder / "one" / "segment-0" / "codebooks"),
              test::read_file(folder / "other" / "segment-0" / "codebooks"));
  }
}

TEST(IvfPqIndex, VectorsThatAreNotKeptDoNotChangeAnswers) {
  auto random = test::generator(4);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, std::size_t{3000} * 12, 1);
  const std::vector<float> queries = test::draw(random, std::size_t{20} * 12, 1);
  const VectorIndex with = build(folder / "with", settings_of(12, 30, {.bytes = 6}), rows);
  const VectorIndex without =
      build(folder / "without", settings_of(12, 30, {.bytes = 6, .keeps_vectors = false}), rows);
  EXPECT_FALSE(std::filesystem::exists(folder / "without" / "segment-0" / "vectors"));
  const Neighbors a = search_on_cpu(std::get<Lists<PqCoding>>(with.searched()))
                          ->nearest(queries, 20, {.probes = 5});
  const Neighbors b = search_on_cpu(std::get<Lists<PqCoding>>(without.searched()))
                          ->nearest(queries, 20, {.probes = 5});
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.distances, b.distances);
}

TEST(IvfPqIndex, RefusesWhatItCannotBuild) {
  const test::TemporaryFolder folder(test::place_in_memory());
  const auto message_of = [&](const VectorIndexSettings& settings,
                              const std::vector<float>& rows) -> std::string {
    try {
      build(folder / "index", settings, rows);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_THAT(message_of(settings_of(3, 1, {.bytes = 4}), {1, 2, 3}), HasSubstr("1 to 3 bytes"));
  EXPECT_THAT(message_of(settings_of(3, 1, {.bytes = 3, .bits = 4}), {1, 2, 3}),
              HasSubstr("1 to 2 bytes"));
  EXPECT_THAT(message_of(settings_of(3, 1, {.bytes = 1, .bits = 5}), {1, 2, 3}),
              HasSubstr("8 or 4 bits"));
  EXPECT_THAT(message_of(settings_of(3, 1, {.bytes = 3, .rotated_dimension = 2}), {1, 2, 3}),
              HasSubstr("1 to 2 bytes, not 3"));
  EXPECT_THAT(message_of(settings_of(3, 1, {.bytes = 1, .rotated_dimension = 4}), {1, 2, 3}),
              HasSubstr("at most as many, not to 4"));
  EXPECT_THAT(message_of(settings_of(3, 2, {}), {1, 2, 3}), HasSubstr("not 2"));
  EXPECT_THAT(message_of(settings_of(3, 0, {}), {}), HasSubstr("one vector or more"));
}

// A number that does not suit the sections is refused, though the manifest has its checksum.
TEST(IvfPqIndex, ARotationToFewerComponentsHasAVersionOfItsOwn) {
  auto random = test::generator(7);
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::vector<float> rows = test::draw(random, 600, 1);
  for (const auto& [rotated, version] : {std::pair{0, 2}, {6, 2}, {4, 4}}) {
    const PqSettings pq{.bytes = 3, .rotated_dimension = static_cast<std::size_t>(rotated)};
    const VectorIndex index = build(folder / "index", settings_of(6, 7, pq), rows);
    const std::string manifest = test::read_file(folder / "index" / "manifest.json");
    EXPECT_THAT(manifest, HasSubstr("\"version\": " + std::to_string(version)));
    EXPECT_EQ(manifest.find("rotated_dimension") != std::string::npos, rotated == 4);
    EXPECT_EQ(index.settings().pq.is_rotated, rotated > 0);
    const auto& codes = std::get<Lists<PqCoding>>(index.searched());
    EXPECT_EQ(codes.quantizer.coded_dimension(), rotated == 4 ? 4U : 6U);
    EXPECT_EQ(codes.quantizer.rotation.size(), rotated == 0 ? 0U : rotated * 6U);
  }
  std::string manifest = test::read_file(folder / "index" / "manifest.json");
  const std::string member = "\"rotated_dimension\": ";
  manifest.erase(manifest.find(",\n  \"checksum\": \"", manifest.find("\n  ]")));
  for (const char* number : {"0", "3", "5", "6", "4096", "1.5", "\"4\""}) {
    std::string changed = manifest;
    changed.replace(changed.find(member) + member.size(), 1, number);
    test::write_file(folder / "index" / "manifest.json", with_checksum(changed + "\n}"));
    EXPECT_THROW(VectorIndex::open(folder / "index"), FormatError) << number;
    EXPECT_FALSE(verify_vectors(folder / "index").ok()) << number;
  }
}

TEST(IvfPqIndex, DamageIsFoundAndNeverCrashes) {
  auto random = test::generator(5);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const PqSettings& pq :
       {PqSettings{.bytes = 3, .is_rotated = true}, PqSettings{.bytes = 3, .bits = 4},
        PqSettings{.bytes = 3, .rotated_dimension = 4}}) {
    build(folder / "index", settings_of(6, 7, pq), test::draw(random, 600, 1));
    const std::vector<float> queries = test::draw(random, 30, 1);
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "index")) {
      if (!entry.is_regular_file()) continue;
      const std::string bytes = test::read_file(entry.path());
      for (std::size_t i = 0; i < bytes.size(); i += 1 + random() % (1 + bytes.size() / 60)) {
        std::string damaged = bytes;
        damaged[i] = static_cast<char>(damaged[i] ^ (1 << random() % 8));
        test::write_file(entry.path(), damaged);
        try {
          const VectorIndex index = VectorIndex::open(folder / "index");
          const auto searcher = search_on_cpu(std::get<Lists<PqCoding>>(index.searched()), 1);
          searcher->nearest(queries, 50, {.probes = 7, .refine = 60});
          searcher->within(queries, 3, {.probes = 2});
        } catch (const FormatError&) {
        }
        EXPECT_FALSE(verify_vectors(folder / "index").ok()) << entry.path() << " byte " << i;
      }
      for (const std::size_t size : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
        test::write_file(entry.path(), bytes.substr(0, size));
        EXPECT_THROW(VectorIndex::open(folder / "index"), FormatError) << entry.path();
      }
      test::write_file(entry.path(), bytes);
    }
    EXPECT_TRUE(verify_vectors(folder / "index").ok());
  }
}

/// The share of the 10 nearest that are found.
double recall(const Neighbors& exact, const Neighbors& found) {
  std::size_t hits = 0;
  for (std::size_t q = 0; q < found.queries; ++q) {
    for (std::size_t i = 0; i < 10; ++i) {
      const auto begin = exact.rows.begin() + static_cast<std::ptrdiff_t>(q * exact.k);
      hits += static_cast<std::size_t>(std::count(begin, begin + 10, found.rows[q * 10 + i]));
    }
  }
  return static_cast<double>(hits) / static_cast<double>(found.rows.size());
}

TEST(IvfPqIndexReal, MoreBytesProbesAndRefiningFindMore) {
  WARPDEX_NEEDS_DATA("vectors/wallpaper_sift_10k_base.bvecs");
  const test::TemporaryFolder folder(test::place_in_memory());
  const auto read = [](const char* name) {
    return read_float_matrix((test::data_folder() / "vectors" / name).string());
  };
  const Matrix<float> base = read("wallpaper_sift_10k_base.bvecs");
  const Matrix<float> queries = read("wallpaper_sift_10k_query.bvecs");
  double last = 0;
  for (const std::size_t bytes : {4, 16, 64}) {
    const VectorIndex index =
        build(folder / "index", settings_of(base.columns, 100, {.bytes = bytes}), base.values);
    const Neighbors exact = FlatSearcher(index.flat()).nearest(queries.values, 10);
    const auto searcher = search_on_cpu(std::get<Lists<PqCoding>>(index.searched()));
    const auto found = [&](std::size_t probes, std::size_t refine) {
      return recall(exact,
                    searcher->nearest(queries.values, 10, {.probes = probes, .refine = refine}));
    };
    EXPECT_GT(found(50, 0), found(3, 0)) << bytes;
    EXPECT_GT(found(50, 100), found(50, 0)) << bytes;
    EXPECT_GT(found(50, 0), last + 0.05) << bytes;
    last = found(50, 0);
    EXPECT_GT(found(50, 100), bytes == 4 ? 0.7 : 0.97);
  }
  EXPECT_GT(last, 0.85);
}

}  // namespace
}  // namespace warpdex::vector
