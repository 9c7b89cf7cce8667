// Access to a feature by its name. Internal.
#pragma once

#include <cstddef>

#include "warpdex/scheduler/cost_model.hpp"

namespace warpdex {

/// The value of `feature`, to be read or set.
inline double& at(Features& features, Feature feature) {
  return features[static_cast<std::size_t>(feature)];
}

}  // namespace warpdex
