// Packs vectors and queries into panels.
#include <cuda_fp16.h>

#include <algorithm>
#include <cfloat>

#include "flat/gpu/canonical.cuh"
#include "flat/gpu/panel_layout.cuh"
#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr float kLargestHalf = 65504.0F;

/// Two components of a row, less the centre's, scaled; 0 past the dimension.
template <class Component>
__device__ float2 load_pair(const Component* row, const float* centre, std::uint32_t column,
                            std::uint32_t dimension, float factor) {
  float2 pair{0, 0};
  if (column < dimension) {
    pair.x = to_float(row[column]);
    if (centre != nullptr) pair.x = __fsub_rn(pair.x, centre[column]);
  }
  if (column + 1 < dimension) {
    pair.y = to_float(row[column + 1]);
    if (centre != nullptr) pair.y = __fsub_rn(pair.y, centre[column + 1]);
  }
  return {pair.x * factor, pair.y * factor};
}

/// Work item: two rows, half a warp each, which takes a chunk at a time. Memory bounds it.
template <class Component>
__global__ void __launch_bounds__(kThreads)
    pack(DeviceRows rows, DeviceChoice choice, TileOrder order, PanelRules rules,
         std::uint32_t first_place, RowPanels panels) {
  const std::uint32_t half_warp = lane_id() / 16;
  const std::uint32_t offset = (blockIdx.x * kWarps + warp_id()) * 2 + half_warp;
  const std::uint32_t position = position_of(choice, order, first_place + offset);
  const Component* const row = static_cast<const Component*>(rows.data) +
                               std::size_t{position == kNoRow ? 0 : position} * rows.stride;
  std::uint8_t* const panel = panels.halves + offset / kPanelRows * panel_bytes(rows.dimension);
  const std::uint32_t dimension = position == kNoRow ? 0 : rows.dimension;
  for (std::uint32_t chunk = 0; chunk < panel_chunks(rows.dimension); ++chunk) {
    const std::uint32_t within = lane_id() % 16 * 2;
    const float2 pair =
        load_pair(row, rules.centre, chunk * kChunkColumns + within, dimension, rules.scale);
    *reinterpret_cast<__half2*>(panel + chunk * kChunkBytes +
                                chunk_offset(offset % kPanelRows, within)) =
        __floats2half2_rn(pair.x, pair.y);
  }
  if (lane_id() % 16 != 0) return;
  const RowFacts facts = find_row_facts(rows, position, rules);
  panels.offsets[offset] = facts.offset;
  panels.slacks[offset] = facts.slack;
}

__device__ double warp_sum(double value) {
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value += __shfl_xor_sync(kWholeWarp, value, lanes);
  }
  return value;
}

/// Work item: a row, a warp; grid-stride. Reading the rows bounds it.
template <class Component>
__global__ void __launch_bounds__(kThreads)
    find_rounding(DeviceRows rows, std::uint32_t count, PanelRules rules, float* largest) {
  const float smallest = 0x1p-25F * sqrtf(static_cast<float>(rows.dimension));
  float ratio = 0;
  for (std::uint32_t row = blockIdx.x * kWarps + warp_id(); row < count;
       row += gridDim.x * kWarps) {
    const auto* const from =
        static_cast<const Component*>(rows.data) + std::size_t{row} * rows.stride;
    double error = 0;
    double squared = 0;
    for (std::uint32_t column = lane_id() * 2; column < rows.dimension; column += 2 * kWarp) {
      const float2 x = load_pair(from, rules.centre, column, rows.dimension, rules.scale);
      const float2 rounded = __half22float2(__floats2half2_rn(x.x, x.y));
      const float2 left{__fsub_rn(x.x, rounded.x), __fsub_rn(x.y, rounded.y)};
      error += double{left.x} * double{left.x} + double{left.y} * double{left.y};
      squared += double{x.x} * double{x.x} + double{x.y} * double{x.y};
    }
    const double length = sqrt(warp_sum(squared));
    const double off = sqrt(warp_sum(error)) - double{smallest};
    if (off > 0) ratio = fmaxf(ratio, __double2float_ru(off / length));
  }
  // Ratios are not negative, so their bits have their order.
  if (lane_id() == 0) atomicMax(reinterpret_cast<int*>(largest), __float_as_int(ratio));
}

/// What is known of a query, the same in all lanes of its warp.
struct QueryFacts {
  float factor;   ///< of components
  float scale;    ///< of distances to sums
  float squared;  ///< for L2: its squared length from the centre, scaled
  bool is_open;
};

__device__ QueryFacts find_facts(const float* query, std::uint32_t dimension,
                                 const PanelRules& rules) {
  double squared = 0;
  float largest = 0;
  for (std::uint32_t column = lane_id(); column < dimension; column += kWarp) {
    const float left =
        rules.centre == nullptr ? query[column] : __fsub_rn(query[column], rules.centre[column]);
    squared += double{left} * double{left};
    largest = fmaxf(largest, fabsf(left));
    if (isnan(left)) largest = __int_as_float(0x7F800000);
  }
  squared = warp_sum(squared);
  largest = warp_max(largest);
  QueryFacts facts{};
  if (rules.bound.is_l2) {
    facts.factor = -2 * rules.scale;
    facts.scale = rules.scale * rules.scale;
    facts.squared = static_cast<float>(squared * double{facts.scale});
  } else {
    // Its length becomes less than kQueryLength.
    const int exponent = squared > 0 ? ilogb(squared) / 2 + 1 : 0;
    const float own = scalbnf(kQueryLength, -min(max(exponent + 1, -100), 100));
    facts.factor = -own;
    facts.scale = own * rules.scale;
  }
  // Canonical distances of longer queries may pass the range of floats (error_bound.hpp).
  facts.is_open = !(largest * fabsf(facts.factor) <= kLargestHalf) || !isfinite(facts.squared) ||
                  !(squared <= 0x1p120);
  return facts;
}

