// From rows in their order to lists and codes.
#pragma once

#include "format/coding_format.hpp"
#include "warpdex/vector/codings/searched_vectors.hpp"

namespace warpdex::vector {

/// Trains lists and codes, and writes their sections. Memory: the samples that they are trained on,
/// 8 bytes a row. Throws IoError, CudaError, and what listeners throw; UsageError for codes without
/// rows.
void build_codes(const SegmentJob& job);

/// Likewise with what `first`, the first segment of the index, was trained to: nothing is trained.
void add_codes(const SegmentJob& job, const SearchedVectors& first);

}  // namespace warpdex::vector
