// Codes of a byte a component as codes of whole numbers in lists.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lists/gpu/codes/code_tasks.hpp"
#include "lists/gpu/codes/integer_codes.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/vector/searcher/search_options.hpp"
#include "warpdex/vector/sq8/sq8_coding.hpp"

namespace warpdex::vector {

/// QueryBytes in GPU memory.
struct DeviceQueryBytes {
  const std::uint32_t* words = nullptr;  ///< four bytes each
  std::uint32_t stride = 0;              ///< words from one query to the next, a multiple of 4
  const float* weights = nullptr;
  const float* shifts = nullptr;
  std::uint32_t count = 0;
};

/// Codes in GPU memory.
struct DeviceByteCodes {
  using Queries = DeviceQueryBytes;

  const std::uint8_t* groups = nullptr;
  const float* terms = nullptr;       ///< null: there are none
  const ByteScale* scales = nullptr;  ///< of each list
  std::uint32_t dimension = 0;
  bool is_l2 = false;

  /// Of a vector in a group.
  WARPDEX_HOST_DEVICE std::uint32_t words() const { return (dimension + 3) / 4; }
  WARPDEX_HOST_DEVICE std::size_t group_bytes() const { return std::size_t{words()} * 128; }
};

template <>
class IntegerCodes<Sq8Coding> {
 public:
  using Device = DeviceByteCodes;
  static constexpr const char* kWhat = "codes of bytes";
  static constexpr bool kHasShifts = true;

  explicit IntegerCodes(const Lists<Sq8Coding>& lists);

  Device place(Arena& arena, const Stream* stream) const;
  std::size_t query_bits(const SearchOptions& /*options*/) const { return 8; }
  std::size_t query_words(std::size_t /*bits*/) const {
    return (lists_.quantizer.dimension + 15) / 16 * 4;
  }
  IntegerQuery encode(const float* query, std::size_t bits) const;
  DeviceQueryBytes queries(const IntegerQueries& queries, std::size_t /*bits*/) const {
    return {queries.words, queries.stride, queries.weights, queries.shifts, queries.count};
  }
  bool suits_products(std::size_t /*bits*/) const { return true; }
  void pack(const DeviceQueryBytes& queries, const Device& codes, std::uint8_t* panels,
            const Stream& stream) const;

 private:
  const Lists<Sq8Coding>& lists_;
  double max_scale_ = 0;
  double max_offset_ = 0;
};

void scan_list_codes(const ScanListCodesTask<DeviceByteCodes>& task, const Stream& stream);
void match_list_codes(const MatchListCodesTask<DeviceByteCodes>& task, const Stream& stream);
/// Queues the making of the queries' panels.
void pack_query_bytes(const DeviceQueryBytes& queries, std::uint32_t dimension,
                      std::uint8_t* panels, const Stream& stream);

}  // namespace warpdex::vector
