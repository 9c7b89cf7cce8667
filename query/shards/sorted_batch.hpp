// One search of a broker that is sorted by columns: all parts are asked for a page, and the pages
// are merged. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "shards/batch_terms.hpp"
#include "shards/known_terms.hpp"
#include "shards/part_calls.hpp"
#include "shards/whole.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::shards {

/// Used once.
class SortedBatch {
 public:
  /// All of these outlive it.
  SortedBatch(const Whole& whole, KnownTerms& known, PartCalls& calls, const BrokerSettings& how)
      : whole_(whole), how_(how), calls_(calls), terms_(whole, known, calls) {}

  /// `settings`: one for each query. Without facets, and of the coverage has_whole_statistics
  /// alone.
  MergedBatch run(std::span<const Query> queries, std::span<const SearchSettings> settings);

 private:
  struct Asked {
    const Query* query = nullptr;
    SearchSettings settings{};  ///< of which the mode is kAnd or kOr
    bool fell_back = false;
    std::vector<SortedPart> parts{};  ///< by part; empty of one that does not answer
  };
  /// Places of queries in queries_.
  using Numbers = std::vector<std::size_t>;

  void begin(std::span<const Query> queries, std::span<const SearchSettings> settings);
  Numbers fall_back(std::span<const SearchSettings> wanted);
  void ask_all(const Numbers& numbers);
  SortedRequest request_of(const Numbers& numbers) const;
  void ask_parts(const Numbers& numbers, SortedRequest& request,
                 const std::vector<std::uint32_t>& parts);
  void check(const SortedAnswer& answer, const SortedRequest& request) const;
  MergedAnswer merged(Asked& asked) const;

  const Whole& whole_;
  const BrokerSettings& how_;
  PartCalls& calls_;
  BatchTerms terms_;
  std::vector<Asked> queries_;
};

}  // namespace warpdex::shards
