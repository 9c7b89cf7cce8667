// Makes the searcher for the kind of vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/search/row_slice.hpp"
#include "warpdex/vector/search/vector_searcher.hpp"

namespace warpdex::vector {

/// A search on the CPU. What `vectors` refers to must outlive it. `threads` of 0:
/// default_threads(). Searches throw UsageError for probes out of range, and for refining where the
/// vectors were not kept.
std::unique_ptr<VectorSearcher> search_on_cpu(const SearchedVectors& vectors,
                                              const ProbeSettings& settings,
                                              std::size_t threads = 0);

/// Likewise on the GPU of `resources`, which must outlive it. Throws as the constructors of
/// GpuFlatSearcher, GpuIvfSearcher, GpuIvfPqSearcher, GpuBinarySearcher and GpuIvfBinarySearcher
/// do.
std::unique_ptr<VectorSearcher> search_on_gpu(const SearchedVectors& vectors,
                                              const ProbeSettings& settings, Resources& resources);

/// A search on several GPUs, which gives the answers of one, to the bit. The rows are cut into
/// `shards` slices of about the same size. Each GPU holds one of them, and `shards` GPUs that
/// follow each other in `gpus` hold all: a *replica*. A shard finds the nearest of its rows, and
/// the host merges what the shards found. A batch of queries is shared out to the replicas.
/// Centroids and codebooks are on every GPU.
///
/// `gpus` may have one Resources several times. Each must outlive the searcher, as must what
/// `vectors` refers to. Of an inverted file that is cut, each shard keeps a copy of its vectors in
/// the host's memory, which replicas share. Errors of a GPU name it, its shard and its replica.
/// Throws UsageError unless `gpus` are one or more times `shards`, else as search_on_gpu() does.
std::unique_ptr<VectorSearcher> search_on_gpus(const SearchedVectors& vectors,
                                               const ProbeSettings& settings,
                                               std::span<Resources* const> gpus,
                                               std::size_t shards);

}  // namespace warpdex::vector
