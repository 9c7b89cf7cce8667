// The bounds of a search's settings.
#include "warpdex/query/search.hpp"

#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex {

void SearchSettings::validate() const {
  if (k < 1 || k > kMaxK) {
    throw UsageError("k is " + std::to_string(k) + "; ask for 1 to " + std::to_string(kMaxK) +
                     " documents");
  }
  scorer.validate();
}

}  // namespace warpdex
