// select_k() in builds without CUDA: there is no GPU memory that it could be given.
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/select/instantiate.hpp"

namespace warpdex {

template <typename Key, typename Id>
void select_k(const MatrixView<Key>&, std::size_t, SelectOrder, Key*, Id*, SelectScratch&,
              const Stream&) {
  throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
}

template <typename Key, typename Id>
void select_k(const MatrixView<Key>&, const MatrixView<Id>&, std::size_t, SelectOrder, Key*, Id*,
              SelectScratch&, const Stream&) {
  throw CudaError(why_no_device(), CudaError::kNoCudaInBuild);
}

WARPDEX_INSTANTIATE_SELECT_FOR(float)
WARPDEX_INSTANTIATE_SELECT_FOR(Half)
WARPDEX_INSTANTIATE_SELECT_FOR(std::uint16_t)
WARPDEX_INSTANTIATE_SELECT_FOR(std::uint32_t)

}  // namespace warpdex
