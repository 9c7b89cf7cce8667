// A lane holds a component; a vote of the warp is a word of a code.
#include "binary/gpu/kernels.hpp"
#include "integer_codes/gpu/code_value.cuh"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;

/// Work item: a row, a warp; grid-stride over the places of groups. Reading the rows bounds it.
__global__ void __launch_bounds__(kThreads) quantize(QuantizeTask task) {
  const std::uint32_t planes = (task.dimension + kWarp - 1) / kWarp;
  const std::uint32_t words = planes * task.bits;
  const float half = static_cast<float>(1U << (task.bits - 1));
  const float last = static_cast<float>((1U << task.bits) - 1);
  const std::uint32_t places = (task.count + kWarp - 1) / kWarp * kWarp;
  const std::uint32_t step = gridDim.x * (kThreads / kWarp);
  for (std::uint32_t row = blockIdx.x * (kThreads / kWarp) + warp_id(); row < places; row += step) {
    const bool exists =
        row < task.count && (task.sizes == nullptr || row % kWarp < task.sizes[row / kWarp]);
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      const std::uint32_t column = plane * kWarp + lane_id();
      std::uint32_t cell = 0;
      if (exists && column < task.dimension) {
        const float value = task.rows[std::size_t{row} * task.stride + column];
        const float t = __fadd_rn(__fmul_rn(value, task.factor), half);
        cell = static_cast<std::uint32_t>(fminf(fmaxf(t, 0.0F), last));
      }
      std::uint32_t own = 0;
      for (std::uint32_t bit = 0; bit < task.bits; ++bit) {
        const std::uint32_t word =
            __ballot_sync(kWholeWarp, (cell >> (task.bits - 1 - bit) & 1) != 0);
        if (lane_id() == bit) own = word;
      }
      if (lane_id() < task.bits) {
        task.groups[word_place(row, plane * task.bits + lane_id(), words)] = own;
      }
    }
  }
}

}  // namespace

void quantize_rows(const QuantizeTask& task, const Stream& stream) {
  if (task.count == 0) return;
  const std::uint32_t ctas = (task.count - 1) / (kThreads / kWarp) + 1;
  launch({.name = "quantize",
          .ctas = min(ctas, 1U << 16),
          .threads = kThreads,
          .stream = stream.handle()},
         quantize, task);
}

}  // namespace warpdex::vector
