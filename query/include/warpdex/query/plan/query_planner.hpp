// Plans many queries of one snapshot.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/plan/whole_statistics.hpp"

namespace warpdex {

/// Remembers where terms are, since the queries of a log repeat many: up to 16,384 entries, which
/// take some 3 MB. For one thread at a time.
class QueryPlanner {
 public:
  explicit QueryPlanner(const Snapshot& snapshot);
  /// Of a part of a whole, whose statistics outlive the planner.
  QueryPlanner(const Snapshot& snapshot, const WholeStatistics& whole);

  /// As plan_query().
  PlannedQuery plan(const Query& query);

  /// What the snapshot is a part of; null: it is all.
  const WholeStatistics* whole() const { return whole_; }
  /// The statistics that scorers use: by text field, or of the one text.
  std::vector<CollectionStatistics> text_statistics() const;

 private:
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>()(text);
    }
  };
  using Entries =
      std::unordered_map<std::string, std::optional<PostingsEntry>, TextHash, std::equal_to<>>;

  std::optional<PostingsEntry> find(std::size_t segment, const Index& index, std::string_view term);

  const Snapshot snapshot_;
  const WholeStatistics* whole_ = nullptr;
  std::vector<Entries> known_;  ///< by segment; none for a term that the segment lacks
  std::size_t size_ = 0;        ///< of all segments
};

}  // namespace warpdex
