// Names of stores, and rows as floats.
#include "warpdex/vector/rows/vector_view.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {

std::string_view store_name(Store store) { return store == Store::kFloat ? "float" : "half"; }

Store store_from_name(std::string_view name) {
  if (name == "float") return Store::kFloat;
  if (name == "half") return Store::kHalf;
  throw UsageError("there is no type '" + std::string(name) +
                   "' to store vectors in; choose float or half");
}

void copy_row(const VectorView& vectors, std::size_t row, float* out) {
  const void* const components = vectors.row(row);
  if (vectors.store == Store::kFloat) {
    std::copy_n(static_cast<const float*>(components), vectors.dimension, out);
  } else {
    to_float({static_cast<const std::uint16_t*>(components), vectors.dimension}, out);
  }
}

}  // namespace warpdex::vector
