// Whole files of vectors or of ids in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::vector {

/// Rows of `columns` values each, one after the other without padding.
template <class T>
struct Matrix {
  std::uint64_t rows = 0;
  std::size_t columns = 0;
  std::vector<T> values;  ///< rows · columns

  std::span<const T> row(std::uint64_t i) const { return {values.data() + i * columns, columns}; }
  std::span<T> row(std::uint64_t i) { return {values.data() + i * columns, columns}; }
};

/// Makes room for so many rows, in large pages where the system has them. Throws std::bad_alloc or
/// std::length_error where memory does not hold them.
void reserve_rows(Matrix<float>& matrix, std::uint64_t rows);

/// All vectors of a file as floats. Throws as open_vectors() and VectorReader::read() do.
Matrix<float> read_float_matrix(const std::string& path, Role role = Role::kBase);

/// All rows of a file of whole numbers (int8, uint8, int32 or int64). Throws as open_vectors()
/// does, and InputError for floats and, with row and column, for a number that is no int32.
Matrix<std::int32_t> read_int_matrix(const std::string& path, Role role = Role::kNeighbors);

}  // namespace warpdex::vector
