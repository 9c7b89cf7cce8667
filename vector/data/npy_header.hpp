// The header of .npy files, versions 1.0, 2.0 and 3.0: what NumPy writes before an array's bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/data_file.hpp"
#include "data/row_source.hpp"

namespace warpdex::vector {

struct NpyHeader {
  RowShape shape;
  std::uint64_t begin = 0;  ///< bytes before the array
};

/// Reads the header. Throws InputError for what is no such header, and for an array that cannot be
/// rows: another type or byte order, Fortran order, no axis or more than two.
NpyHeader read_npy_header(const DataFile& file);

/// What NumPy calls the element: "<f4" and the like.
std::string_view npy_type(Element element);

/// Bytes of the header that npy_header_bytes() makes, whatever the number of rows.
inline constexpr std::size_t kNpyHeaderBytes = 128;

/// A header of version 1.0 for rows of that type, padded with blanks.
std::string npy_header_bytes(Element element, std::uint64_t rows, std::uint64_t dimension);

}  // namespace warpdex::vector
