// Binary codes of lists become signed bytes.
//
// Counted for codes of 4 bits: to unpack 64 components of 128 vectors takes a thread some 160
// instructions, 320 cycles of a multiprocessor; their product with 128 queries 250 cycles of the
// tensor cores; to compare a tile's sums with limits some 800. So comparing and unpacking bound it.
#include "binary/gpu/lists/binary_list_codes.hpp"
#include "binary/gpu/unpack_bytes.cuh"
#include "lists/gpu/codes/match_list_codes.cuh"

namespace warpdex::vector {
namespace {

template <bool kWithFactors>
struct BitListForm {
  using Codes = DeviceBinaryCodes;
  static constexpr bool kHasFactors = kWithFactors;

  /// Products are negative: queries are negated.
  static __device__ float weight(const DeviceBinaryCodes& /*codes*/,
                                 const DeviceQueryCodes& queries, std::uint32_t query,
                                 std::uint32_t /*list*/) {
    return -queries.weights[query];
  }
  static __device__ float base(const DeviceBinaryCodes& /*codes*/,
                               const DeviceQueryCodes& /*queries*/, std::uint32_t /*query*/,
                               std::uint32_t /*list*/, float centroid) {
    return centroid;
  }
  static __device__ float share(const DeviceQueryCodes& queries, std::uint32_t query) {
    return share_of(queries.shares, query);
  }

  static __device__ void bring(const DeviceBinaryCodes& codes, std::uint32_t group, bool exists,
                               std::uint32_t plane, std::uint32_t low, std::uint32_t high) {
    std::uint32_t numbers[8] = {};
    if (exists && plane < codes.plane_words()) {
      std::uint32_t words[kMaxBits];
#pragma unroll
      for (std::uint32_t bit = 0; bit < kMaxBits; ++bit) {
        words[bit] = bit < codes.bits ? load_word(codes, group, plane * codes.bits + bit) : 0;
      }
      const std::uint32_t last_cell = last_of_four(codes.bits);
#pragma unroll
      for (std::uint32_t i = 0; i < 8; ++i) {
        numbers[i] = __vsub4(unpack_four(words, codes.bits, i), last_cell);
      }
    }
    store_16_bytes(low, uint4{numbers[0], numbers[1], numbers[2], numbers[3]});
    store_16_bytes(high, uint4{numbers[4], numbers[5], numbers[6], numbers[7]});
  }
};

static_assert(HasShares<BitListForm<true>>);

}  // namespace

void match_list_codes(const MatchListCodesTask<DeviceBinaryCodes>& task, const Stream& stream) {
  if (task.lists.codes.factors != nullptr) {
    match_lists_by<BitListForm<true>>(task, stream);
  } else {
    match_lists_by<BitListForm<false>>(task, stream);
  }
}

}  // namespace warpdex::vector
