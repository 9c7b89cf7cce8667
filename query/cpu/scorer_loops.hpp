// The loops of all scorers, by kind. Internal.
#pragma once

#include <array>
#include <cstddef>

#include "cpu/kernels.hpp"
#include "scorers/base/loops.hpp"
#include "scorers/scorers.hpp"

namespace warpdex {

/// The loops of all scorers, by kind.
template <template <class> class Loops, class... S>
constexpr std::array<ScorerKernels, sizeof...(S)> loops_of(ScorerList<S...>) {
  return {ScorerKernels{Loops<S>::score, Loops<S>::bound}...};
}

}  // namespace warpdex
