// Each kind of vectors on a GPU.
#include "binary/searchers.hpp"
#include "flat/searchers.hpp"
#include "lists/searchers.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {

std::unique_ptr<VectorSearcher> search_on_gpu(const SearchedVectors& vectors, Resources& resources,
                                              const GpuSearchSettings& settings) {
  return std::visit([&](const auto& own) { return make_gpu_searcher(own, resources, settings); },
                    vectors);
}

}  // namespace warpdex::vector
