// Tests of the index of vectors: what is written comes back, bad input leaves the target as it was,
// damage is found and never crashes.
#include "warpdex/vector/format/vector_index.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/half.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/read_filter.hpp"
#include "warpdex/vector/format/vector_index_writer.hpp"
#include "warpdex/vector/format/verify.hpp"

namespace warpdex::vector {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<float> draw(std::uint64_t stream, std::size_t count) {
  auto random = test::generator(stream);
  std::normal_distribution<float> normal(2, 1);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

void build(const std::filesystem::path& target, const VectorIndexSettings& settings,
           std::span<const float> rows, const VectorIds& ids = {}) {
  VectorIndexWriter writer(target, settings);
  writer.add(rows);
  writer.commit(ids);
}

std::vector<float> stored_row(const VectorIndex& index, std::size_t row) {
  std::vector<float> values(index.settings().dimension);
  copy_row(index.flat().vectors, row, values.data());
  return values;
}

TEST(VectorIndex, WhatWasAddedComesBack) {
  for (const Metric metric : {Metric::kL2, Metric::kInnerProduct, Metric::kCosine}) {
    for (const Store store : {Store::kFloat, Store::kHalf}) {
      for (const std::size_t dimension : {1, 3, 4, 8, 9, 33}) {
        for (const std::size_t rows : {0, 1, 5, 129}) {
          const test::TemporaryFolder folder(test::place_in_memory());
          const std::vector<float> values = draw(rows * 100 + dimension, rows * dimension);
          build(folder / "index", {.metric = metric, .store = store, .dimension = dimension},
                values);
          const VectorIndex index = VectorIndex::open(folder / "index");
          EXPECT_EQ(index.settings().metric, metric);
          EXPECT_EQ(index.settings().store, store);
          ASSERT_EQ(index.settings().dimension, dimension);
          ASSERT_EQ(index.rows(), rows);
          EXPECT_EQ(index.flat().vectors.stride * store_bytes(store) % 16, 0U);
          for (std::size_t row = 0; row < rows; ++row) {
            std::vector<float> expected(
                values.begin() + static_cast<std::ptrdiff_t>(row * dimension),
                values.begin() + static_cast<std::ptrdiff_t>((row + 1) * dimension));
            if (metric == Metric::kCosine) normalize(expected);
            if (store == Store::kHalf) {
              std::vector<std::uint16_t> halves(dimension);
              to_half(expected, halves.data());
              to_float(halves, expected.data());
            }
            EXPECT_EQ(stored_row(index, row), expected);
            EXPECT_EQ(index.id(row), std::to_string(row));
          }
          EXPECT_THAT(verify_vectors(folder / "index").problems, testing::IsEmpty());
          EXPECT_TRUE(is_vector_index(folder / "index"));
        }
      }
    }
  }
}

TEST(VectorIndex, RowsMayComeInPartsAndBePastWhatIsHeldBack) {
  const test::TemporaryFolder folder;
  const std::size_t dimension = 1024;
  const std::size_t rows = 5000;  // 20 MB, more than the writer holds
  const std::vector<float> values = draw(1, rows * dimension);
  VectorIndexWriter writer(folder / "index",
                           {.metric = Metric::kL2, .store = Store::kFloat, .dimension = dimension});
  for (std::size_t row = 0; row < rows; row += 500) {
    writer.add(std::span(values).subspan(row * dimension, 500 * dimension));
  }
  EXPECT_EQ(writer.rows(), rows);
  writer.commit();
  const VectorIndex index = VectorIndex::open(folder / "index");
  ASSERT_EQ(index.rows(), rows);
  EXPECT_EQ(std::memcmp(index.flat().vectors.data, values.data(), values.size() * 4), 0);
  EXPECT_TRUE(verify_vectors(folder / "index").ok());
}

TEST(VectorIndex, IdsAreNumbersOrTexts) {
  const test::TemporaryFolder folder;
  const std::vector<float> values = draw(2, 6);
  const VectorIndexSettings settings{.metric = Metric::kL2, .store = Store::kFloat, .dimension = 2};
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  build(folder / "numbers", settings, values,
        VectorIds(std::vector<std::int64_t>{-7, kLargest, 0}));
  const VectorIndex numbers = VectorIndex::open(folder / "numbers");
  EXPECT_EQ(numbers.id_kind(), IdKind::kNumbers);
  EXPECT_THAT(numbers.segments().front().id_numbers, ElementsAre(-7, kLargest, 0));
  EXPECT_EQ(numbers.id(1), std::to_string(kLargest));
  build(folder / "texts", settings, values, VectorIds(std::vector<std::string>{"b", "a c", "é"}));
  const VectorIndex texts = VectorIndex::open(folder / "texts");
  EXPECT_EQ(texts.id_kind(), IdKind::kTexts);
  EXPECT_EQ(texts.id(1), "a c");
  EXPECT_EQ(texts.id(2), "é");
  EXPECT_THROW(texts.id(3), UsageError);
  EXPECT_TRUE(verify_vectors(folder / "texts").ok());
}

TEST(VectorIndex, FiltersAreIdsOrBits) {
  const test::TemporaryFolder folder;
  const std::vector<float> values = draw(3, 8);
  const VectorIndexSettings settings{.metric = Metric::kL2, .store = Store::kFloat, .dimension = 2};
  const std::vector<std::string> names{"w", "x", "12", "z"};
  build(folder / "rows", settings, values);
  build(folder / "numbers", settings, values, VectorIds(std::vector<std::int64_t>{40, 30, 20, -1}));
  build(folder / "texts", settings, values, VectorIds(names));
  UnknownIds unknown;
  const auto rows_of = [&](const char* index, const std::string& lines) {
    test::write_file(folder / "filter.txt", lines);
    unknown = {};
    const RowFilter filter =
        read_filter(VectorIndex::open(folder / index), (folder / "filter.txt").string(), &unknown);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < 4; ++row) {
      if (filter.contains(row)) rows.push_back(row);
    }
    return rows;
  };
  EXPECT_THAT(rows_of("rows", "3\n0\n"), ElementsAre(0, 3));
  EXPECT_THAT(rows_of("numbers", "-1\n30\n"), ElementsAre(1, 3));
  EXPECT_THAT(rows_of("texts", "12\nw\n"), ElementsAre(0, 2));
  for (const auto& [index, lines] : {std::pair{"rows", "4\n"},
                                     {"rows", "x\n"},
                                     {"rows", "1.5\n"},
                                     {"numbers", "0\n"},
                                     {"numbers", "w\n"},
                                     {"texts", "v\n"}}) {
    EXPECT_THAT(rows_of(index, lines), testing::IsEmpty()) << index << " " << lines;
    EXPECT_EQ(unknown.count, 1U);
    EXPECT_EQ(unknown.first + "\n", lines);
  }
  EXPECT_THAT(rows_of("texts", "w\nnone\nz\nneither\n"), ElementsAre(0, 3));
  EXPECT_EQ(unknown.count, 2U);
  EXPECT_EQ(unknown.first, "none");
  EXPECT_EQ(unknown.first_place, "line 2");
  EXPECT_THAT(rows_of("texts", "w\n"), ElementsAre(0));
  EXPECT_EQ(unknown.count, 0U);
  const std::string header =
      "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }" + std::string(52, ' ') + "\n";
  std::string bits = std::string("\x93NUMPY\x01\0", 8);
  bits += static_cast<char>(header.size() & 0xFF);
  bits += static_cast<char>(header.size() >> 8);
  bits += header + std::string("\0\1\1\0", 4);
  test::write_file(folder / "bits.npy", bits);
  const RowFilter filter =
      read_filter(VectorIndex::open(folder / "rows"), (folder / "bits.npy").string());
  EXPECT_EQ(filter.count(), 2U);
  EXPECT_TRUE(filter.contains(1) && filter.contains(2));
}

TEST(VectorIndex, BadInputLeavesWhatWasThere) {
  const test::TemporaryFolder folder;
  const VectorIndexSettings settings{.metric = Metric::kL2, .store = Store::kFloat, .dimension = 2};
  build(folder / "index", settings, std::vector<float>{1, 2, 3, 4});
  const std::string manifest = test::read_file(folder / "index" / "manifest.json");
  const float infinite = std::numeric_limits<float>::infinity();
  const auto message_of = [&](const VectorIndexSettings& wanted, const std::vector<float>& rows,
                              const VectorIds& ids) -> std::string {
    try {
      build(folder / "index", wanted, rows, ids);
    } catch (const Error& error) {
      return error.what();
    }
    return "taken";
  };
  EXPECT_THAT(message_of(settings, {1, 2, std::nanf(""), 4}, {}), HasSubstr("row 1, column 0"));
  EXPECT_THAT(message_of(settings, {1, infinite}, {}), HasSubstr("row 0, column 1"));
  EXPECT_THAT(message_of({.metric = Metric::kL2, .store = Store::kHalf, .dimension = 2},
                         {1, 2, 3, 65520}, {}),
              HasSubstr("row 1, column 1"));
  EXPECT_THAT(message_of(settings, {1, 2, 3}, {}), HasSubstr("2 components"));
  EXPECT_THAT(message_of(settings, {1, 2, 3, 4}, VectorIds(std::vector<std::int64_t>{5})),
              HasSubstr("1 ids for 2 vectors"));
  EXPECT_THAT(message_of({.metric = Metric::kL2, .store = Store::kFloat, .dimension = 0}, {}, {}),
              HasSubstr("from 1 to 4096"));
  EXPECT_THAT(
      message_of({.metric = Metric::kL2, .store = Store::kFloat, .dimension = 4097}, {}, {}),
      HasSubstr("not 4097"));
  EXPECT_EQ(test::read_file(folder / "index" / "manifest.json"), manifest);
  EXPECT_TRUE(verify_vectors(folder / "index").ok());
}

/// What opening and searching the index comes to: "whole", or the message.
std::string use(const std::filesystem::path& folder) try {
  const VectorIndex index = VectorIndex::open(folder);
  for (std::size_t row = 0; row < index.rows(); ++row) index.id(row);
  if (index.rows() == 0) return "whole";
  const FlatSearcher searcher(index.flat(), 1);
  const std::vector<float> queries(30 * index.settings().dimension, 0.5F);
  searcher.nearest(queries, index.rows());
  searcher.within(std::span(queries).first(index.settings().dimension), 100);
  return "whole";
} catch (const Error& error) {
  return error.what();
}

TEST(VectorIndex, WhatGoesToAGpuIsCheckedBefore) {
  const test::TemporaryFolder folder(test::place_in_memory());
  const std::filesystem::path segment = folder / "index" / "segment-0";
  build(folder / "index", {.metric = Metric::kL2, .dimension = 3}, draw(7, 30),
        VectorIds(std::vector<std::string>{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}));
  EXPECT_NO_THROW(check_before_upload(VectorIndex::open(folder / "index")));
  for (const std::string section : {"vectors", "norms", "centre", "id_texts"}) {
    const std::string bytes = test::read_file(segment / section);
    std::string damaged = bytes;
    // Sections begin behind a header of at most 64 bytes.
    damaged[64] = static_cast<char>(damaged[64] ^ 1);
    test::write_file(segment / section, damaged);
    const VectorIndex index = VectorIndex::open(folder / "index");
    EXPECT_FALSE(verify_vectors(folder / "index").ok()) << section;
    if (section == "id_texts") {
      EXPECT_NO_THROW(check_before_upload(index));
    } else {
      try {
        check_before_upload(index);
        ADD_FAILURE() << section << " was taken";
      } catch (const FormatError& error) {
        EXPECT_THAT(error.what(), HasSubstr("section '" + section + "'"));
      }
    }
    test::write_file(segment / section, bytes);
  }
}

TEST(VectorIndex, DamageIsFoundAndNeverCrashes) {
  const test::TemporaryFolder folder(test::place_in_memory());
  build(folder / "index", {.metric = Metric::kL2, .store = Store::kFloat, .dimension = 3},
        draw(4, 60), VectorIds([] {
          std::vector<std::string> texts;
          for (int i = 0; i < 20; ++i) texts.push_back("id" + std::to_string(i));
          return texts;
        }()));
  auto random = test::generator(5);
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "index")) {
    if (!entry.is_regular_file()) continue;
    const std::string bytes = test::read_file(entry.path());
    for (std::size_t i = 0; i < bytes.size(); i += 1 + random() % 7) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << random() % 8));
      test::write_file(entry.path(), damaged);
      use(folder / "index");
      EXPECT_FALSE(verify_vectors(folder / "index").ok()) << entry.path() << " byte " << i;
    }
    for (const std::size_t size : {std::size_t{0}, bytes.size() / 2, bytes.size() - 1}) {
      test::write_file(entry.path(), bytes.substr(0, size));
      EXPECT_NE(use(folder / "index"), "whole") << entry.path() << " cut to " << size;
    }
    test::write_file(entry.path(), bytes);
  }
  EXPECT_EQ(use(folder / "index"), "whole");
}

TEST(VectorIndex, OfAnotherVersionIsNotCalledDamaged) {
  const test::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "index");
  test::write_file(folder / "index" / "manifest.json",
                   R"({"format": "warpdex", "kind": "vectors", "version": 8})");
  const std::string complaint =
      "the index's manifest.json is of version 8 of its format, and this program reads versions 1 "
      "to 4; use a newer Warpdex, or build the index again";
  EXPECT_THAT(use(folder / "index"), HasSubstr(complaint));
  EXPECT_THAT(verify_vectors(folder / "index").problems, testing::ElementsAre(complaint));
}

TEST(VectorIndex, SaysWhatIsNoIndexOfVectors) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(VectorIndex::open(folder / "nothing"), IoError);
  EXPECT_FALSE(is_vector_index(folder / "nothing"));
  EXPECT_THROW(verify_vectors(folder / "nothing"), IoError);
  std::filesystem::create_directory(folder / "text");
  test::write_file(folder / "text" / "manifest.json",
                   "{\n  \"format\": \"warpdex\",\n \"version\": 2}");
  EXPECT_FALSE(is_vector_index(folder / "text"));
  EXPECT_THAT(use(folder / "text"), HasSubstr("an index of text"));
}

}  // namespace
}  // namespace warpdex::vector
