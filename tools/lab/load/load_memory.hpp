// What the plan and the figures of a load take in memory, before they are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "load/load_measure.hpp"
#include "warpdex/query/query.hpp"

namespace warpdex::tools {

/// Throws UsageError where a load of this rate, of as many seconds as the plan says, would take
/// more than the plan's memory. A replay has as many arrivals as its log.
void check_arrivals(const LoadPlan& plan, double rate);

/// The bytes that the plan takes, with the largest of its loads, once it holds `planned` queries
/// made of these, `huge` of them huge. Throws UsageError where that is more than the plan's memory.
std::uint64_t checked_plan_memory(const LoadPlan& plan, std::span<const Query> queries,
                                  std::size_t planned, std::size_t huge);

}  // namespace warpdex::tools
