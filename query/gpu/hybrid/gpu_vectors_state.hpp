// What searchers see of a snapshot's vectors on a GPU. Internal.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

namespace warpdex {

struct GpuVectors::State {
  /// `before` is of an earlier snapshot, or null.
  State(const GpuSnapshot& uploaded, const State* before);

  /// A segment's vectors, and the index that they were uploaded from.
  struct Uploaded {
    Uploaded(std::shared_ptr<const Index> from, Resources& resources)
        : index(std::move(from)), vectors(index->vectors(), resources) {}

    std::shared_ptr<const Index> index;
    vector::GpuSegmentVectors vectors;
  };

  static std::shared_ptr<const Uploaded> find(const Index& index, const State* before);
  bool make_searcher(std::vector<vector::GpuSegment> searched);

  GpuSnapshot snapshot;
  /// Of those segments of the snapshot that have documents.
  std::vector<std::size_t> numbers;
  std::vector<std::shared_ptr<const Uploaded>> segments;  ///< none where they are not resident
  /// None where vectors are not resident, or there are none.
  std::optional<vector::GpuSegmentSearcher> searcher;
  bool is_resident = true;
  std::size_t memory = 0;
  std::size_t new_memory = 0;
};

}  // namespace warpdex
