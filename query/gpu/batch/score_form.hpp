// The form of scores that a scorer needs. Internal.
#pragma once

#include "gpu/layout/layout.hpp"
#include "warpdex/query/scorer.hpp"

namespace warpdex::gpu {

inline ScoreForm form_of(ScorerKind kind) {
  switch (kind) {
    case ScorerKind::kImpact: return ScoreForm::kImpact;
    case ScorerKind::kBm25: return ScoreForm::kBm25;
    case ScorerKind::kQueryLikelihood: break;
  }
  return ScoreForm::kQueryLikelihood;
}

}  // namespace warpdex::gpu
