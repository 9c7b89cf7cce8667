// What an ICU call says, as an exception. Internal to indexer/analysis.
#pragma once

#include <unicode/utypes.h>

#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::analysis {

/// Throws Error if a call failed; `what` was to be done ("load its word segmentation").
inline void require_icu(UErrorCode status, const char* what) {
  if (U_SUCCESS(status)) return;
  throw Error(std::string("ICU could not ") + what + " (" + u_errorName(status) +
              "): check that the ICU libraries and their data are installed whole");
}

}  // namespace warpdex::analysis
