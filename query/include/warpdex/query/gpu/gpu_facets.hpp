// Facets on the GPU: counts of columns over all documents that match.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/query/gpu/gpu_snapshot.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/query/shown_field.hpp"

namespace warpdex {

/// Any thread; counts for one query at a time are under way, others wait. Shares the snapshot.
/// Columns are uploaded when they are first counted.
class GpuFacets {
 public:
  explicit GpuFacets(const GpuSnapshot& snapshot);
  /// Over the shards of `snapshot`, in the order of their docIDs. Counts of several shards are none
  /// with and-or.
  GpuFacets(const Snapshot& snapshot, std::span<const GpuSnapshot> shards);
  ~GpuFacets();
  GpuFacets(GpuFacets&&) noexcept;
  GpuFacets& operator=(GpuFacets&&) noexcept;

  struct Found {
    std::uint64_t matches = 0;
    std::vector<Facet> facets;  ///< in the order of the requests
  };
  /// Counts that are under way. Ends on the thread that started it, before the GpuFacets.
  class Counting {
   public:
    Counting(Counting&&) noexcept;
    Counting& operator=(Counting&&) = delete;
    /// Waits for the GPU.
    ~Counting();
    /// Waits for the counts. Once. Throws CudaError.
    Found finish();

   private:
    friend class GpuFacets;
    struct State;
    explicit Counting(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };

  /// Starts to count over all documents that match a plan of the snapshot; of the settings, mode,
  /// and_or_min, k and documents count. Returns while the GPU counts: a search may go on beside it.
  /// None where the GPU cannot: lists or columns are not in its memory, a column has too many
  /// different values, documents have several values of a column with ranges, or
  /// excludes_words(plan). The arguments must outlive the counting. Throws as count_facet() does,
  /// and CudaError. O(postings of the terms + matches + distinct values).
  std::optional<Counting> start(const PlannedQuery& plan, const SearchSettings& settings,
                                std::span<const FacetRequest> wanted);
  /// start() and finish().
  std::optional<Found> count(const PlannedQuery& plan, const SearchSettings& settings,
                             std::span<const FacetRequest> wanted);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
