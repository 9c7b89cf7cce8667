// The list of all scorers. Host code that depends on the scorer calls one through visit_scorer(),
// device code through the visit of gpu/device/dispatch.cuh. Internal.
#pragma once

#include <cstddef>
#include <utility>

#include "scorers/base/scorer_type.hpp"
#include "scorers/bm25/bm25.hpp"
#include "scorers/bm25_lucene/bm25_lucene.hpp"
#include "scorers/bm25_plus/bm25_plus.hpp"
#include "scorers/impact/impact.hpp"
#include "scorers/jelinek_mercer/jelinek_mercer.hpp"
#include "scorers/pl2/pl2.hpp"
#include "scorers/query_likelihood/query_likelihood.hpp"

namespace warpdex {

/// Refuses an incomplete scorer, one at a time: so the compiler says what is missing.
template <class S>
struct CompleteScorer {
  static_assert(ScorerType<S>);
};

/// A list of scorers, in the order of ScorerKind.
template <class... S>
struct ScorerList : CompleteScorer<S>... {
  static constexpr std::size_t kSize = sizeof...(S);

  static consteval bool is_in_order() {
    std::size_t next = 0;
    return ((static_cast<std::size_t>(S::kKind) == next++) && ...);
  }
};

using Scorers = ScorerList<Bm25, QueryLikelihood, Impact, Bm25Plus, JelinekMercer, Pl2, Bm25Lucene>;
static_assert(Scorers::is_in_order() && Scorers::kSize == kScorerKinds,
              "each ScorerKind has its place in the list");

template <class First, class... Rest, class Call>
decltype(auto) visit_among(ScorerList<First, Rest...>, ScorerKind kind, Call&& call) {
  if constexpr (sizeof...(Rest) > 0) {
    if (kind != First::kKind) {
      return visit_among(ScorerList<Rest...>(), kind, std::forward<Call>(call));
    }
  }
  return call.template operator()<First>();
}

/// Calls call.operator()<the scorer's type>().
template <class Call>
decltype(auto) visit_scorer(ScorerKind kind, Call&& call) {
  return visit_among(Scorers(), kind, std::forward<Call>(call));
}

inline const ScorerFacts& facts_of(ScorerKind kind) {
  return *visit_scorer(kind, [&]<class S>() { return &S::kFacts; });
}

}  // namespace warpdex
