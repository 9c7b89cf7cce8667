// Makes the searcher for a kind of vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/codings/searched_vectors.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// A search on the CPU. What `vectors` refers to must outlive it. `threads` of 0:
/// default_threads().
///
/// Memory of codes in lists: up to 2 * max(k, refine) keys a query, and for each thread what a
/// query's codes are compared with; of binary codes without lists likewise, or all candidates.
std::unique_ptr<VectorSearcher> search_on_cpu(const SearchedVectors& vectors,
                                              std::size_t threads = 0);

/// Likewise on the GPU of `resources`, which must outlive it: gives the answers of the CPU, to the
/// bit. *Billion-scale similarity search with GPUs*, section 5.
///
/// A few queries are compared with all vectors or codes of their lists. Many are grouped by the
/// lists that they probe, and multiplied with them on the tensor cores, or compared by tables; what
/// may be among the k nearest is computed again in the order of the CPU. Ranges go query by query.
/// Vectors without lists and codes may be paged through the GPU; others must fit.
///
/// Throws UsageError for a dimension or a number of rows past the limits of vector_view.hpp;
/// CudaError where there is no GPU; Error, which says how much is needed, where there is too little
/// memory. Where memory does not suffice even to page, searches throw that.
std::unique_ptr<VectorSearcher> search_on_gpu(const SearchedVectors& vectors, Resources& resources,
                                              const GpuSearchSettings& settings = {});

/// A search on several GPUs, which gives the answers of one, to the bit. The rows are cut into
/// `shards` slices of about the same size. Each GPU holds one of them, and `shards` GPUs that
/// follow each other in `gpus` hold all: a *replica*. A shard finds the nearest of its rows, and
/// the host merges what the shards found. A batch of queries is shared out to the replicas.
/// Centroids and codebooks are on every GPU.
///
/// `gpus` may have one Resources several times. Each must outlive the searcher, as must what
/// `vectors` refers to. Of lists that are cut, each shard keeps a copy of its vectors in the host's
/// memory, which replicas share. Errors of a GPU name it, its shard and its replica. Throws
/// UsageError unless `gpus` are one or more times `shards`, else as search_on_gpu() does.
std::unique_ptr<VectorSearcher> search_on_gpus(const SearchedVectors& vectors,
                                               std::span<Resources* const> gpus, std::size_t shards,
                                               const GpuSearchSettings& settings = {});

}  // namespace warpdex::vector
