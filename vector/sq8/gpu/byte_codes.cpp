// Uploads codes and scales, and encodes queries.
#include "sq8/gpu/byte_codes.hpp"

#include <cmath>
#include <cstring>

#include "lists/gpu/place_lists.hpp"
#include "sq8/query_bytes.hpp"

namespace warpdex::vector {

/// Scales of a damaged index may be no numbers; then nothing is known of distances.
IntegerCodes<Sq8Coding>::IntegerCodes(const Lists<Sq8Coding>& lists) : lists_(lists) {
  for (const ByteScale& scale : lists.quantizer.scales) {
    const double step = std::abs(double{scale.scale});
    const double offset = std::abs(double{scale.offset});
    if (!(step <= max_scale_)) max_scale_ = step;
    if (!(offset <= max_offset_)) max_offset_ = offset;
    if (std::isnan(max_scale_ + max_offset_)) return;
  }
}

DeviceByteCodes IntegerCodes<Sq8Coding>::place(Arena& arena, const Stream* stream) const {
  Device codes;
  codes.dimension = static_cast<std::uint32_t>(lists_.quantizer.dimension);
  codes.is_l2 = lists_.metric == Metric::kL2;
  codes.groups = vector::place<std::uint8_t>(arena, lists_.codes, stream);
  codes.terms = vector::place<float>(arena, lists_.terms, stream);
  codes.scales = vector::place<ByteScale>(arena, lists_.quantizer.scales, stream);
  return codes;
}

IntegerQuery IntegerCodes<Sq8Coding>::encode(const float* query, std::size_t bits) const {
  const std::size_t dimension = lists_.quantizer.dimension;
  const QueryBytes own = encode_query_bytes(lists_.metric, lists_.centre, query, dimension);
  IntegerQuery made{std::vector<std::uint32_t>(query_words(bits)), own.weight, own.shift, 0};
  std::memcpy(made.words.data(), own.bytes.data(), own.bytes.size());
  const double product = 127.0 * 128.0 * static_cast<double>(dimension);
  made.largest = std::abs(double{own.weight}) * max_scale_ * product +
                 std::abs(double{own.shift}) * max_offset_;
  return made;
}

void IntegerCodes<Sq8Coding>::pack(const DeviceQueryBytes& queries, const Device& codes,
                                   std::uint8_t* panels, const Stream& stream) const {
  pack_query_bytes(queries, codes.dimension, panels, stream);
}

}  // namespace warpdex::vector
