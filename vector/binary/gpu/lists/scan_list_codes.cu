// Binary codes of lists by XOR and counts of bits.
#include "binary/gpu/lists/binary_list_codes.hpp"
#include "binary/gpu/scan_bits.cuh"
#include "lists/gpu/codes/scan_list_codes.cuh"

namespace warpdex::vector {
namespace {

/// Counting bits bounds it, or writing 8 bytes a vector where there are few bits.
template <int kQueryBits>
class BitListScan {
 public:
  using Codes = DeviceBinaryCodes;

  __device__ BitListScan(const DeviceBinaryCodes& codes, const DeviceQueryCodes& queries,
                         std::uint32_t query)
      : codes_(codes),
        weight_(queries.weights[query]),
        share_(share_of(queries.shares, query)),
        top_(queries.top) {}

  __device__ __forceinline__ int product(std::uint32_t group, const uint4* words) const {
    return top_ - 2 * static_cast<int>(code_distance<kQueryBits>(codes_, group, words));
  }
  __device__ __forceinline__ float weight(std::uint32_t /*list*/, std::uint32_t position) const {
    return codes_.factors == nullptr ? weight_
                                     : __fmul_rn(weight_, __ldg(codes_.factors + position));
  }
  __device__ __forceinline__ float base(std::uint32_t /*list*/, float centroid) const {
    return centroid;
  }
  __device__ __forceinline__ float share() const { return share_; }

 private:
  const DeviceBinaryCodes& codes_;
  float weight_;
  float share_;
  std::int32_t top_;
};

}  // namespace

void scan_list_codes(const ScanListCodesTask<DeviceBinaryCodes>& task, const Stream& stream) {
  switch (task.codes.bits) {
    case 1: return scan_lists_by<BitListScan<1>>(task, stream);
    case 2: return scan_lists_by<BitListScan<2>>(task, stream);
    case 3: return scan_lists_by<BitListScan<3>>(task, stream);
    case 4: return scan_lists_by<BitListScan<4>>(task, stream);
    case 5: return scan_lists_by<BitListScan<5>>(task, stream);
    case 6: return scan_lists_by<BitListScan<6>>(task, stream);
    case 7: return scan_lists_by<BitListScan<7>>(task, stream);
    default: return scan_lists_by<BitListScan<8>>(task, stream);
  }
}

}  // namespace warpdex::vector
