// A word that is near another one.
#pragma once

#include <cstddef>
#include <string>

namespace warpdex {

/// The most near words of a fuzzy clause: the nearest ones, of equally near ones the first.
inline constexpr std::size_t kMaxFuzzyTerms = 50;

struct NearTerm {
  std::string term;
  float boost = 1;  ///< 1 - edits / the length of the shorter one, in characters; 0 at least
};

}  // namespace warpdex
