// Vectors for benchmarks, drawn from a mixture: clusters of unequal weight in groups of eight,
// which share twelve directions that they are spread along, and a little noise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::tools {

/// Rows [begin, begin + rows) of the mixture of a seed; the same ones only from the same `begin`
/// on.
vector::Matrix<float> draw_rows(std::size_t begin, std::size_t rows, std::size_t dimension,
                                std::uint64_t seed);

/// `text` is ROWS,DIM: the first rows. Throws UsageError for another text.
vector::Matrix<float> draw_vectors(const std::string& text, std::uint64_t seed);

/// The mean of the first vectors, as an index has it.
std::vector<float> find_centre(const vector::Matrix<float>& vectors);

}  // namespace warpdex::tools
