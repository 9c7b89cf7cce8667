// One search of a broker: rounds of messages, until every query has its answer. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shards/asked_query.hpp"
#include "shards/batch_terms.hpp"
#include "shards/known_terms.hpp"
#include "shards/part_calls.hpp"
#include "shards/whole.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::shards {

/// Used once.
class BatchSearch {
 public:
  /// All of these outlive it. `settings`: one for each query.
  BatchSearch(const Whole& whole, KnownTerms& known, PartCalls& calls, const BrokerSettings& how)
      : whole_(whole), how_(how), calls_(calls), terms_(whole, known, calls) {}

  /// Without facets, and of the coverage has_whole_statistics alone.
  MergedBatch run(std::span<const Query> queries, std::span<const SearchSettings> settings);

 private:
  /// The questions of one message.
  struct Asked {
    std::uint32_t part = 0;
    std::vector<std::size_t> queries{};
  };

  std::vector<Asked> next_questions() const;
  bool ask_round();
  std::string request_of(const Asked& asked, const WholeStatistics& statistics) const;
  void take(const Asked& asked, const PartReply& reply);
  void miss(std::uint32_t part, const std::string& reason);
  void tell_missing(std::uint32_t part);

  const Whole& whole_;
  const BrokerSettings& how_;
  PartCalls& calls_;
  BatchTerms terms_;
  std::vector<AskedQuery> queries_;
  MergedBatch batch_;
};

}  // namespace warpdex::shards
