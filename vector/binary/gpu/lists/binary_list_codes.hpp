// Binary codes as codes of whole numbers in lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "lists/gpu/codes/code_tasks.hpp"
#include "lists/gpu/codes/integer_codes.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

template <>
class IntegerCodes<BinaryCoding> {
 public:
  using Device = DeviceBinaryCodes;
  static constexpr const char* kWhat = "binary codes";
  static constexpr bool kHasShifts = true;  ///< shares of the centre

  explicit IntegerCodes(const Lists<BinaryCoding>& lists);

  Device place(Arena& arena, const Stream* stream) const;
  std::size_t query_bits(const SearchOptions& options) const {
    return settled_query_bits(options.query_bits, lists_.quantizer.bits);
  }
  std::size_t query_words(std::size_t bits) const;
  IntegerQuery encode(const float* query, std::size_t bits) const;
  DeviceQueryCodes queries(const IntegerQueries& queries, std::size_t bits) const;
  bool suits_products(std::size_t bits) const;
  void pack(const DeviceQueryCodes& queries, const Device& codes, std::uint8_t* panels,
            const Stream& stream) const;

 private:
  const Lists<BinaryCoding>& lists_;
  float max_factor_ = 1;
  float max_term_ = 0;
};

void scan_list_codes(const ScanListCodesTask<DeviceBinaryCodes>& task, const Stream& stream);
/// Codes and queries have up to kMaxByteBits bits, products up to kMaxExactProduct.
void match_list_codes(const MatchListCodesTask<DeviceBinaryCodes>& task, const Stream& stream);

}  // namespace warpdex::vector
