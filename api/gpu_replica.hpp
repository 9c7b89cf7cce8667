// What a whole index on GPUs answers beside words: facets, phrases, vectors. Internal.
#pragma once

#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "phrase_text.hpp"
#include "warpdex/gpu.hpp"
#include "warpdex/query/gpu/gpu_facets.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"

namespace warpdex {

/// Any thread.
class GpuReplica {
 public:
  /// `shards` are those of `snapshot`, in the order of their docIDs. Shares what it can with that
  /// of an earlier snapshot on the same GPUs, which may be null.
  GpuReplica(const Snapshot& snapshot, std::span<const GpuSnapshot> shards, std::size_t threads,
             Device device, const GpuReplica* before);

  /// As GpuFacets::start(); none of an index without columns.
  std::optional<GpuFacets::Counting> start_facets(const PlannedQuery& plan,
                                                  const SearchSettings& settings,
                                                  std::span<const FacetRequest> wanted);
  PhraseText& phrases() { return phrases_; }
  /// Of one of vector_sets(), by shard. Uploads them the first time.
  std::span<const GpuVectors> vectors(std::size_t set);
  /// A sentence where the GPUs' memory does not hold the vectors or positions that were searched;
  /// else empty.
  std::string note() const;

 private:
  const std::vector<GpuSnapshot> shards_;
  std::optional<GpuFacets> facets_;  ///< if there are columns
  PhraseText phrases_;
  mutable std::mutex mutex_;                      ///< protects the next
  std::vector<std::vector<GpuVectors>> vectors_;  ///< by set, once one was searched
};

}  // namespace warpdex
