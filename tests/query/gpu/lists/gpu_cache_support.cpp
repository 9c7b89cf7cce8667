// Budgets are found by halving.
#include "tests/query/gpu/lists/gpu_cache_support.hpp"

#include <gtest/gtest.h>

#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/from_text.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::test {
namespace {

bool fits(const Index& index, std::size_t memory) {
  try {
    LoneGpuIndex(index, {.memory = memory});
    return true;
  } catch (const UsageError&) {
    return false;
  }
}

std::size_t min_budget(const Index& index) {
  std::size_t refused = 1;
  std::size_t taken = std::size_t{1} << 27;
  while (taken - refused > 4096) {
    const std::size_t middle = (taken + refused) / 2;
    (fits(index, middle) ? taken : refused) = middle;
  }
  return taken;
}

std::size_t resident_budget(const Index& index, std::size_t min) {
  std::size_t cached = min;
  std::size_t resident = std::size_t{1} << 28;
  while (resident - cached > 4096) {
    const std::size_t middle = (resident + cached) / 2;
    (LoneGpuIndex(index, {.memory = middle}).is_resident() ? resident : cached) = middle;
  }
  return resident;
}

}  // namespace

GeneratedFixture::GeneratedFixture(std::uint32_t documents, std::uint32_t count,
                                   const CodecSettings& codec, bool impacts, std::uint64_t seed) {
  generate::GeneratorSettings settings = generate::gov2_settings();
  settings.documents = documents;
  settings.queries = count;
  settings.seed = seed;
  generate::GeneratorReport report;
  texts = generate::generate_collection(settings, codec, impacts, folder / "index", 2, {}, report);
  index.emplace(Index::open(folder / "index"));
  for (const generate::GeneratedQuery& query : texts) {
    plans.push_back(plan_query(*index, reference::query_from(query.text)));
  }
}

std::uint64_t GeneratedFixture::long_list_uses() const {
  std::uint64_t uses = 0;
  for (const PlannedQuery& plan : plans) {
    for (const PlannedTerm& term : plan.terms) uses += term.entry.is_short() ? 0 : 1;
  }
  return uses;
}

void expect_equal(const std::vector<SearchResult>& right, const std::vector<SearchResult>& given,
                  bool counted, const std::string& what) {
  ASSERT_EQ(right.size(), given.size()) << what;
  for (std::size_t i = 0; i < right.size(); ++i) {
    ASSERT_EQ(right[i].hits, given[i].hits) << what << " query " << i;
    ASSERT_EQ(right[i].fell_back_to_or, given[i].fell_back_to_or) << what << " query " << i;
    if (counted) {
      ASSERT_EQ(right[i].matches, given[i].matches) << what << " query " << i;
    }
  }
}

Budgets::Budgets(const Index& index)
    : min(min_budget(index)), resident(resident_budget(index, min)) {}

std::vector<SearchResult> resident_answers(const GeneratedFixture& fixture,
                                           const SearchSettings& settings) {
  const LoneGpuIndex resident(*fixture.index, {});
  EXPECT_TRUE(resident.is_resident());
  GpuSearcher searcher(resident);
  std::vector<SearchResult> answers = searcher.run(fixture.plans, settings);
  const GpuStatistics statistics = searcher.statistics();
  EXPECT_EQ(statistics.cache_hits + statistics.cache_misses + statistics.bytes_staged, 0U);
  return answers;
}

}  // namespace warpdex::test
