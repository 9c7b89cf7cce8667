// Encoding, decoding and tables, run by run.
#include "warpdex/vector/pq/product_quantizer.hpp"

#include <algorithm>
#include <array>

#include "distance/distance_kernels.hpp"
#include "pq/codebook_kernels.hpp"

namespace warpdex::vector {
void rotate(const ProductQuantizer& quantizer, const float* vector, float* rotated) {
  const std::size_t dimension = quantizer.dimension;
  if (quantizer.rotation.empty()) {
    std::copy_n(vector, dimension, rotated);
    return;
  }
  distance_kernels().product_float(vector, dimension, quantizer.rotation.data(), dimension,
                                   quantizer.coded_dimension(), rotated);
}

void encode(const ProductQuantizer& quantizer, const float* rotated, std::uint8_t* code) {
  const CodebookKernels& kernels = codebook_kernels();
  const std::size_t count = quantizer.codewords();
  const std::size_t parts = quantizer.parts();
  std::size_t end = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = end;
    end = quantizer.part_begin(part + 1);
    const std::size_t nearest = kernels.nearest(rotated + begin, end - begin,
                                                quantizer.codebooks.data() + begin * count, count);
    if (quantizer.bits == 8) {
      code[part] = static_cast<std::uint8_t>(nearest);
    } else if (part % 2 == 0) {
      code[part / 2] = static_cast<std::uint8_t>(nearest);
    } else {
      code[part / 2] = static_cast<std::uint8_t>(code[part / 2] | nearest << 4);
    }
  }
}

void decode(const ProductQuantizer& quantizer, const std::uint8_t* code, float* rotated) {
  const std::size_t count = quantizer.codewords();
  const std::size_t parts = quantizer.parts();
  std::size_t c = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t word = codeword(quantizer, code, part);
    for (const std::size_t end = quantizer.part_begin(part + 1); c < end; ++c) {
      rotated[c] = quantizer.codebooks[c * count + word];
    }
  }
}

void byte_tables(const ProductQuantizer& quantizer, const float* rotated, float* tables) {
  const CodebookKernels& kernels = codebook_kernels();
  const std::size_t count = quantizer.codewords();
  const auto products = [&](std::size_t part, float* out) {
    const std::size_t begin = quantizer.part_begin(part);
    kernels.products(rotated + begin, quantizer.part_begin(part + 1) - begin,
                     quantizer.codebooks.data() + begin * count, count, out);
  };
  for (std::size_t byte = 0; byte < quantizer.bytes; ++byte) {
    float* const table = tables + byte * kByteValues;
    if (quantizer.bits == 8) {
      products(byte, table);
      continue;
    }
    std::array<float, 16> low;
    std::array<float, 16> high;
    products(2 * byte, low.data());
    products(2 * byte + 1, high.data());
    for (std::size_t value = 0; value < kByteValues; ++value) {
      table[value] = low[value % 16] + high[value / 16];
    }
  }
}

}  // namespace warpdex::vector
