// How far rounding can raise a sum of scores above the sum of their bounds. Internal.
#pragma once

#include <cstddef>

namespace warpdex {

/// The factor by which a sum of `lists` bounds is raised, since the sums of scores that it bounds
/// are rounded. 1 if these are exact: see sums_are_exact().
inline float sum_slack(bool is_exact, std::size_t lists) {
  return is_exact ? 1.0F : 1.0F + 2e-7F * static_cast<float>(lists + 8);
}

}  // namespace warpdex
