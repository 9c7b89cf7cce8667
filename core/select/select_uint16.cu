// select_k() for keys of type std::uint16_t.
#include "warpdex/core/select/select_rows.cuh"

namespace warpdex {

WARPDEX_INSTANTIATE_SELECT_FOR(std::uint16_t)

}  // namespace warpdex
