// Writes vectors to files. docs/vector.md lists the formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "warpdex/vector/data/element.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::vector {

/// Writes rows of one length and one type. The file appears in finish(), whole. Until then, and if
/// the writer is destroyed without it, what was at its path stays.
class VectorWriter {
 public:
  VectorWriter() = default;
  VectorWriter(const VectorWriter&) = delete;
  VectorWriter& operator=(const VectorWriter&) = delete;
  virtual ~VectorWriter() = default;

  virtual Element element() const = 0;
  /// Components of a row.
  virtual std::size_t dimension() const = 0;
  /// Rows written so far.
  virtual std::uint64_t rows() const = 0;

  /// Appends rows: rows · dimension() values of element(), row-major without padding. The values
  /// are not checked. Throws IoError.
  virtual void write_raw(std::size_t rows, const void* values) = 0;

  /// Appends rows of floats, and only where element() is kFloat32 or kFloat16, to which they are
  /// rounded. Throws InputError, with row and column, for a finite value past half's range;
  /// UsageError for other elements; IoError.
  void write(std::size_t rows, const float* values);

  /// Writes what is left and waits for the disk. Nothing may be written after it. Where several
  /// files belong together, all do this before the first is finished. Throws IoError; UsageError if
  /// the rows are not as many as were announced.
  virtual void write_through() = 0;

  /// Does that if it was not done, and gives the file its name. Throws likewise.
  virtual void finish() = 0;
};

/// A writer of the format that the suffix names, as open_vectors() knows them. `rows` is how many
/// will be written, if that is known: room for them is reserved at once if the file system can do
/// that, so that a full disk is noticed early. A new HDF5 dataset (FILE:NAME; without a name, that
/// of the role) is added to the file if it exists, by way of a copy, so that nothing is lost if
/// that fails. Several datasets of one file may be written at once, in one process. Throws
/// UsageError for an unknown suffix, a format that cannot hold the element, a dimension of 0 or
/// past kMaxNeighbors, no rows where the format would lose their dimension (.fvecs and the like;
/// thrown by finish() if the number is not known), HDF5 without a known number of rows, and a
/// dataset that exists already; IoError.
std::unique_ptr<VectorWriter> create_vectors(const std::string& path, Element element,
                                             std::size_t dimension,
                                             std::optional<std::uint64_t> rows = std::nullopt,
                                             Role role = Role::kBase);

/// What the file format of that suffix holds, where it can hold one type only: float of .fvecs and
/// .fbin, uint8 of .bvecs and .u8bin, int8 of .i8bin, int32 of .ivecs and .ibin; none for .npy and
/// HDF5. Throws UsageError for an unknown suffix.
std::optional<Element> element_of_format(const std::string& path);

/// Whether both paths lead to the same existing file, whatever their datasets are. Throws
/// UsageError for an unknown suffix.
bool is_same_data_file(const std::string& path, const std::string& other);

/// "name a file that ends in .ivecs, .ibin, ...": the suffixes of formats that hold such values.
std::string advice_to_write(Element element);

}  // namespace warpdex::vector
