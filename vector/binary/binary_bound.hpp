// How far a distance by codes may be from the canonical distance of the vectors.
#pragma once

#include "binary/query_code.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"

namespace warpdex::vector {

/// No ascending() distance by codes exceeds the canonical one by more than this, for rows of at
/// most the given size and residual. The `size` of a row is its term for kL2, else the norm of its
/// vector. `query` is prepared. Only of codes with corrections, whose vectors are kept.
double largest_code_error(const BinaryVectors& vectors, const QueryCode& code, const float* query,
                          float size, float residual);

}  // namespace warpdex::vector
