// Encodes all rows, block by block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

/// The next groups of codes, as CodeGroups lays them out, and the corrections of their rows, if
/// there are corrections.
struct EncodedRows {
  std::span<const std::uint8_t> codes;
  std::span<const float> factors = {};
  std::span<const float> residuals = {};
};

using CodeSink = std::function<void(const EncodedRows&)>;

/// Encodes all rows and hands them on in their order, some thousands at a time; then calls
/// on_block() with the number of rows that are done. Throws what both throw. The bytes depend
/// neither on the number of threads nor on the processor that encodes.
void encode_rows(const VectorView& rows, const BinaryQuantizer& quantizer, std::size_t threads,
                 const CodeSink& sink, const std::function<void(std::size_t rows)>& on_block);

/// The term of a row for products: with m the centre, minus the product of m and the row less m, in
/// double precision, in the order of components, rounded. O(dimension).
float product_term(std::span<const float> row, std::span<const float> centre);
/// Of all rows. The same for any number of threads.
std::vector<float> product_terms(const VectorView& rows, std::span<const float> centre,
                                 std::size_t threads);

}  // namespace warpdex::vector
