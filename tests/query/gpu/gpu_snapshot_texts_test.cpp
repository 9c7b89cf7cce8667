// Small changed indexes of known texts on the GPU: where a threshold of one segment is above all
// that another has, and where statistics count removed documents.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex {
namespace {

/// Documents of some words each, and their ids from `first` on.
std::vector<Document> documents_of(const std::vector<std::string>& texts, std::size_t first) {
  std::vector<Document> documents;
  for (const std::string& text : texts) {
    documents.push_back({"d" + std::to_string(first + documents.size()), text});
  }
  return documents;
}

BuildOptions options_of(const std::filesystem::path& output) {
  BuildOptions options;
  options.output = output;
  options.analyzer = "whitespace";
  options.threads = 1;
  return options;
}

void add(const std::filesystem::path& index, std::vector<Document> documents) {
  LivingIndex writer(index);
  AddOptions options;
  options.build.threads = 1;
  writer.add(*documents_from_memory(std::move(documents)), options);
  writer.commit();
}

/// Queries of "rare" and "common" as both engines answer them.
void expect_same_answers(const std::filesystem::path& index) {
  const Snapshot snapshot = Snapshot::open(index);
  Resources resources;
  GpuEngine engine(GpuSnapshot(snapshot, resources));
  CpuSearcher cpu(snapshot);
  for (const std::vector<QueryTerm>& terms : {std::vector<QueryTerm>{{"rare"}},
                                              {{"common"}},
                                              {{"rare"}, {"common"}},
                                              {{"last"}},
                                              {{"last"}, {"common"}},
                                              {{"common"}, {"rare", Occur::kMustNot}}}) {
    const PlannedQuery plan = plan_query(snapshot, Query{"", terms});
    for (const QueryMode mode : {QueryMode::kOr, QueryMode::kAnd, QueryMode::kAndOr}) {
      for (const std::uint32_t k : {1U, 10U, 100U}) {
        for (const bool count : {false, true}) {
          SearchSettings settings;
          settings.mode = mode;
          settings.k = k;
          settings.count = count;
          EXPECT_EQ(test::disagreement(cpu.run(plan, settings),
                                       engine.run({&plan, 1}, settings).result(0), settings),
                    "")
              << reference::describe(Query{"", terms}) << reference::describe(settings);
        }
      }
    }
  }
}

/// Of `count` texts, the first `rare` have both words, all others only "common"; the lengths vary.
std::vector<std::string> texts_of(std::size_t count, std::size_t rare) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    std::string text = i < rare ? "rare common" : "common";
    for (std::size_t j = 0; j < i % 7; ++j) text += " filler";
    texts.push_back(std::move(text));
  }
  return texts;
}

// In the second segment fewer than k documents have the rare word, so postings are capped there,
// below the threshold that the first segment gives.
TEST(GpuSnapshot, TinyThresholdsAboveACap) {
  WARPDEX_NEEDS_GPU();
  const test::TemporaryFolder folder(test::place_in_memory());
  const auto reader = documents_from_memory(documents_of(texts_of(3'000, 200), 0));
  build_index(*reader, options_of(folder / "index"));
  std::vector<std::string> texts = texts_of(500, 3);
  texts.back() = "last common";  // in no other segment
  add(folder / "index", documents_of(texts, 3'000));
  expect_same_answers(folder / "index");
}

// Without a forward index it is not known how many of a term's documents were removed.
TEST(GpuSnapshot, TinyWithoutForwardIndex) {
  WARPDEX_NEEDS_GPU();
  const test::TemporaryFolder folder(test::place_in_memory());
  BuildOptions options = options_of(folder / "index");
  options.forward = false;
  const auto reader = documents_from_memory(documents_of(texts_of(2'000, 300), 0));
  build_index(*reader, options);
  add(folder / "index", documents_of(texts_of(300, 20), 2'000));
  {
    LivingIndex writer(folder / "index");
    for (int i = 0; i < 2'300; i += 5) EXPECT_TRUE(writer.remove("d" + std::to_string(i)));
    writer.commit();
  }
  expect_same_answers(folder / "index");
}

}  // namespace
}  // namespace warpdex
