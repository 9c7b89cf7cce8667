// What searchers see of a snapshot's vectors on a GPU. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/index/gpu_snapshot_state.hpp"
#include "warpdex/query/gpu/gpu_vectors.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex {

struct GpuVectors::State {
  /// `before` is of an earlier snapshot, or null.
  State(const GpuSnapshot& uploaded, std::size_t of_set, const State* before);

  /// A segment's vectors, and the index that they were uploaded from.
  struct Uploaded {
    Uploaded(std::shared_ptr<const Index> from, std::size_t set, Resources& resources);

    std::shared_ptr<const Index> index;
    vector::GpuSegmentVectors vectors;
    /// By lists or codes; null where the segment has none, or memory does not suffice.
    std::unique_ptr<vector::VectorSearcher> by_lists;
    std::size_t list_memory = 0;
    bool is_resident = false;
  };
  /// A segment that is searched by lists or codes.
  struct Listed {
    std::shared_ptr<const Uploaded> uploaded;
    std::uint32_t first_document;
    std::optional<vector::RowFilter> live;  ///< if some were removed
  };

  static std::shared_ptr<const Uploaded> find(const Index& index, const State* before);
  bool make_searchers(std::vector<vector::GpuSegment> searched);

  GpuSnapshot snapshot;
  std::size_t set;               ///< which of vector_sets()
  vector::RowSettings settings;  ///< of these
  /// Of those segments of the snapshot that have documents.
  std::vector<std::size_t> numbers;
  std::vector<std::shared_ptr<const Uploaded>> segments;  ///< none where they are not resident
  /// None where vectors are not resident, or there are none.
  std::optional<vector::GpuSegmentSearcher> searcher;
  std::vector<Listed> listed;
  /// Of the other segments, where some are listed.
  std::optional<vector::GpuSegmentSearcher> unlisted;
  bool is_resident = true;
  std::size_t memory = 0;
  std::size_t new_memory = 0;
};

}  // namespace warpdex
