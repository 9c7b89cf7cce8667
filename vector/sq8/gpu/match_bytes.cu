// Bytes of lists as the tensor cores multiply them: a chunk of 16 bytes of a code is a unit of a
// panel.
//
// To compare a tile's 128 x 128 sums with limits takes some 800 cycles of a multiprocessor, their
// products 250 cycles for each 64 components; a list is read once for 128 queries. So comparing
// bounds it up to some 200 components, the tensor cores beyond.
#include "lists/gpu/codes/match_list_codes.cuh"
#include "sq8/gpu/byte_codes.hpp"

namespace warpdex::vector {
namespace {

struct ByteListForm {
  using Codes = DeviceByteCodes;
  static constexpr bool kHasFactors = false;

  static __device__ float weight(const DeviceByteCodes& codes, const DeviceQueryBytes& queries,
                                 std::uint32_t query, std::uint32_t list) {
    return __fmul_rn(queries.weights[query], codes.scales[list].scale);
  }
  static __device__ float base(const DeviceByteCodes& codes, const DeviceQueryBytes& queries,
                               std::uint32_t query, std::uint32_t list, float centroid) {
    return __fadd_rn(centroid, __fmul_rn(queries.shifts[query], codes.scales[list].offset));
  }

  /// Components 32 p to 32 p + 31.
  static __device__ void bring(const DeviceByteCodes& codes, std::uint32_t group, bool exists,
                               std::uint32_t p, std::uint32_t low, std::uint32_t high) {
    bring_unit(codes, group, exists, 2 * p, low);
    bring_unit(codes, group, exists, 2 * p + 1, high);
  }

 private:
  static __device__ void bring_unit(const DeviceByteCodes& codes, std::uint32_t group, bool exists,
                                    std::uint32_t chunk, std::uint32_t to) {
    const std::uint32_t words = codes.words();
    if (!exists || chunk * 4 >= words) {
      store_16_bytes(to, uint4{0, 0, 0, 0});
      return;
    }
    const std::uint32_t width = min(4U, words - chunk * 4);
    const auto* const own = reinterpret_cast<const std::uint32_t*>(
                                codes.groups + group * codes.group_bytes() + chunk * kWarp * 16) +
                            lane_id() * width;
    if (width == 4) {
      copy_16_bytes(to, own);
      return;
    }
    store_16_bytes(
        to, uint4{__ldg(own), width > 1 ? __ldg(own + 1) : 0, width > 2 ? __ldg(own + 2) : 0, 0});
  }
};

constexpr std::uint32_t kUnitsOfRow = kChunkBytes / kPanelRows / 16;

/// Work item: a query and a chunk, a thread; grid of panels and chunks. There are few.
__global__ void __launch_bounds__(kPanelRows)
    pack_bytes(DeviceQueryBytes queries, std::uint8_t* panels, std::uint32_t chunks) {
  const std::uint32_t query = blockIdx.x * kPanelRows + threadIdx.x;
  std::uint8_t* const chunk =
      panels + (std::size_t{blockIdx.x} * chunks + blockIdx.y) * kChunkBytes;
  for (std::uint32_t unit = 0; unit < kUnitsOfRow; ++unit) {
    const std::uint32_t word = (blockIdx.y * kUnitsOfRow + unit) * 4;
    uint4 four{0, 0, 0, 0};
    if (query < queries.count && word < queries.stride) {
      four = *reinterpret_cast<const uint4*>(queries.words + std::size_t{query} * queries.stride +
                                             word);
    }
    *reinterpret_cast<uint4*>(chunk + unit_offset(threadIdx.x, unit)) = four;
  }
}

}  // namespace

void match_list_codes(const MatchListCodesTask<DeviceByteCodes>& task, const Stream& stream) {
  match_lists_by<ByteListForm>(task, stream);
}

void pack_query_bytes(const DeviceQueryBytes& queries, std::uint32_t dimension,
                      std::uint8_t* panels, const Stream& stream) {
  const std::uint32_t chunks = code_chunks(dimension, PanelNumber::kByte);
  launch({.name = "pack_bytes",
          .ctas = dim3((queries.count + kPanelRows - 1) / kPanelRows, chunks),
          .threads = kPanelRows,
          .stream = stream.handle()},
         pack_bytes, queries, panels, chunks);
}

}  // namespace warpdex::vector
