#include "warpdex/query/cpu/heaviest_first.hpp"

#include <algorithm>
#include <numeric>

namespace warpdex {
namespace {

std::uint64_t posting_count(const PlannedQuery& plan) {
  std::uint64_t postings = 0;
  for (const PlannedTerm& term : plan.terms) postings += term.entry.document_frequency;
  return postings;
}

}  // namespace

std::vector<std::uint32_t> heaviest_first(std::span<const PlannedQuery> plans) {
  std::vector<std::uint64_t> postings(plans.size());
  std::transform(plans.begin(), plans.end(), postings.begin(), posting_count);
  std::vector<std::uint32_t> order(plans.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return postings[a] > postings[b]; });
  return order;
}

}  // namespace warpdex
