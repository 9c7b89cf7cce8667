// How many of the true nearest neighbours a search found.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/metric.hpp"

namespace warpdex::vector {

// In all of these a row is a query's neighbours, nearest first; -1 (or another number below 0)
// stands where there is none. `truth` and `result` have as many rows, and k columns or more;
// InputError for others. An id that a row of a result has twice counts once. Queries whose truth
// has no neighbour at all are left out; the mean over no queries is 1.

struct Recall {
  /// Mean share of the first k true neighbours that are among the first k found. Where fewer than k
  /// are true (-1), of those.
  double intersection = 1;
  /// Share of the queries whose nearest true neighbour is among the first k found.
  double nearest = 1;
};

/// O(rows · k log k).
Recall recall_at(const Matrix<std::int32_t>& truth, const Matrix<std::int32_t>& result,
                 std::size_t k);

/// What decides whether a neighbour is as near as the k-th true one.
struct TieRule {
  Metric metric = Metric::kL2;  ///< decides only whether larger distances are nearer
  double epsilon = 1e-3;        ///< relative to the distance of the k-th true neighbour
};

/// As Recall::intersection, but by distance: a neighbour that was found counts if its distance is
/// that of the k-th true neighbour or nearer, or farther by at most epsilon times its absolute
/// value. So any of several equally near neighbours will do. Distances of both sides must be of one
/// kind (all squared, or none).
double recall_with_ties(const Matrix<std::int32_t>& truth, const Matrix<float>& truth_distances,
                        const Matrix<std::int32_t>& result, const Matrix<float>& result_distances,
                        std::size_t k, const TieRule& rule);

/// What is odd about the first k columns of a result.
struct ResultDefects {
  std::uint64_t rows_with_missing = 0;  ///< with -1 at least once
  std::uint64_t rows_with_repeats = 0;  ///< with one id twice
};
ResultDefects defects_of(const Matrix<std::int32_t>& result, std::size_t k);

}  // namespace warpdex::vector
