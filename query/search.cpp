// The bounds of a search's settings.
#include "warpdex/query/search.hpp"

#include <cmath>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

void SearchSettings::validate() const {
  if (k < 1 || k > kMaxK) {
    throw UsageError("k is " + std::to_string(k) + "; ask for 1 to " + std::to_string(kMaxK) +
                     " documents");
  }
  if (!std::isfinite(known_threshold) || known_threshold < 0) {
    throw UsageError("the threshold to start with is " + std::to_string(known_threshold) +
                     "; give a score of 0 or more that k matches reach");
  }
  scorer.validate();
}

}  // namespace warpdex