/// Work item: a query, a warp.
__global__ void __launch_bounds__(kThreads)
    pack_query(DeviceQueries queries, std::uint32_t dimension, PanelRules rules,
               const float* wanted_values, std::size_t stride, QueryPanels panels) {
  const std::uint32_t index = blockIdx.x * kWarps + warp_id();
  const bool exists = index < queries.count;
  const float* const query = queries.values + std::size_t{exists ? index : 0} * queries.stride;
  const QueryFacts facts = find_facts(query, dimension, rules);
  const bool is_packed = exists && !facts.is_open;
  std::uint8_t* const panel = panels.halves + index / kPanelRows * panel_bytes(dimension);
  double error = 0;
  double squared = 0;
  for (std::uint32_t chunk = 0; chunk < panel_chunks(dimension); ++chunk) {
    const std::uint32_t column = chunk * kChunkColumns + lane_id();
    float component = 0;
    if (is_packed && column < dimension) {
      component = query[column];
      if (rules.centre != nullptr) component = __fsub_rn(component, rules.centre[column]);
      component *= facts.factor;
    }
    const __half rounded = __float2half_rn(component);
    *reinterpret_cast<__half*>(panel + chunk * kChunkBytes +
                               chunk_offset(index % kPanelRows, lane_id())) = rounded;
    const double left = __fsub_rn(component, __half2float(rounded));
    error += left * left;
    squared += double{component} * double{component};
  }
  error = sqrt(warp_sum(error));
  squared = sqrt(warp_sum(squared));
  if (lane_id() != 0) return;
  const HalfBound& bound = rules.bound;
  const float shift = bound.is_l2 ? (1 - bound.relative) * facts.squared : 0;
  const float canonical = bound.canonical_absolute * facts.scale;
  float limit = is_packed ? FLT_MAX : -FLT_MAX;
  if (is_packed && wanted_values != nullptr) {
    const float value = wanted_values[index * stride] * facts.scale;
    const float sum =
        value - shift + 0x1p-21F * (fabsf(value) + shift) + bound.absolute + canonical;
    if (sum < FLT_MAX) limit = sum;
  }
  panels.limits[index] = limit;
  if (!exists) return;
  panels.slacks[index] = 2 * canonical + (bound.is_l2 ? 2 * bound.relative * facts.squared : 0);
  panels.shifts[index] = shift;
  panels.scales[index] = facts.scale;
  panels.is_open[index] = facts.is_open ? 1 : 0;
  if (panels.roundings == nullptr) return;
  const double off = error - double{0x1p-25F} * sqrt(static_cast<double>(dimension));
  panels.roundings[index] = off > 0 ? fminf(__double2float_ru(off / squared), HalfBound::kUnit) : 0;
}

}  // namespace

float measure_rounding(const DeviceRows& rows, std::uint32_t count, const PanelRules& rules,
                       float* largest, const Stream& stream) {
  constexpr std::uint32_t kMaxCtas = 2048;
  check_cuda(cudaMemsetAsync(largest, 0, sizeof(float), stream.handle()), "cudaMemsetAsync");
  const auto kernel = rows.store == Store::kFloat ? find_rounding<float> : find_rounding<__half>;
  launch({.name = "find_rounding",
          .ctas = std::min(kMaxCtas, (count - 1) / kWarps + 1),
          .threads = kThreads,
          .stream = stream.handle()},
         kernel, rows, count, rules, largest);
  float ratio = 0;
  check_cuda(
      cudaMemcpyAsync(&ratio, largest, sizeof(float), cudaMemcpyDeviceToHost, stream.handle()),
      "cudaMemcpyAsync");
  stream.synchronize();
  return std::min(ratio * 1.001F, HalfBound::kUnit);
}

void pack_rows(const DeviceRows& rows, const DeviceChoice& choice, const TileOrder& order,
               const PanelRules& rules, std::uint32_t first, std::uint32_t count,
               const RowPanels& panels, const Stream& stream) {
  const auto kernel = rows.store == Store::kFloat ? pack<float> : pack<__half>;
  launch({.name = "pack",
          .ctas = count * kPanelRows / (2 * kWarps),
          .threads = kThreads,
          .stream = stream.handle()},
         kernel, rows, choice, order, rules, first * kPanelRows, panels);
}

void pack_queries(const DeviceQueries& queries, std::uint32_t dimension, const PanelRules& rules,
                  const float* wanted_values, std::size_t stride, const QueryPanels& panels,
                  const Stream& stream) {
  const std::uint32_t count = (queries.count + kPanelRows - 1) / kPanelRows * kPanelRows;
  launch({.name = "pack_query",
          .ctas = count / kWarps,
          .threads = kThreads,
          .stream = stream.handle()},
         pack_query, queries, dimension, rules, wanted_values, stride, panels);
}

}  // namespace warpdex::vector
