// Searcher on a GPU and on both processors: the CPU's answers, to the bit, and beside commits.
#include <gmock/gmock.h>

#include "tests/api/api_support.hpp"
#include "tests/api/commit_stream.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex {
namespace {

#define WARPDEX_NEEDS_GPU() \
  if (device_count() == 0) GTEST_SKIP() << why_no_device()

void expect_equal(const Answer& one, const Answer& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].document(), other[i].document());
    EXPECT_EQ(one[i].score(), other[i].score());
  }
}

TEST(SearcherDevices, WithoutAGpuAutoIsTheCpuAndSaysWhy) {
  if (device_count() > 0) GTEST_SKIP() << "there is a GPU";
  const test::TemporaryFolder folder;
  build_index(*documents_from_memory({{"1", "fish"}}), test::plain_build(folder / "index"));
  const Searcher searcher(folder / "index", {.device = Device::kAuto});
  EXPECT_EQ(searcher.device(), Device::kCpu);
  EXPECT_NE(searcher.problem(), "");
  EXPECT_EQ(searcher.search("fish").size(), 1U);
  EXPECT_THROW(Searcher(folder / "index", {.device = Device::kGpu}), CudaError);
}

TEST(GpuSearcher, AnswersAreTheCpus) {
  WARPDEX_NEEDS_GPU();
  std::mt19937_64 random = test::generator(11);
  const test::TemporaryFolder folder;
  std::normal_distribution<float> normal;
  std::vector<Document> documents = test::word_documents(random, 0, 20'000, 80, 40);
  for (Document& document : documents) {
    for (int i = 0; i < 8; ++i) document.embedding.push_back(normal(random));
  }
  BuildOptions build = test::plain_build(folder / "index");
  build.vectors = vector::RowSettings{.metric = vector::Metric::kL2, .dimension = 8};
  build_index(*documents_from_memory(documents), build);
  const Searcher cpu(folder / "index");
  const Gpu shared;
  for (const Device device : {Device::kGpu, Device::kAuto}) {
    const Searcher searcher(folder / "index", {.device = device, .gpus = {shared}});
    EXPECT_EQ(searcher.device(), device);
    std::vector<SearchRequest> requests;
    for (int i = 0; i < 60; ++i) {
      // The GPU leaves excluded words of several terms, and very long queries, to the CPU.
      std::string text = "w" + std::to_string(random() % 80) + " w" + std::to_string(random() % 9);
      if (i % 10 == 0) text += " -w1-w2";
      requests.push_back({.text = text});
    }
    for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
      const SearchOptions options{.k = 20, .mode = mode};
      const auto wanted = cpu.search(requests, options);
      const auto found = searcher.search(requests, options);
      for (std::size_t i = 0; i < requests.size(); ++i) {
        expect_equal(found[i], wanted[i]);
        if (i % 7 == 0) expect_equal(searcher.search(requests[i], options), wanted[i]);
      }
    }
    for (SearchRequest& request : requests) {
      request.vector.assign(8, static_cast<float>(random() % 100) / 50);
    }
    const auto wanted = cpu.search(requests, {.k = 20});
    const auto found = searcher.search(requests, {.k = 20});
    for (std::size_t i = 0; i < requests.size(); ++i) expect_equal(found[i], wanted[i]);
  }
  EXPECT_GT(shared.memory_limit(), 0U);
}

TEST(GpuSearcher, FiltersAndFacetsAreTheCpus) {
  WARPDEX_NEEDS_GPU();
  std::mt19937_64 random = test::generator(12);
  const test::TemporaryFolder folder;
  std::vector<Document> documents = test::word_documents(random, 0, 5'000, 80, 40);
  BuildOptions build = test::plain_build(folder / "index");
  build.schema = parse_schema(
      R"({"fields": {"year": {"type": "int"}, "tag": {"type": "keyword", "multiple": true}}})");
  for (Document& document : documents) {
    document.values = {{FieldValue(std::int64_t(random() % 50))},
                       {FieldValue("a"), FieldValue("b")}};
    if (random() % 2 == 0) document.values[1].pop_back();
  }
  build_index(*documents_from_memory(documents), build);
  const Searcher cpu(folder / "index");
  for (const Device device : {Device::kGpu, Device::kAuto}) {
    const Searcher searcher(folder / "index", {.device = device});
    for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
      for (const bool has_facets : {false, true}) {
        SearchOptions options{.k = 20, .mode = mode, .count = !has_facets};
        options.filter = "year < 20 AND tag = b";
        if (has_facets) {
          options.facets = {{.column = "year", .ranges = {{"", "10"}}}, {.column = "tag"}};
        }
        const Answer wanted = cpu.search("w1 w7", options);
        const Answer found = searcher.search("w1 w7", options);
        expect_equal(found, wanted);
        EXPECT_EQ(found.matches, wanted.matches);
        EXPECT_EQ(found.facets, wanted.facets);
        EXPECT_EQ(found.fell_back_to_or, wanted.fell_back_to_or);
      }
    }
  }
}

