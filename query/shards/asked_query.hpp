// A query on its way: what its parts answered so far, and what each is to be asked next. Internal.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "shards/query_scores.hpp"
#include "shards/whole.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/query/shards/merge.hpp"
#include "warpdex/query/shards/shard_broker.hpp"

namespace warpdex::shards {

/// Throws UsageError for more terms of a prefix, pattern or range, counted part by part, than one
/// index takes: that would take the first ones alone, and which these are, parts do not know.
void check_terms(std::uint64_t terms);

class AskedQuery {
 public:
  /// All of these outlive it. `scores` are the query's, `other_scores` those of Query::or_else.
  /// `has_filter`: some documents do not match, whatever they score.
  AskedQuery(const Whole& whole, const Query& query, const SearchSettings& wanted,
             QueryScores scores, std::optional<QueryScores> other_scores, bool has_filter);

  const Query& query() const { return *query_; }
  /// Whether the part is to be asked in the next round.
  bool asks(std::uint32_t part) const { return next_[part] > 0; }
  /// How it is asked then.
  SearchSettings settings(std::uint32_t part) const;
  /// Whether the part answered before.
  bool has_asked(std::uint32_t part) const { return asked_[part] > 0; }

  /// Takes a part's answer. FormatError where it is none to the question.
  void take(std::uint32_t part, PartAnswer answer);
  /// The part does not answer any more.
  void miss(std::uint32_t part) { is_missing_[part] = true; }
  /// After a round: decides what is to be asked in the next.
  void go_on();

  /// Once nothing is to be asked. `has_whole_statistics`: of Coverage.
  MergedAnswer finish(bool has_whole_statistics);

 private:
  void begin(QueryMode mode);
  bool decides_for_and();
  void find_gaps();
  bool is_answered(std::uint32_t part) const { return asked_[part] > 0; }
  std::vector<std::string> names();

  const Whole* whole_;
  const Query* query_;
  const SearchSettings* wanted_;
  QueryScores scores_;
  std::optional<QueryScores> other_scores_;
  bool has_filter_;
  QueryMode mode_ = QueryMode::kOr;  ///< that parts are asked for: kAnd or kOr
  bool fell_back_ = false;
  bool is_decided_ = true;  ///< and-or: which of the two answers
  bool is_sure_ = true;     ///< that parts which do not answer could not have changed that
  bool counts_ = false;     ///< matches, since what is known of them does not suffice
  float threshold_ = 0;
  std::vector<PartAnswer> answers_;   ///< by part, in this mode
  std::vector<std::uint32_t> asked_;  ///< by part: k of its answer; 0: there is none
  std::vector<std::uint32_t> next_;   ///< by part: k to ask for; 0: nothing
  std::vector<bool> is_missing_;      ///< by part
  std::vector<GlobalHit> merged_;
};

}  // namespace warpdex::shards
