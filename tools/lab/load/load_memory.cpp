// Multiplies what one query and one arrival take.
#include "load/load_memory.hpp"

#include <algorithm>

#include "load/huge_queries.hpp"
#include "output/text.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"

namespace warpdex::tools {
namespace {

/// Its time, its outcome, that once more by the class of its query, and its latency twice.
constexpr double kBytesPerArrival = sizeof(Micros) + 3 * sizeof(LoadOutcome) + 2 * sizeof(float);

double arrivals_of(const LoadPlan& plan, double rate) {
  if (plan.arrivals == ArrivalKind::kReplay) return static_cast<double>(plan.log_times.size());
  return rate * plan.seconds;
}

[[noreturn]] void refuse(const LoadPlan& plan, double bytes, const std::string& what,
                         const std::string& advice) {
  const std::string size =
      bytes < 1e18 ? bytes_text(static_cast<std::uint64_t>(bytes)) : "far more";
  throw UsageError(what + " would take " + size + " of memory, and --memory allows " +
                   bytes_text(plan.memory) + "; " + advice + ", or allow more by --memory");
}

}  // namespace

void check_arrivals(const LoadPlan& plan, double rate) {
  const double bytes = arrivals_of(plan, rate) * kBytesPerArrival;
  if (bytes <= static_cast<double>(plan.memory)) return;
  refuse(plan, bytes,
         "a load of " + shortest(rate) + " queries a second for " + shortest(plan.seconds) + " s",
         "lower its rate, or make it shorter by --seconds");
}

std::uint64_t checked_plan_memory(const LoadPlan& plan, std::span<const Query> queries,
                                  std::size_t planned, std::size_t huge) {
  double bytes = 0;
  for (const Query& query : queries) {
    bytes += static_cast<double>(sizeof(PlannedSearch) + sizeof(std::size_t) +
                                 query.terms.size() * sizeof(PlannedTerm));
  }
  bytes *=
      static_cast<double>(planned) / static_cast<double>(std::max<std::size_t>(1, queries.size()));
  bytes += static_cast<double>(huge) * static_cast<double>(kHugeTerms * sizeof(PlannedTerm));
  double most = 0;
  for (const double rate : plan.rates) most = std::max(most, arrivals_of(plan, rate));
  bytes += most * kBytesPerArrival;
  if (bytes > static_cast<double>(plan.memory)) {
    refuse(plan, bytes, "a plan of " + counted(planned, "query"),
           "give fewer queries, a shorter --mix, or a lower --huge-every");
  }
  return static_cast<std::uint64_t>(bytes);
}

}  // namespace warpdex::tools
