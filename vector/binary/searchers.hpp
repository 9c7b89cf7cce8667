// Searchers of binary codes without lists.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// As search_on_cpu().
std::unique_ptr<VectorSearcher> make_cpu_searcher(const BinaryVectors& codes, std::size_t threads);
/// As search_on_gpu().
std::unique_ptr<VectorSearcher> make_gpu_searcher(const BinaryVectors& codes, Resources& resources,
                                                  const GpuSearchSettings& settings);

}  // namespace warpdex::vector
