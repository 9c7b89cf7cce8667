// A rotation after which product quantisation loses less: OPQ. Ge, He, Ke, Sun: *Optimized Product
// Quantization for Approximate Nearest Neighbor Search*, CVPR 2013, the non-parametric solution.
#pragma once

#include <vector>

#include "pq/train.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"

namespace warpdex::vector {

/// ProductQuantizer::rotation for such codes of the points. In turn the points are encoded, the
/// rotation is set to the one that brings them nearest to their codewords (by a singular value
/// decomposition), and the codewords to the means of the rotated points. Reads a part of the points
/// where there are many. Throws as train_codebooks() does. The same for any number of threads.
/// O(points * dimension * (dimension + codewords) + dimension^3) an iteration, of which there are
/// kRotationIterations. Memory: three times the points that it reads.
std::vector<float> train_rotation(const Matrix<float>& points, const PqTraining& training);

inline constexpr std::size_t kRotationIterations = 20;

/// Rotates points; `rotated` has as many rows and columns, and may be `points`.
void rotate_points(const ProductQuantizer& quantizer, const Matrix<float>& points,
                   std::size_t threads, Matrix<float>& rotated);

/// Undoes a rotation, whose rows are orthogonal: out = rotation^T * rotated. Copies where there is
/// none.
void rotate_back(std::span<const float> rotation, const std::vector<float>& rotated, float* out);

}  // namespace warpdex::vector
