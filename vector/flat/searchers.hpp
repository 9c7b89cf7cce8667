// Searchers of all vectors.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// As search_on_cpu().
std::unique_ptr<VectorSearcher> make_cpu_searcher(const FlatVectors& vectors, std::size_t threads);
/// As search_on_gpu().
std::unique_ptr<VectorSearcher> make_gpu_searcher(const FlatVectors& vectors, Resources& resources,
                                                  const GpuSearchSettings& settings);

}  // namespace warpdex::vector
