// One search of a broker: rounds of messages, until every query has its answer. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shards/asked_query.hpp"
#include "shards/known_terms.hpp"
#include "shards/part_calls.hpp"
#include "shards/whole.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::shards {

/// Used once.
class BatchSearch {
 public:
  /// All of these outlive it. `settings`: one for each query.
  BatchSearch(const Whole& whole, KnownTerms& known, const AskParts& ask, const BrokerSettings& how)
      : whole_(whole), known_(known), how_(how), calls_(whole.parts().size(), ask, how) {}

  MergedBatch run(std::span<const Query> queries, std::span<const SearchSettings> settings);

 private:
  /// The questions of one message.
  struct Asked {
    std::uint32_t part = 0;
    std::vector<std::size_t> queries{};
  };

  void learn_terms(std::span<const Query> queries);
  void ask_for_terms(const std::vector<std::string>& terms);
  WholeStatistics statistics_of(std::span<const Query> queries) const;
  std::vector<Asked> next_questions() const;
  bool ask_round();
  std::string request_of(const Asked& asked, const WholeStatistics& statistics) const;
  void take(const Asked& asked, const PartReply& reply);
  void miss(std::uint32_t part, const std::string& reason);
  void tell_missing(std::uint32_t part);

  const Whole& whole_;
  KnownTerms& known_;
  const BrokerSettings& how_;
  PartCalls calls_;
  bool has_whole_statistics_ = true;
  TermTable terms_;  ///< of the queries
  std::vector<AskedQuery> queries_;
  MergedBatch batch_;
};

}  // namespace warpdex::shards
