// What tests of the GPU engine with less memory than the index share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "generate/generator.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::test {

/// A generated index with its planned queries. Its lists are a few megabytes.
struct GeneratedFixture {
  GeneratedFixture(std::uint32_t documents, std::uint32_t count, const CodecSettings& codec,
                   bool impacts, std::uint64_t seed);

  /// Uses of lists that have blocks, over all queries.
  std::uint64_t long_list_uses() const;

  TemporaryFolder folder;
  std::vector<generate::GeneratedQuery> texts;
  std::optional<Index> index;
  std::vector<PlannedQuery> plans;
};

/// Matches are compared if `counted`. A failure is fatal to the caller only if it asks.
void expect_equal(const std::vector<SearchResult>& right, const std::vector<SearchResult>& given,
                  bool counted, const std::string& what);

/// Budgets for an index, each found to 4 KiB. O(index), many times.
struct Budgets {
  explicit Budgets(const Index& index);
  /// The one that far from the smallest to that of all lists.
  std::size_t at(std::size_t percent) const { return min + (resident - min) * percent / 100; }

  std::size_t min;       ///< the smallest that is not refused
  std::size_t resident;  ///< the smallest that all lists fit into
};

/// What an engine answers that has all lists in GPU memory and stages none.
std::vector<SearchResult> resident_answers(const GeneratedFixture& fixture,
                                           const SearchSettings& settings = {});

}  // namespace warpdex::test
