// The searchers of each kind of vectors. The folder of a coding has its own.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/search/searched_vectors.hpp"
#include "warpdex/vector/search/vector_searcher.hpp"

namespace warpdex::vector {

/// As search_on_cpu().
std::unique_ptr<VectorSearcher> make_cpu_searcher(const FlatVectors& vectors, std::size_t threads);
std::unique_ptr<VectorSearcher> make_cpu_searcher(const BinaryVectors& codes, std::size_t threads);
/// Instantiated where the coding's scan of lists is, by lists/list_searcher.hpp.
template <class Coding>
std::unique_ptr<VectorSearcher> make_cpu_searcher(const Lists<Coding>& lists, std::size_t threads);

/// As search_on_gpu().
std::unique_ptr<VectorSearcher> make_gpu_searcher(const FlatVectors& vectors, Resources& resources,
                                                  const GpuSearchSettings& settings);
std::unique_ptr<VectorSearcher> make_gpu_searcher(const BinaryVectors& codes, Resources& resources,
                                                  const GpuSearchSettings& settings);
/// Instantiated likewise, by lists/gpu/gpu_list_searcher.hpp.
template <class Coding>
std::unique_ptr<VectorSearcher> make_gpu_searcher(const Lists<Coding>& lists, Resources& resources,
                                                  const GpuSearchSettings& settings);

}  // namespace warpdex::vector
