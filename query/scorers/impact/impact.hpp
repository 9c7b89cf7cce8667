// Impacts, scores that an index holds: weight * impact. Internal.
#pragma once

#include <cstdint>
#include <string>

#include "scorers/base/scorer_type.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex {

struct Impact {
  static constexpr ScorerKind kKind = ScorerKind::kImpact;
  static constexpr ScorerFacts kFacts{.name = "impact",
                                      .report_name = "impacts",
                                      .title = "",
                                      .is_named = false,
                                      .options = {},
                                      .formula = "boost * impact",
                                      .reads_lengths = false,
                                      .units = {.form = UnitForm::kImpact, .are_whole = true}};

  static TermScorer make(const ScorerSettings&, const TermStatistics& term) {
    return {.kind = kKind, .weight = term.weight};
  }

  template <class Term>
  WARPDEX_HOST_DEVICE static float score(const Term& term, float impact, float) {
    return term.weight * impact;
  }

  static float largest(const TermScorer& term, std::uint64_t) {
    return term.weight * static_cast<float>(kMaxImpact);
  }
  /// A larger impact has a larger score, and lengths do not matter.
  static float lowered(const TermScorer&, float score) { return score; }

  static std::string explain(const TermExplanation& term, const Explanation& of);
};

}  // namespace warpdex
