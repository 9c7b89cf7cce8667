// The loops of all scorers, by kind. Internal.
#pragma once

#include <array>
#include <cstddef>

#include "cpu/kernels.hpp"
#include "scorers/base/loops.hpp"
#include "scorers/scorers.hpp"

namespace warpdex {

/// Those of a scorer; none for bounds if pairs do not bound it.
template <template <class> class Loops, class Scorer>
constexpr ScorerKernels loops_of_one() {
  if constexpr (Scorer::kFacts.rises) return {Loops<Scorer>::score, Loops<Scorer>::bound};
  return {Loops<Scorer>::score, nullptr};
}

/// The loops of all scorers, by kind.
template <template <class> class Loops, class... S>
constexpr std::array<ScorerKernels, sizeof...(S)> loops_of(ScorerList<S...>) {
  return {loops_of_one<Loops, S>()...};
}

}  // namespace warpdex
