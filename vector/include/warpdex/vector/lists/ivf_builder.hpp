// Inverted files built in memory, from vectors in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"
#include "warpdex/vector/lists/lists.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"

namespace warpdex::vector {

/// The lists of an inverted file and their centroids.
struct OwnedLists {
  std::vector<std::uint32_t> row_numbers;  ///< list after list, in each ascending
  std::vector<std::uint64_t> begins;       ///< lists + 1
  Metric metric = Metric::kL2;             ///< of the centroids
  std::size_t dimension = 0;
  std::vector<float> centroids;  ///< lists * dimension
  std::vector<float> norms;      ///< of the centroids

  FlatVectors centroid_view() const;
};

/// An inverted file of whole vectors that owns all it has. Members are as in Lists<RowCoding>.
struct OwnedIvfVectors {
  OwnedLists lists;
  Metric metric = Metric::kL2;
  Store store = Store::kFloat;
  std::size_t rows = 0;
  std::unique_ptr<std::uint8_t[]> vectors;  ///< list after list, without gaps
  std::vector<float> norms;
  std::vector<float> centre;

  /// For searchers. Valid while this lives and is not moved.
  Lists<RowCoding> view() const;
};

/// An inverted file of codes that owns all but the vectors. Members are as in Lists<PqCoding> and
/// ProductQuantizer.
struct OwnedIvfPqVectors {
  OwnedLists lists;
  Metric metric = Metric::kL2;
  std::vector<std::uint64_t> group_begins;
  std::size_t bytes = 0;
  std::size_t bits = 8;
  std::vector<float> codebooks;
  std::vector<float> rotation;
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
  std::vector<float> centre;
  FlatVectors vectors;  ///< those that it was built from, if they are kept

  /// For searchers. Valid while this and the vectors live and this is not moved.
  Lists<PqCoding> view() const;
};

/// Builds in memory what VectorIndexWriter stores for the same rows and settings. `rows` are in the
/// order of their numbers, of length 1 for kCosine, and have norms. Memory: a copy of the vectors,
/// the sample that centroids are trained on, 8 bytes a row. Throws UsageError for no rows and for
/// more lists than rows or than training rows; InputError, with the row, for what is not finite;
/// what `progress` and the functions of `device` throw; CudaError.
OwnedIvfVectors build_ivf(const FlatVectors& rows, const IvfSettings& settings,
                          const BuildProgress& progress = {}, const BuildDevice& device = {});

/// The same of codes. Norms are needed only where answers are to be refined. Memory: the codes, the
/// samples that centroids and codebooks are trained on, 8 bytes a row. Throws likewise, and
/// UsageError for bytes or bits out of range.
OwnedIvfPqVectors build_ivf_pq(const FlatVectors& rows, const IvfSettings& settings,
                               const PqSettings& pq, const BuildProgress& progress = {},
                               const BuildDevice& device = {});

/// Builds an inverted file of codes from vectors that come in tiles, so that only one tile of them
/// is in memory at a time.
class IvfPqTiles {
 public:
  /// Trains lists and codebooks on a sample of what is to come, as build_ivf_pq() does on its rows;
  /// the sample's centre is that of all. Throws as build_ivf_pq() does.
  IvfPqTiles(const FlatVectors& sample, const IvfSettings& settings, const PqSettings& pq,
             const BuildProgress& progress = {}, const BuildDevice& device = {});
  ~IvfPqTiles();

  /// Assigns and encodes the next rows, whose numbers follow those of the tile before. Only the
  /// vectors of `tile` are read, and only now. Throws UsageError for another dimension, and for
  /// more than 2^31 - 1 rows in all; else as build_ivf_pq(), with rows counted from the tile's
  /// first.
  void add(const VectorView& tile);

  /// Joins the lists of all tiles: what build_ivf_pq() makes of all rows with the same centroids
  /// and codebooks, without the vectors. Once, at the end. Memory: all codes twice.
  OwnedIvfPqVectors finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
