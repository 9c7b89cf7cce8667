// select_k() for keys of type std::uint32_t.
#include "warpdex/core/select/select_rows.cuh"

namespace warpdex {

WARPDEX_INSTANTIATE_SELECT_FOR(std::uint32_t)

}  // namespace warpdex
