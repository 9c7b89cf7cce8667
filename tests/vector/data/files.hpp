// Files of vectors made byte by byte, apart from the code that reads and writes them.
#pragma once

#include <gmock/gmock.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::test {

/// A number's bytes, low ones first.
inline std::string little(std::uint64_t value, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(i < 8 ? value >> 8 * i : 0);
  return text;
}

inline std::string float_bytes(std::initializer_list<float> values) {
  std::string text;
  for (const float value : values) text += little(std::bit_cast<std::uint32_t>(value), 4);
  return text;
}

/// A .npy file of version 1.0, with blanks up to a border of 64 bytes as NumPy writes them.
inline std::string npy_bytes(std::string header, const std::string& array, int version = 1) {
  const std::size_t before = version == 1 ? 10 : 12;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  return "\x93NUMPY" + little(static_cast<std::uint64_t>(version), 2) +
         little(header.size(), before - 8) + header + array;
}

/// The header's text for an array in C order.
inline std::string npy_text(const std::string& type, const std::string& shape) {
  return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

inline std::vector<float> read_floats(vector::VectorReader& reader) {
  std::vector<float> values(reader.rows() * reader.dimension());
  EXPECT_EQ(reader.read(reader.rows(), values.data()), reader.rows());
  return values;
}

/// The message with which `action` ends, which must be an exception of type E.
template <class E>
std::string complaint(const std::function<void()>& action) {
  try {
    action();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return "";
  }
  ADD_FAILURE() << "no exception";
  return "";
}

}  // namespace warpdex::test
