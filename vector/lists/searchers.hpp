// Searchers of lists.
#pragma once

#include <cstddef>
#include <memory>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/lists/lists.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// As search_on_cpu(). Instantiated where the coding's scan of lists is, by
/// lists/list_searcher.hpp.
template <class Coding>
std::unique_ptr<VectorSearcher> make_cpu_searcher(const Lists<Coding>& lists, std::size_t threads);
/// As search_on_gpu(). Instantiated likewise, by lists/gpu/gpu_list_searcher.hpp.
template <class Coding>
std::unique_ptr<VectorSearcher> make_gpu_searcher(const Lists<Coding>& lists, Resources& resources,
                                                  const GpuSearchSettings& settings);

}  // namespace warpdex::vector
