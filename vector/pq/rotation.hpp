// A rotation after which product quantisation loses less: OPQ. Ge, He, Ke, Sun: *Optimized Product
// Quantization for Approximate Nearest Neighbor Search*, CVPR 2013, the non-parametric solution.
// One to fewer components begins with the parametric solution.
#pragma once

#include <vector>

#include "pq/train.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"

namespace warpdex::vector {

/// ProductQuantizer::rotation for such codes of the points, of `rows` rows: 1 to points.columns. In
/// turn the points are encoded, the rotation is set to the one that brings them nearest to their
/// codewords (by a singular value decomposition), and the codewords to the means of the rotated
/// points. It begins with none or, for fewer rows than columns, with principal_rows(). Reads a part
/// of the points where there are many. Throws as train_codebooks() does. The same for any number of
/// threads. O(points * dimension * (dimension + codewords) + dimension^3) an iteration, of which
/// there are kRotationIterations. Memory: three times the points that it reads.
std::vector<float> train_rotation(const Matrix<float>& points, const PqTraining& training,
                                  std::size_t rows);

inline constexpr std::size_t kRotationIterations = 20;

/// The directions of which points have most, `rows` of them: eigenvectors of X'X with the largest
/// eigenvalues, X being the points as rows. They are dealt out to the runs of such codes, the
/// largest eigenvalue first, each to the run whose product of eigenvalues is the smallest and that
/// has room, so that the products come out even. The same for any number of threads. O(points *
/// dimension^2 + dimension^3).
std::vector<float> principal_rows(const Matrix<float>& points, const PqTraining& training,
                                  std::size_t rows);

/// Sets `rotated` to the points rotated, of coded_dimension() columns; it must not be `points`.
void rotate_points(const ProductQuantizer& quantizer, const Matrix<float>& points,
                   std::size_t threads, Matrix<float>& rotated);

/// out = rotation^T * rotated, which undoes a rotation, whose rows are orthogonal, or what of it
/// can be undone where rows are fewer than columns. Copies where there is none.
void rotate_back(std::span<const float> rotation, const std::vector<float>& rotated, float* out);

}  // namespace warpdex::vector
