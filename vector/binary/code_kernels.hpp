// The hot loops of binary codes: floats to bits, and XOR of codes with the counts of bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpdex::vector {

/// How codes and a query's code look.
struct CodeShape {
  std::size_t plane_words;  ///< BinaryQuantizer::plane_words()
  std::size_t bits;         ///< of a component of the codes
  std::size_t query_bits;   ///< of a component of the query

  std::size_t code_words() const { return plane_words * bits; }
  std::size_t chunks() const { return (code_words() + 3) / 4; }
  /// Words of the query as `xor_distances` reads it.
  std::size_t query_words() const { return chunks() * query_bits * 4; }
};

/// One form for each of core's instruction sets; all give the same numbers.
struct CodeKernels {
  /// Component c < `padded` (a multiple of 32) of `values` becomes the number of its cell: with
  /// t = values[c] * factor + half, each operation rounded, t cut to [0, 2^bits - 1] and its
  /// fraction left out. NaN becomes 0. Writes padded / 32 * bits words, as BinaryQuantizer says,
  /// also of components past the dimension.
  void (*quantize)(const float* values, std::size_t padded, float factor, std::size_t bits,
                   std::uint32_t* words);

  /// out[32 g + v] = the distance of vector v of group g < `groups`: the sum, over all bits i of
  /// the codes and j of the query, of 2^i 2^j times the components whose bits differ. `codes` are
  /// groups as in CodeGroups. `query` has in [(chunk * query_bits + j) * 4 + w] the bits j, the
  /// highest first, of the components that word 4 * chunk + w of a code is about; 0 past the last
  /// word.
  void (*xor_distances)(const std::uint8_t* codes, std::size_t groups, const CodeShape& shape,
                        const std::uint32_t* query, std::uint32_t* out);
};

/// The words of a query as `xor_distances` reads them. `code` has for each 32 components a word of
/// each of the query's bits, the highest first.
void lay_out_query(const CodeShape& shape, const std::vector<std::uint32_t>& code,
                   std::vector<std::uint32_t>& words);

/// The form for this processor.
const CodeKernels& code_kernels();

/// One form each, for code_kernels() and for tests; those that this processor lacks must not be
/// called.
extern const CodeKernels kBaselineCodes;
#if defined(__x86_64__)
extern const CodeKernels kAvx2Codes;
/// Besides AVX-512 as core knows it, this needs VPOPCNTDQ.
extern const CodeKernels kAvx512Codes;
/// Whether the processor has it.
bool has_avx512_popcount();
#endif

}  // namespace warpdex::vector
