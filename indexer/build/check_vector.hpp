// Whether a document's vector fits. Internal.
#pragma once

#include <span>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex::build {

/// Throws InputError for a vector that a set does not take: of another dimension, with components
/// that are not finite or too large for its halves, or too long for its lists and codes.
void check_vector(std::span<const float> vector, const VectorSet& set);

}  // namespace warpdex::build
