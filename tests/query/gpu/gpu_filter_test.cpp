// Filtered searches on the GPU: the answers are the CPU's, to the bit, whatever shares the batch.
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/query/filter/filtered_index.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {
namespace {

using test::disagreement;
using test::FilteredIndex;

/// Random queries, some of them filtered, with some filters among several of them.
struct FilteredLog {
  FilteredLog(FilteredIndex& index, const Snapshot& snapshot, std::size_t count,
              std::size_t filter_count) {
    for (std::size_t i = 0; i < filter_count; ++i) {
      const FilterNode filter = index.filter();
      texts.push_back(filter_text(filter));
      filters.push_back(std::make_unique<const DocumentFilter>(evaluate_filter(snapshot, filter)));
    }
    for (std::size_t i = 0; i < count; ++i) {
      queries.push_back(index.query());
      plans.push_back(plan_query(snapshot, queries.back()));
      settings.push_back(index.settings());
      numbers.push_back(index.random()() % (filter_count + 1));
      if (numbers[i] < filter_count) settings[i].documents = filters[numbers[i]].get();
    }
  }

  std::string describe(std::size_t i) const {
    return reference::describe(queries[i]) + " " + reference::describe(settings[i]) + " " +
           (numbers[i] < texts.size() ? texts[numbers[i]] : "without a filter");
  }

  std::vector<std::string> texts;
  std::vector<std::unique_ptr<const DocumentFilter>> filters;
  std::vector<Query> queries;
  std::vector<PlannedQuery> plans;
  std::vector<SearchSettings> settings;
  std::vector<std::size_t> numbers;  ///< of the filter; the number of filters: none
};

void expect_as_cpu(const FilteredLog& log, const Snapshot& snapshot, std::size_t first,
                   const BatchAnswers& answers) {
  CpuSearcher cpu(snapshot);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const SearchSettings& settings = log.settings[first + i];
    const PlannedQuery& plan = log.plans[first + i];
    ASSERT_TRUE(answers[i].is_answered) << log.describe(first + i);
    ASSERT_EQ(disagreement(cpu.run(plan, settings), answers.result(i), settings), "")
        << log.describe(first + i);
  }
}

/// One batch in each way, then a few queries one by one.
void expect_filtered(FilteredIndex& index, std::size_t queries, std::size_t filters,
                     std::span<const test::Way> ways) {
  const Snapshot snapshot = Snapshot::open(index.index());
  Resources resources;
  const GpuSnapshot gpu(snapshot, resources);
  for (const test::Way& way : ways) {
    GpuEngine engine(gpu, {.ablation = way.ablation});
    const FilteredLog log(index, snapshot, queries, filters);
    expect_as_cpu(log, snapshot, 0, engine.run(log.plans, log.settings));
    for (std::size_t i = 0; i < std::min<std::size_t>(queries, 6); ++i) {
      expect_as_cpu(
          log, snapshot, i,
          engine.run(std::span(log.plans).subspan(i, 1), std::span(log.settings).subspan(i, 1)));
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << way.name;
  }
}

TEST(GpuFilters, Tiny) {
  WARPDEX_NEEDS_GPU();
  std::uint64_t stream = 400;
  for (const std::size_t documents : {1U, 64U, 129U, 700U}) {
    FilteredIndex plain(++stream, CodecKind::kBitpack, documents, false);
    expect_filtered(plain, 40, 3, std::span(test::kWays).first(1));
    if (documents < 8) continue;
    FilteredIndex changed(++stream, CodecKind::kPfor, documents, true);
    expect_filtered(changed, 40, 3, std::span(test::kWays).first(1));
  }
}

TEST(GpuFilters, InEveryWay) {
  WARPDEX_NEEDS_GPU();
  std::uint64_t stream = 420;
  for (const CodecKind codec :
       {CodecKind::kBitpack, CodecKind::kPfor, CodecKind::kRice, CodecKind::kPforBlock}) {
    FilteredIndex plain(++stream, codec, 20'000, false);
    expect_filtered(plain, 150, 4, test::kWays);
    FilteredIndex changed(++stream, codec, 20'000, true);
    expect_filtered(changed, 150, 4, std::span(test::kWays).first(2));
  }
}

// Large batches start from guessed thresholds. The second filter lets the longer half through,
// whose scores are low, so guesses are wrong there.
TEST(GpuFilters, LargeBatchesGuess) {
  WARPDEX_NEEDS_GPU();
  FilteredIndex index(445, CodecKind::kBitpack, 20'000, false);
  const Snapshot snapshot = Snapshot::open(index.index());
  const auto lengths = snapshot.segments()[0].index->lengths();
  Resources resources;
  const GpuSnapshot gpu(snapshot, resources);
  GpuEngine engine(gpu);
  for (const bool by_length : {false, true}) {
    vector::RowFilter half(snapshot.docid_end());
    for (std::size_t i = 0; i < half.rows(); ++i) {
      if (by_length ? lengths[i] > 15 : i % 2 == 0) half.add(i);
    }
    const DocumentFilter filter = filter_of(snapshot, half);
    FilteredLog log(index, snapshot, 500, 0);
    for (std::size_t i = 0; i < log.settings.size(); ++i) {
      log.settings[i] = {};
      log.settings[i].k = static_cast<std::uint32_t>(1 + i % 20);
      log.settings[i].documents = &filter;
    }
    expect_as_cpu(log, snapshot, 0, engine.run(log.plans, log.settings));
  }
}

// More filters than sets are kept, in batches that are under way together.
TEST(GpuFilters, ManyFilters) {
  WARPDEX_NEEDS_GPU();
  FilteredIndex index(440, CodecKind::kBitpack, 3'000, true);
  const Snapshot snapshot = Snapshot::open(index.index());
  Resources resources;
  const GpuSnapshot gpu(snapshot, resources);
  constexpr std::size_t kUnderWay = 3;
  constexpr std::size_t kOfBatch = 60;
  GpuEngine engine(gpu, {.max_batches = kUnderWay});
  const FilteredLog log(index, snapshot, kUnderWay * kOfBatch, 70);
  for (int round = 0; round < 2; ++round) {
    std::vector<Ticket> tickets;
    for (std::size_t i = 0; i < kUnderWay; ++i) {
      tickets.push_back(engine.submit(std::span(log.plans).subspan(i * kOfBatch, kOfBatch),
                                      std::span(log.settings).subspan(i * kOfBatch, kOfBatch)));
    }
    for (std::size_t i = 0; i < kUnderWay; ++i) {
      expect_as_cpu(log, snapshot, i * kOfBatch, engine.wait(tickets[i]));
    }
  }
}

// Segments that are not joined, with so little memory that lists lie on the host.
TEST(GpuFilters, SegmentsOneByOne) {
  WARPDEX_NEEDS_GPU();
  FilteredIndex index(441, CodecKind::kBitpack, 20'000, true);
  const Snapshot snapshot = Snapshot::open(index.index());
  std::size_t needed = 0;
  {
    Resources resources;
    needed = GpuSnapshot(snapshot, resources).memory();
  }
  Resources resources({.memory = needed + (std::size_t{64} << 20)});
  const GpuSnapshot gpu(snapshot, resources);
  GpuEngine engine(gpu);
  const FilteredLog log(index, snapshot, 100, 3);
  expect_as_cpu(log, snapshot, 0, engine.run(log.plans, log.settings));
}

}  // namespace
}  // namespace warpdex
