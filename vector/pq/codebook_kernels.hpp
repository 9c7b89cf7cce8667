// A run of components against all codewords of its codebook.
#pragma once

#include <cstddef>

namespace warpdex::vector {

/// One form for each of core's instruction sets; all give the same bits. `book` has `width` rows of
/// `count` floats (a multiple of 16): component c of codeword w is at [c * count + w].
struct CodebookKernels {
  /// out[w] = the sum of fma(x[c], y[c], sum) over the components, in order, from 0.
  void (*products)(const float* x, std::size_t width, const float* book, std::size_t count,
                   float* out);
  /// The first of the codewords with the smallest sum, likewise, of fma(x[c] - y[c], x[c] - y[c],
  /// sum). `count` is 256 at most.
  std::size_t (*nearest)(const float* x, std::size_t width, const float* book, std::size_t count);
};

/// The form for this processor.
const CodebookKernels& codebook_kernels();

}  // namespace warpdex::vector
