// How an impact is explained.
#include "scorers/impact/impact.hpp"

#include "scorers/base/explained_numbers.hpp"

namespace warpdex {

std::string Impact::explain(const TermExplanation& term, const Explanation&) {
  return "impact " + std::to_string(term.frequency) + ", weight " + shown(term.weight);
}

}  // namespace warpdex