TEST(GpuSearcher, AnswersAreTheCpusByBlocksOfDocuments) {
  WARPDEX_NEEDS_GPU();
  std::mt19937_64 random = test::generator(13);
  const test::TemporaryFolder folder;
  BuildOptions build = test::plain_build(folder / "index");
  build.impacts.emplace();
  build_index(*documents_from_memory(test::word_documents(random, 0, 3'000, 60, 40)), build);
  const Searcher cpu(folder / "index");
  const Searcher by_blocks(folder / "index", {.device = Device::kGpu, .document_blocks = true});
  std::vector<SearchRequest> requests;
  for (int i = 0; i < 40; ++i) {
    std::string text;
    for (int word = 0; word < 8; ++word) text += " w" + std::to_string(random() % 60);
    requests.push_back({.text = text});
  }
  for (const bool count : {false, true}) {
    const SearchOptions options{.k = 20, .count = count};
    const auto wanted = cpu.search(requests, options);
    const auto found = by_blocks.search(requests, options);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      expect_equal(found[i], wanted[i]);
      EXPECT_TRUE(found[i].is_of_gpu);
    }
  }
}

TEST(GpuSearcher, AnswersArePhrasesToo) {
  WARPDEX_NEEDS_GPU();
  std::mt19937_64 random = test::generator(12);
  const test::TemporaryFolder folder;
  BuildOptions build = test::plain_build(folder / "index");
  build.positions = true;
  build_index(*documents_from_memory(test::word_documents(random, 0, 3000, 12, 40)), build);
  const Searcher cpu(folder / "index");
  for (const Device device : {Device::kGpu, Device::kAuto}) {
    const Searcher searcher(folder / "index", {.device = device});
    std::vector<SearchRequest> requests;
    for (int i = 0; i < 40; ++i) {
      const std::string words = "w" + std::to_string(random() % 9) + " w" + std::to_string(i % 9);
      requests.push_back(
          {.text = i % 4 == 0 ? words : "\"" + words + "\"" + (i % 4 == 1 ? "~2" : "")});
    }
    const SearchOptions options{.k = 20, .syntax = QuerySyntax::kLucene, .explain = true};
    const auto wanted = cpu.search(requests, options);
    const auto found = searcher.search(requests, options);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      expect_equal(found[i], wanted[i]);
      if (i % 4 < 2) continue;
      EXPECT_TRUE(found[i].is_of_gpu) << requests[i].text;
      ASSERT_GT(found[i].size(), 0U);
      EXPECT_EQ(found[i][0].explanation()->searched_by, SearchedBy::kGpuPhrase);
    }
    EXPECT_EQ(searcher.problem(), "");
  }
}

TEST(GpuSearcher, EveryAnswerIsOneCommits) {
  WARPDEX_NEEDS_GPU();
  for (const Device device : {Device::kGpu, Device::kAuto}) {
    const test::TemporaryFolder folder(test::place_in_memory());
    EXPECT_EQ(
        test::search_beside_commits(folder / "index", {.device = device, .threads = 4}, 200, 8),
        "");
  }
}

TEST(GpuSearcher, MemoryOfOldCommitsComesBack) {
  WARPDEX_NEEDS_GPU();
  const test::TemporaryFolder folder(test::place_in_memory());
  const Gpu gpu;
  {
    Writer writer(folder / "index", {.analyzer = "whitespace", .stored = {"commit"}});
    test::write_commit(writer, 1);
    Searcher searcher(folder / "index", {.device = Device::kGpu, .gpus = {gpu}});
    std::size_t most = 0;
    for (std::uint64_t number = 2; number < 40; ++number) {
      test::write_commit(writer, number);
      searcher.refresh();
      EXPECT_EQ(test::fault_of(searcher.search("common", {.k = 100, .fields = {"commit"}})), "");
      if (number == 20) most = gpu.memory_used();
    }
    EXPECT_LE(gpu.memory_used(), 2 * most);
  }
  EXPECT_EQ(gpu.memory_used(), 0U);
}

}  // namespace
}  // namespace warpdex
