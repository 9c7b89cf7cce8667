// Pieces of the lines that explain scores to people. Internal.
#pragma once

#include <string>

#include "warpdex/query/explanation.hpp"
#include "warpdex/query/result_writer.hpp"

namespace warpdex {

inline std::string shown(float number) { return format_score(number); }

/// "2 times here, in 7 of 100 documents".
inline std::string counted_here(const TermExplanation& term, const Explanation& of) {
  return std::to_string(term.frequency) + (term.frequency == 1 ? " time" : " times") +
         " here, in " + std::to_string(term.document_frequency) + " of " +
         std::to_string(of.documents) + " documents";
}

/// The same, then ", 9 times in all".
inline std::string counted_in_all(const TermExplanation& term, const Explanation& of) {
  return counted_here(term, of) + ", " + std::to_string(term.collection_frequency) +
         " times in all";
}

/// Of a share that is next to nothing (likelihood_part.hpp), what it does; else nothing.
inline std::string nothing_noted(const TermExplanation& term) {
  constexpr float kNextToNothing = 1e-20F;
  return term.score < kNextToNothing ? ", which is not above 0 and only orders equal scores" : "";
}

}  // namespace warpdex
