// Rows as a file stores them: what each format gives, and file_reader.cpp makes a VectorReader of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "data/file_format.hpp"
#include "warpdex/vector/data/element.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::vector {

/// Elements, in their order, and what is read as one of them.
enum class StoredType : std::uint8_t {
  kFloat32,
  kFloat16,
  kInt8,
  kUint8,
  kInt32,
  kInt64,
  kBool,
  kFloat64,  ///< read as kFloat32
  kUint32,   ///< read as kInt64
  kUint64,   ///< read as kInt64
};

Element element_of(StoredType type);
std::size_t stored_bytes(StoredType type);

struct RowShape {
  StoredType type = StoredType::kFloat32;
  std::uint64_t rows = 0;
  std::uint64_t dimension = 0;
  int axes = 2;  ///< of the stored array; one of 1 has rows of one value
};

class RowSource {
 public:
  RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;
  virtual ~RowSource() = default;

  const RowShape& shape() const { return shape_; }

  /// Rows [first, first + rows), which are there, as they are stored, without padding.
  virtual void load(std::uint64_t first, std::size_t rows, void* out) = 0;

 protected:
  RowShape shape_;
};

/// Throws InputError unless the role's rows may be that long.
void check_dimension(const std::string& name, std::uint64_t dimension, Role role);

/// Throws InputError for an array of one axis in the place of vectors.
void check_axes(const std::string& name, const RowShape& shape, Role role);

/// `rows` · `row_bytes` + `before`; UINT64_MAX where that is more.
std::uint64_t total_bytes(std::uint64_t rows, std::uint64_t row_bytes, std::uint64_t before);

std::unique_ptr<RowSource> open_vecs(const DataPath& path, Role role);
std::unique_ptr<RowSource> open_bin(const DataPath& path, Role role);
std::unique_ptr<RowSource> open_npy(const DataPath& path, Role role);
std::unique_ptr<RowSource> open_hdf5(const DataPath& path, Role role);

}  // namespace warpdex::vector
