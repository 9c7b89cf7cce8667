// Search of a permutation index on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/metric/objects.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

struct GpuMetricSettings {
  /// Bytes of GPU memory that objects, permutations and scratch memory may take; 0: all that the
  /// Resources have.
  std::size_t memory = 0;
};

/// Gives the answers of PermutationSearcher, to the bit, for the distances that Warpdex defines.
/// Lopresti and others, section 4: each query is ranked, compared with all permutations, its border
/// found, and its candidates compared by the true distance, all on the GPU, many queries at once.
///
/// Any number of threads may search at once; each search has a stream and scratch memory of its
/// own, of some 16 bytes for each query and object at most, or else takes fewer queries at once.
class GpuPermutationSearcher {
 public:
  /// Copies objects and permutations to the GPU of `resources`. The arguments must outlive it and
  /// be undamaged: check the sections of an index first. Throws UsageError as PermutationSearcher()
  /// does, CudaError where there is no GPU, and Error, which says how much is needed, where there
  /// is too little memory.
  GpuPermutationSearcher(const ObjectsView& objects, std::span<const std::uint32_t> permutants,
                         const Permutations& permutations, Resources& resources,
                         const GpuMetricSettings& settings = {});
  ~GpuPermutationSearcher();
  GpuPermutationSearcher(GpuPermutationSearcher&&) noexcept;
  GpuPermutationSearcher& operator=(GpuPermutationSearcher&&) noexcept;

  /// As PermutationSearcher::nearest(). `settings.threads` is not used. Throws UsageError; what
  /// ObjectSpace::from_text() and from_vector() do; Error where the GPU has too little memory for
  /// one query.
  Matches nearest(const QueryObjects& queries, std::size_t k,
                  const MetricSearchSettings& settings = {}) const;
  /// As PermutationSearcher::within(); likewise.
  Matches within(const QueryObjects& queries, float radius,
                 const MetricSearchSettings& settings = {}) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::metric
