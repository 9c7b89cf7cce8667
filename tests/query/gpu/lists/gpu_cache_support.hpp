// What tests of the GPU engine with less memory than the index share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/generate/generator.hpp"
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

/// The least budget that is not refused, to 4 KiB.
std::size_t min_budget(const Index& index);
/// The least that all lists fit into, to 4 KiB.
std::size_t resident_budget(const Index& index, std::size_t least);

}  // namespace warpdex::test
