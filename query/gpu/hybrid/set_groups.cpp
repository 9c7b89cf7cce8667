// Compares what reading each set costs with a product of all queries and all rows.
#include "gpu/hybrid/set_groups.hpp"

#include <algorithm>

#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

namespace warpdex::gpu {
namespace {

/// If a query's rows have so many bytes, reading them takes longer than the query's part of a
/// product of all queries and all rows.
constexpr double kManyBytes = 4e6;
/// The product as such takes as long as reading so many bytes, and all rows twice.
constexpr double kProductBytes = 5e8;
/// If near rows matched as often as others, the nearest k / share of all rows would do. More are
/// taken: kWideMargin times as many, and kWideExtra besides.
constexpr double kWideMargin = 1.4;
constexpr double kWideExtra = 24;
/// A search finds GpuSegmentSearcher::kMaxWide rows at most. That is enough if it is kMinMargin
/// times k / share or more. For k 1,000 where half of the documents match, a fifth of the queries
/// then find too few, and have their rows read.
constexpr double kMinMargin = 1.02;

/// How many of the nearest of all rows are to be found for k of those that match; 0: too many.
double wide_of(double k, double share) {
  constexpr double kMost = vector::GpuSegmentSearcher::kMaxWide;
  if (kMinMargin * k > kMost * share) return 0;
  return std::min(kWideMargin * k / share + kWideExtra, kMost);
}

}  // namespace

SetGroups group_sets(std::span<const double> shares, std::uint32_t k, double documents,
                     double row_bytes) {
  SetGroups groups;
  double saved = 0;
  double widest = 0;
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    const double wide = wide_of(k, shares[i]);
    const double bytes = shares[i] * documents * row_bytes;
    if (bytes >= kManyBytes && wide > 0) {
      groups.many.push_back(i);
      saved += bytes;
      widest = std::max(widest, wide);
    } else {
      groups.few.push_back(i);
    }
  }
  groups.wide_k = static_cast<std::size_t>(widest);
  if (saved >= kProductBytes + 2 * documents * row_bytes) return groups;
  groups.few.insert(groups.few.end(), groups.many.begin(), groups.many.end());
  groups.many.clear();
  return groups;
}

}  // namespace warpdex::gpu
