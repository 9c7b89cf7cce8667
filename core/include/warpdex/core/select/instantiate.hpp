// The types that select_k() is compiled for.
#pragma once

#include "warpdex/core/select/select_k.hpp"

/// select_k() with and without ids of the caller. Within namespace warpdex.
#define WARPDEX_INSTANTIATE_SELECT(Key, Id)                                                    \
  template void select_k<Key, Id>(const MatrixView<Key>&, std::size_t, SelectOrder, Key*, Id*, \
                                  SelectScratch&, const Stream&);                              \
  template void select_k<Key, Id>(const MatrixView<Key>&, const MatrixView<Id>&, std::size_t,  \
                                  SelectOrder, Key*, Id*, SelectScratch&, const Stream&);

/// For both types of ids.
#define WARPDEX_INSTANTIATE_SELECT_FOR(Key)      \
  WARPDEX_INSTANTIATE_SELECT(Key, std::uint32_t) \
  WARPDEX_INSTANTIATE_SELECT(Key, std::uint64_t)
