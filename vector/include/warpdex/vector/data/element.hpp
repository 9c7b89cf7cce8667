// The types that components of vectors, ids and filters are stored as.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpdex::vector {

/// The types that files hold. The first four are those of vectors; the next two are ids, the last
/// are filters.
enum class Element : std::uint8_t {
  kFloat32,
  kFloat16,  ///< IEEE 754 binary16; in memory its bits, in a std::uint16_t
  kInt8,
  kUint8,
  kInt32,
  kInt64,
  kBool,  ///< one byte, 0 or 1
};

/// Bytes of one: 1, 2, 4 or 8.
std::size_t element_bytes(Element element);

/// "float", "half", "int8", "uint8", "int32", "int64" or "bool".
std::string_view element_name(Element element);

/// The element of that name; throws UsageError, which lists the names, for another.
Element element_from_name(std::string_view name);

/// Whether vectors may consist of it: float, half, int8 and uint8.
constexpr bool is_vector_element(Element element) { return element <= Element::kUint8; }

/// Vectors have from 1 to this many components.
inline constexpr std::size_t kMaxDimension = 4096;

/// Rows of neighbours and of their distances have from 1 to this many entries.
inline constexpr std::size_t kMaxNeighbors = std::size_t{1} << 20;

/// The maximum number of rows that can be searched: answers name rows by int32, and -1 stands for
/// none.
inline constexpr std::uint64_t kMaxAnswerRows = (std::uint64_t{1} << 31) - 1;

}  // namespace warpdex::vector
