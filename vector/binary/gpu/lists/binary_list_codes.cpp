// Uploads codes and factors, and encodes queries.
#include "binary/gpu/lists/binary_list_codes.hpp"

#include <algorithm>
#include <cmath>

#include "binary/gpu/kernels.hpp"
#include "binary/query_code.hpp"
#include "lists/gpu/place_lists.hpp"

namespace warpdex::vector {

IntegerCodes<BinaryCoding>::IntegerCodes(const Lists<BinaryCoding>& lists) : lists_(lists) {
  if (!lists.factors.empty()) max_factor_ = 0;
  for (const float factor : lists.factors) {
    if (!(std::abs(factor) <= max_factor_)) max_factor_ = std::abs(factor);
  }
  for (const float term : lists.terms) {
    if (!(std::abs(term) <= max_term_)) max_term_ = std::abs(term);
  }
}

DeviceBinaryCodes IntegerCodes<BinaryCoding>::place(Arena& arena, const Stream* stream) const {
  Device codes;
  codes.rows = static_cast<std::uint32_t>(lists_.rows());
  codes.dimension = static_cast<std::uint32_t>(lists_.quantizer.dimension);
  codes.bits = static_cast<std::uint32_t>(lists_.quantizer.bits);
  codes.is_l2 = lists_.metric == Metric::kL2;
  codes.groups = vector::place<std::uint8_t>(arena, lists_.codes, stream);
  codes.terms = vector::place<float>(arena, lists_.terms, stream);
  codes.factors = vector::place<float>(arena, lists_.factors, stream);
  return codes;
}

std::size_t IntegerCodes<BinaryCoding>::query_words(std::size_t bits) const {
  return code_shape(lists_.quantizer, bits).query_words();
}

IntegerQuery IntegerCodes<BinaryCoding>::encode(const float* query, std::size_t bits) const {
  QueryCode code = encode_query(lists_.metric, lists_.quantizer, bits, query);
  const double largest =
      std::abs(double{code.weight}) * double{max_factor_} * static_cast<double>(code.top) +
      double{code.share} * double{max_term_};
  return {std::move(code.words), code.weight, code.share, largest};
}

DeviceQueryCodes IntegerCodes<BinaryCoding>::queries(const IntegerQueries& queries,
                                                     std::size_t bits) const {
  return {queries.words,
          queries.stride,
          queries.weights,
          nullptr,
          queries.count,
          static_cast<std::uint32_t>(bits),
          code_product_top(lists_.quantizer, bits),
          queries.shifts};
}

bool IntegerCodes<BinaryCoding>::suits_products(std::size_t bits) const {
  return std::max(lists_.quantizer.bits, bits) <= kMaxByteBits &&
         code_product_top(lists_.quantizer, bits) <= kMaxExactProduct;
}

void IntegerCodes<BinaryCoding>::pack(const DeviceQueryCodes& queries, const Device& codes,
                                      std::uint8_t* panels, const Stream& stream) const {
  unpack_queries(queries, codes, PanelNumber::kByte, panels, stream);
}

}  // namespace warpdex::vector
