// What the parts count of the terms of a batch. Internal.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "shards/known_terms.hpp"
#include "shards/part_calls.hpp"
#include "shards/whole.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::shards {

class BatchTerms {
 public:
  /// All of these outlive it.
  BatchTerms(const Whole& whole, KnownTerms& known, PartCalls& calls)
      : whole_(whole), known_(known), calls_(calls) {}

  /// Asks the parts for the terms that nobody asked for before.
  void learn(std::span<const Query> queries);
  /// Of queries whose terms were learnt.
  WholeStatistics statistics_of(std::span<const Query> queries) const;
  const TermTable& table() const { return terms_; }
  /// False: a part that does not answer did not count its terms.
  bool are_whole() const { return are_whole_; }

 private:
  void ask(const std::vector<std::string>& terms);

  const Whole& whole_;
  KnownTerms& known_;
  PartCalls& calls_;
  TermTable terms_;
  bool are_whole_ = true;
};

}  // namespace warpdex::shards
