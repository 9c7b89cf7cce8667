// select_k() for keys of type float.
#include "warpdex/core/select/select_rows.cuh"

namespace warpdex {

WARPDEX_INSTANTIATE_SELECT_FOR(float)

}  // namespace warpdex
