// Searches of a stored index with any number of segments.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// A search of all segments, one after the other. Answers name rows of the index; filters are of
/// index.rows() rows. Removed vectors are never answers. Of a k above what there is, the last
/// places are missing. The index must outlive it. `threads` of 0: default_threads(). With `metric`
/// the stored vectors are compared by that metric in the place of the index's.
///
/// within() of codes checks what it finds by the vectors, where they were kept: no answer lies
/// outside. Of binary codes with corrections none is missing. Of other codes one is missing only if
/// its distance by codes is off by more than those that were looked at: the nearest, `refine` of
/// them or 100, and what may lie within.
std::unique_ptr<VectorSearcher> search_index_on_cpu(const VectorIndex& index,
                                                    std::size_t threads = 0,
                                                    std::optional<Metric> metric = std::nullopt);

/// Likewise on GPUs, as search_on_gpus(). Each segment has its own copy of the centroids there.
std::unique_ptr<VectorSearcher> search_index_on_gpus(const VectorIndex& index,
                                                     std::span<Resources* const> gpus,
                                                     std::size_t shards,
                                                     const GpuSearchSettings& settings = {},
                                                     std::optional<Metric> metric = std::nullopt);

}  // namespace warpdex::vector
