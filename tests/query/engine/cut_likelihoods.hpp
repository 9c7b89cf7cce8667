// Collections in which query likelihood gives most documents, or all, no logarithm above 0.
#pragma once

#include <cstdint>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/reference/oracle.hpp"

namespace warpdex::test {

/// Long documents with few of the frequent terms "a", "b", "c", "d" and "rare". A few others,
/// which "dense" marks, consist of these terms alone, so no document but these has one of them as
/// often as the collection on average.
reference::Collection make_cut_collection(Random& random, std::uint32_t documents);

}  // namespace warpdex::test
