// Reads vectors from files, row by row. docs/vector.md lists the formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "warpdex/vector/data/element.hpp"

namespace warpdex::vector {

/// What a file is read for. This decides which dataset of an HDF5 file is read, and what may be in
/// a row of any file.
enum class Role : std::uint8_t {
  kBase,       ///< HDF5's `train`; at most kMaxDimension components, all finite
  kQueries,    ///< HDF5's `test`; the same
  kNeighbors,  ///< HDF5's `neighbors`; at most kMaxNeighbors entries
  kDistances,  ///< HDF5's `distances`; likewise, and infinity may stand where there is no neighbour
};

/// Rows of one length and one type, read in order or from any row on. Not for several threads at
/// once.
class VectorReader {
 public:
  VectorReader() = default;
  VectorReader(const VectorReader&) = delete;
  VectorReader& operator=(const VectorReader&) = delete;
  virtual ~VectorReader() = default;

  /// What read_raw() gives.
  virtual Element element() const = 0;
  /// Components of a row, 1 or more.
  virtual std::size_t dimension() const = 0;
  /// All rows, wherever the reader stands; may be 0.
  virtual std::uint64_t rows() const = 0;
  /// The file, for messages.
  virtual const std::string& name() const = 0;

  /// Reads up to `rows` next rows as floats, row-major without padding: `out` has room for rows ·
  /// dimension(). Returns how many there were, 0 at the end. Throws InputError, with row and
  /// column, for a NaN or an infinite component and for a row that is damaged, and unless
  /// is_vector_element(element()); IoError. After an exception, seek() before reading on.
  virtual std::size_t read(std::size_t rows, float* out) = 0;

  /// The same as element()s, without conversion: `out` has room for rows · dimension() ·
  /// element_bytes() bytes, and is aligned to element_bytes(). Throws as read() does.
  virtual std::size_t read_raw(std::size_t rows, void* out) = 0;

  /// The next row to be read is `row`, up to rows().
  virtual void seek(std::uint64_t row) = 0;
  void rewind() { seek(0); }
};

/// Opens a file by its suffix (capitals or not): .fvecs, .bvecs, .ivecs, .fbin, .u8bin, .i8bin,
/// .ibin, .npy, or .hdf5 and .h5, of which FILE:NAME takes the dataset of that name. Checks header,
/// size and dimension, without reading the rows. float64 is read as float32, rounded; uint32 and
/// uint64 are read as int64; values that do not fit are refused when they are read. Takes a few MiB
/// of memory, or that of one row; for HDF5 up to 64 MiB more, where chunks are large. Throws
/// UsageError for an unknown suffix; InputError for what is damaged or of another type; IoError.
std::unique_ptr<VectorReader> open_vectors(const std::string& path, Role role = Role::kBase);

}  // namespace warpdex::vector
