// Vectors as they lie in memory, one row each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "warpdex/vector/data/element.hpp"

namespace warpdex::vector {

/// The type of an index's components.
enum class Store : std::uint8_t {
  kFloat,  ///< 32 bits
  kHalf,   ///< IEEE 754 with 16 bits
};

/// Bytes of one component.
constexpr std::size_t store_bytes(Store store) { return store == Store::kFloat ? 4 : 2; }

/// "float" or "half".
std::string_view store_name(Store store);

/// The type of that name; throws UsageError, which lists the names, for another.
Store store_from_name(std::string_view name);

/// The maximum number of rows of an index: row numbers are signed 32-bit integers, and -1 is none.
inline constexpr std::uint64_t kMaxRows = 0x7FFFFFFF;

/// Rows of `dimension` components each, `stride` components apart. Owns nothing.
struct VectorView {
  const void* data = nullptr;
  Store store = Store::kFloat;
  std::size_t rows = 0;
  std::size_t dimension = 0;
  std::size_t stride = 0;  ///< at least `dimension`

  /// The first component of a row.
  const void* row(std::size_t index) const {
    return static_cast<const std::byte*>(data) + index * stride * store_bytes(store);
  }
  /// Rows [first, first + count).
  VectorView slice(std::size_t first, std::size_t count) const {
    return {row(first), store, count, dimension, stride};
  }
};

/// A row as floats, without loss.
void copy_row(const VectorView& vectors, std::size_t row, float* out);

}  // namespace warpdex::vector
