#include "build/check_vector.hpp"

#include <cmath>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex::build {
namespace {

constexpr float kTooLargeForHalf = 65'520;  ///< this and more is rounded to infinity

}  // namespace

void check_vector(std::span<const float> vector, const VectorSet& set) {
  const std::string its = set.name.empty() ? "its vector" : "its vector '" + set.name + "'";
  if (vector.size() != set.rows.dimension) {
    throw InputError(its + " has " + std::to_string(vector.size()) +
                     " components, and the index takes " + std::to_string(set.rows.dimension));
  }
  // Of cosines, the direction is stored.
  const bool are_halves =
      set.rows.store == vector::Store::kHalf && set.rows.metric != vector::Metric::kCosine;
  for (const float component : vector) {
    if (!std::isfinite(component)) throw InputError(its + " has a component that is no number");
    if (are_halves && std::abs(component) >= kTooLargeForHalf) {
      throw InputError(its +
                       " has a component above 65504, which is too large for the halves that the "
                       "index stores; scale the vectors, or build the index from floats");
    }
  }
  if (vector::is_too_long(vector, set.rows)) {
    throw InputError(its +
                     " is longer than 1e17, which is the most that lists and codes take; scale the "
                     "vectors down");
  }
}

}  // namespace warpdex::build
