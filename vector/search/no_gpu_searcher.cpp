// Search on a GPU in a build without CUDA: it throws what device_info() throws.
#include "warpdex/core/cuda/no_cuda.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex::vector {

std::unique_ptr<VectorSearcher> search_on_gpu(const SearchedVectors& /*vectors*/,
                                              Resources& /*resources*/,
                                              const GpuSearchSettings& /*settings*/) {
  refuse_without_cuda();
}

}  // namespace warpdex::vector
