// Bytes of lists, multiplied four at a time.
#include "lists/gpu/codes/scan_list_codes.cuh"
#include "sq8/gpu/byte_codes.hpp"

namespace warpdex::vector {
namespace {

__device__ __forceinline__ int add_four(std::uint32_t code, std::uint32_t query, int sum) {
  return __dp4a(static_cast<int>(code), static_cast<int>(query), sum);
}

/// Reading the codes bounds it: a byte a component of each vector of a query's lists, and 16 bytes
/// a vector for its term, its row, and the distance and the row that are written.
class ByteListScan {
 public:
  using Codes = DeviceByteCodes;

  __device__ ByteListScan(const DeviceByteCodes& codes, const DeviceQueryBytes& queries,
                          std::uint32_t query)
      : codes_(codes), weight_(queries.weights[query]), shift_(queries.shifts[query]) {}

  __device__ __forceinline__ int product(std::uint32_t group, const uint4* query) const {
    const std::uint32_t words = codes_.words();
    const std::uint32_t chunks = words / 4;
    const std::uint8_t* const begin = codes_.groups + group * codes_.group_bytes();
    const auto* const own = reinterpret_cast<const uint4*>(begin) + lane_id();
    int sum = 0;
#pragma unroll 4
    for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
      const uint4 code = __ldg(own + chunk * kWarp);
      const uint4 part = query[chunk];
      sum = add_four(code.x, part.x, sum);
      sum = add_four(code.y, part.y, sum);
      sum = add_four(code.z, part.z, sum);
      sum = add_four(code.w, part.w, sum);
    }
    const std::uint32_t width = words % 4;
    if (width == 0) return sum;
    const auto* const rest =
        reinterpret_cast<const std::uint32_t*>(begin + chunks * kWarp * 16) + lane_id() * width;
    const uint4 part = query[chunks];
    sum = add_four(__ldg(rest), part.x, sum);
    if (width > 1) sum = add_four(__ldg(rest + 1), part.y, sum);
    if (width > 2) sum = add_four(__ldg(rest + 2), part.z, sum);
    return sum;
  }
  __device__ __forceinline__ float weight(std::uint32_t list, std::uint32_t /*position*/) const {
    return __fmul_rn(weight_, codes_.scales[list].scale);
  }
  __device__ __forceinline__ float base(std::uint32_t list, float centroid) const {
    return __fadd_rn(centroid, __fmul_rn(shift_, codes_.scales[list].offset));
  }

 private:
  const DeviceByteCodes& codes_;
  float weight_;
  float shift_;
};

}  // namespace

void scan_list_codes(const ScanListCodesTask<DeviceByteCodes>& task, const Stream& stream) {
  scan_lists_by<ByteListScan>(task, stream);
}

}  // namespace warpdex::vector
