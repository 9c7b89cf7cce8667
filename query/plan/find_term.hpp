// How a plan looks its terms up. Internal.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/plan/whole_statistics.hpp"

namespace warpdex {

/// Index::find() of the index, which is a snapshot's segment of that number, or another way to the
/// same entry.
using FindTerm = std::function<std::optional<PostingsEntry>(std::size_t segment, const Index& index,
                                                            std::string_view term)>;

/// As plan_query(). `whole`: what the index or snapshot is a part of; null: it is all.
PlannedQuery plan_query(const Index& index, const Query& query, const FindTerm& find,
                        const WholeStatistics* whole);
PlannedQuery plan_query(const Snapshot& snapshot, const Query& query, const FindTerm& find,
                        const WholeStatistics* whole);

}  // namespace warpdex
