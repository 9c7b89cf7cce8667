// Whole files in memory.
#include "warpdex/vector/data/matrix.hpp"

#include <algorithm>
#include <limits>

#include "warpdex/core/error.hpp"
#include "warpdex/core/large_pages.hpp"

namespace warpdex::vector {
namespace {

template <class T>
Matrix<T> make_matrix(const VectorReader& reader) {
  std::uint64_t values = 0;
  if (__builtin_mul_overflow(reader.rows(), reader.dimension(), &values) ||
      values > std::vector<T>().max_size()) {
    throw InputError("'" + reader.name() + "' does not fit into memory; cut it into parts");
  }
  return {reader.rows(), reader.dimension(), std::vector<T>(values)};
}

/// Reads all of a file whose elements are T into 32-bit numbers.
template <class T>
void read_numbers(VectorReader& reader, Matrix<std::int32_t>* matrix) {
  constexpr std::size_t kPartBytes = std::size_t{1} << 20;
  const std::size_t columns = matrix->columns;
  const std::size_t at_once = std::max<std::size_t>(1, kPartBytes / (columns * sizeof(T)));
  std::vector<T> part(std::min<std::uint64_t>(at_once, matrix->rows) * columns);
  std::size_t done = 0;
  for (std::size_t rows; (rows = reader.read_raw(at_once, part.data())) > 0;) {
    for (std::size_t i = 0; i < rows * columns; ++i, ++done) {
      if (part[i] < std::numeric_limits<std::int32_t>::min() ||
          part[i] > std::numeric_limits<std::int32_t>::max()) {
        throw InputError("row " + std::to_string(done / columns) + ", column " +
                         std::to_string(done % columns) + " of '" + reader.name() + "' is " +
                         std::to_string(part[i]) + ", which no 32-bit row number can be");
      }
      matrix->values[done] = static_cast<std::int32_t>(part[i]);
    }
  }
}

}  // namespace

void reserve_rows(Matrix<float>& matrix, std::uint64_t rows) {
  matrix.values.reserve(rows * matrix.columns);
  prefer_large_pages(matrix.values.data(), matrix.values.capacity() * sizeof(float));
}

Matrix<float> read_float_matrix(const std::string& path, Role role) {
  const auto reader = open_vectors(path, role);
  auto matrix = make_matrix<float>(*reader);
  reader->read(matrix.rows, matrix.values.data());
  return matrix;
}

Matrix<std::int32_t> read_int_matrix(const std::string& path, Role role) {
  const auto reader = open_vectors(path, role);
  auto matrix = make_matrix<std::int32_t>(*reader);
  switch (reader->element()) {
    case Element::kInt8: read_numbers<std::int8_t>(*reader, &matrix); break;
    case Element::kUint8: read_numbers<std::uint8_t>(*reader, &matrix); break;
    case Element::kInt32: reader->read_raw(matrix.rows, matrix.values.data()); break;
    case Element::kInt64: read_numbers<std::int64_t>(*reader, &matrix); break;
    default:
      throw InputError("'" + reader->name() + "' holds " +
                       std::string(element_name(reader->element())) +
                       " values, but whole numbers are wanted; is it the right file?");
  }
  return matrix;
}

}  // namespace warpdex::vector
