// Inverted files built in memory, from vectors in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/vector/codings/codings.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"

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

/// Lists of whole vectors that own all they have. Members are as in Lists<RowCoding>.
struct OwnedRowLists {
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

/// Lists of codes that own all but the vectors. Members are as in CodeLists.
template <class Coding>
struct OwnedCodeLists {
  OwnedLists lists;
  Metric metric = Metric::kL2;
  typename Coding::Trained trained = {};
  std::vector<std::uint64_t> group_begins;
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
  std::vector<float> factors;
  std::vector<float> centre;
  FlatVectors vectors;  ///< those that it was built from, if they are kept

  /// For searchers. Valid while this and the vectors live and this is not moved.
  Lists<Coding> view() const {
    Lists<Coding> made;
    made.metric = metric;
    made.codes = codes;
    made.terms = terms;
    made.factors = factors;
    made.row_numbers = lists.row_numbers;
    made.begins = lists.begins;
    made.group_begins = group_begins;
    made.centre = centre;
    made.centroids = lists.centroid_view();
    made.vectors = vectors;
    const bool has_centre = metric == Metric::kL2;
    made.quantizer = trained.of_queries(
        lists.dimension, has_centre ? std::span<const float>(centre) : std::span<const float>());
    return made;
  }
};

/// Builds in memory what VectorIndexWriter stores for the same rows and settings. `rows` are in the
/// order of their numbers, of length 1 for kCosine, and have norms. Memory: a copy of the vectors,
/// the sample that centroids are trained on, 8 bytes a row. Throws UsageError for no rows and for
/// more lists than rows or than training rows; InputError, with the row, for what is not finite;
/// what `progress` and the functions of `device` throw; CudaError.
OwnedRowLists build_row_lists(const FlatVectors& rows, const IvfSettings& settings,
                              const BuildProgress& progress = {}, const BuildDevice& device = {});

/// The same of codes. Norms are needed only where answers are to be refined. Memory: the codes, the
/// samples that centroids and codes are trained on, 8 bytes a row. Throws likewise, and UsageError
/// for settings of codes out of range.
OwnedCodeLists<PqCoding> build_pq_lists(const FlatVectors& rows, const IvfSettings& settings,
                                        const PqSettings& pq, const BuildProgress& progress = {},
                                        const BuildDevice& device = {});
OwnedCodeLists<BinaryCoding> build_binary_lists(const FlatVectors& rows,
                                                const IvfSettings& settings,
                                                const BinarySettings& binary,
                                                const BuildProgress& progress = {},
                                                const BuildDevice& device = {});

/// Builds an inverted file of codes from vectors that come in tiles, so that only one tile of them
/// is in memory at a time.
class IvfPqTiles {
 public:
  /// Trains lists and codebooks on a sample of what is to come, as build_pq_lists() does on its
  /// rows; the sample's centre is that of all. Throws as build_pq_lists() does.
  IvfPqTiles(const FlatVectors& sample, const IvfSettings& settings, const PqSettings& pq,
             const BuildProgress& progress = {}, const BuildDevice& device = {});
  ~IvfPqTiles();

  /// Assigns and encodes the next rows, whose numbers follow those of the tile before. Only the
  /// vectors of `tile` are read, and only now. Throws UsageError for another dimension, and for
  /// more than 2^31 - 1 rows in all; else as build_pq_lists(), with rows counted from the tile's
  /// first.
  void add(const VectorView& tile);

  /// Joins the lists of all tiles: what build_pq_lists() makes of all rows with the same centroids
  /// and codebooks, without the vectors. Once, at the end. Memory: all codes twice.
  OwnedCodeLists<PqCoding> finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
