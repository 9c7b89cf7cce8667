// The lists of an inverted file: centroids are trained, rows assigned to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kmeans/update.hpp"
#include "lists/build/steps.hpp"
#include "warpdex/vector/codings/codings.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"

namespace warpdex::vector {

struct IvfLists {
  Matrix<float> centroids;
  std::vector<std::uint32_t> of_row;  ///< the list of each row
  ClusterMembers members;             ///< the rows of each list
};

/// The default number of lists: about 4 times the root of the number of rows, and no fewer than 32
/// rows a list.
std::size_t default_lists(std::size_t rows);

/// The settings with a number of lists for so many rows. Throws UsageError for none, and for more
/// lists than rows.
IvfSettings settled(const IvfSettings& settings, std::size_t rows);

/// Whether the centroids of lists are directions, all of one length, rather than means. A product
/// prefers long centroids. Cosine does not, since its lists are chosen by squared distance; and
/// codes lose less of what is left of a mean.
template <class Coding>
constexpr bool has_spherical_lists(Metric metric) {
  if (metric == Metric::kCosine) return !HasProductTerms<Coding>;
  return metric == Metric::kInnerProduct;
}

/// Trains the centroids of `settings.lists` lists on a sample, and puts each row into the list of
/// the nearest, by squared distance for all metrics. Norms of rows are not read. Throws what
/// listeners throw; InputError, with the row, for what is not finite.
IvfLists make_lists(const FlatVectors& rows, const IvfSettings& settings, bool is_spherical,
                    BuildSteps& steps);

/// All rows in one list. Its centroid is the rows' centre or, where they have none, their mean, in
/// double precision.
IvfLists one_list(const FlatVectors& rows);

/// Puts each row into the list of the nearest of centroids that are trained already, likewise.
IvfLists assign_to_lists(const FlatVectors& rows, Matrix<float> centroids, std::size_t threads,
                         BuildSteps& steps);

/// Some rows as floats.
Matrix<float> copy_rows(const VectorView& vectors, std::span<const std::uint64_t> rows,
                        std::size_t threads);

}  // namespace warpdex::vector
