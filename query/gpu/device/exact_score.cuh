// Exact scores, by the function that the CPU engine has: for documents that may be in an answer,
// and for units of scorers without a form of their own. Internal.
#pragma once

#include "gpu/units/unit_arithmetic.cuh"
#include "scorers/scorers.hpp"

namespace warpdex::gpu {

/// Calls call.operator()<the scorer's type>().
template <class First, class... Rest, class Call>
__device__ inline auto with_scorer(ScorerList<First, Rest...>, ScorerKind kind, const Call& call) {
  if constexpr (sizeof...(Rest) > 0) {
    if (kind != First::kKind) return with_scorer(ScorerList<Rest...>(), kind, call);
  }
  return call.template operator()<First>();
}

/// A document's exact length in the text field of a list.
__device__ inline std::uint32_t length_of(const Batch& batch, const List& list,
                                          std::uint32_t document) {
  return batch.lengths.of(batch.lengths.place(document, list.field));
}

/// TermScorer::operator(), bit for bit.
__device__ inline float exact_score(const Batch& batch, const List& list, std::uint32_t frequency,
                                    std::uint32_t length) {
  return with_scorer(Scorers(), batch.scorer(), [&]<class Scorer>() {
    return Scorer::score(list, static_cast<float>(frequency), static_cast<float>(length));
  });
}

}  // namespace warpdex::gpu
