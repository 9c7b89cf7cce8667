// select_k() for keys of type Half.
#include "warpdex/core/select/select_rows.cuh"

namespace warpdex {

WARPDEX_INSTANTIATE_SELECT_FOR(Half)

}  // namespace warpdex
