// Types as they are stored, and the checks that all formats share.
#include "data/row_source.hpp"

#include <limits>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {

Element element_of(StoredType type) {
  switch (type) {
    case StoredType::kFloat64: return Element::kFloat32;
    case StoredType::kUint32:
    case StoredType::kUint64: return Element::kInt64;
    default: return static_cast<Element>(type);
  }
}

std::size_t stored_bytes(StoredType type) {
  switch (type) {
    case StoredType::kFloat64:
    case StoredType::kUint64: return 8;
    case StoredType::kUint32: return 4;
    default: return element_bytes(static_cast<Element>(type));
  }
}

void check_dimension(const std::string& name, std::uint64_t dimension, Role role) {
  const bool vectors = role == Role::kBase || role == Role::kQueries;
  const std::size_t limit = vectors ? kMaxDimension : kMaxNeighbors;
  if (dimension >= 1 && dimension <= limit) return;
  throw InputError("'" + name + "' has rows of " + std::to_string(dimension) + " values, but " +
                   (vectors ? "vectors" : "rows of neighbors") + " have from 1 to " +
                   std::to_string(limit) +
                   "; is it the right file, and its suffix that of its "
                   "format?");
}

void check_axes(const std::string& name, const RowShape& shape, Role role) {
  const bool vectors = role == Role::kBase || role == Role::kQueries;
  if (shape.axes != 1 || !vectors || !is_vector_element(element_of(shape.type))) return;
  throw InputError("'" + name +
                   "' has one axis, but vectors are the rows of two; reshape it: (1, -1) makes it "
                   "one vector, (-1, 1) as many as it has values");
}

std::uint64_t total_bytes(std::uint64_t rows, std::uint64_t row_bytes, std::uint64_t before) {
  std::uint64_t total = 0;
  if (__builtin_mul_overflow(rows, row_bytes, &total) ||
      __builtin_add_overflow(total, before, &total)) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return total;
}

}  // namespace warpdex::vector
