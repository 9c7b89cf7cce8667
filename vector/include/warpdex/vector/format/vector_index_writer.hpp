// Writes an index of vectors, row by row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "warpdex/vector/data/ids.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

/// Streams rows into a folder beside the target, which commit() puts in the target's place. Without
/// commit(), the target stays as it was. Holds up to 16 MiB of rows, and the ids. An inverted file
/// is made in commit(), from rows that lie in files until then: centroids and codebooks are trained
/// on samples, which are held in memory.
class VectorIndexWriter {
 public:
  /// Throws UsageError for a dimension, bits or bytes of codes out of range, or a target that is
  /// neither empty nor an index of vectors alone, IoError.
  VectorIndexWriter(const std::filesystem::path& target, const VectorIndexSettings& settings);
  ~VectorIndexWriter();
  VectorIndexWriter(const VectorIndexWriter&) = delete;
  VectorIndexWriter& operator=(const VectorIndexWriter&) = delete;

  /// Adds rows, one after the other without padding. For kCosine they are scaled to length 1.
  /// Throws UsageError for a size that is no multiple of the dimension; InputError, with row and
  /// column, for NaN, for what is infinite, and for what is too large for a half where halves are
  /// stored; InputError, with the row, for a vector longer than 1e17 if the index has lists or
  /// codes; InputError for more than kMaxRows rows; IoError.
  void add(std::span<const float> rows);

  /// How many rows were added.
  std::size_t rows() const;

  /// Writes what is left and replaces the target. `ids` are one a row; without them rows are named
  /// by their numbers. An index that begins empty has ids later if it is given an empty VectorIds
  /// of its kind, made from an empty list or file. Inverted files are built on `device`. Devices
  /// nearly always give the same bytes; only the means that become centroids may round in another
  /// way (docs/vector.md). Throws InputError if there are ids, but not one for each row; UsageError
  /// for more lists than rows or than training vectors, and for lists or codes without rows;
  /// IoError; CudaError; and what `progress` and the functions of `device` throw. Once, at the end.
  /// Returns what ReplacementFolder::commit() does.
  std::vector<std::string> commit(const VectorIds& ids = {}, const BuildProgress& progress = {},
                                  const BuildDevice& device = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
