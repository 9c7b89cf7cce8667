// Packs centroids, and finds what their bounds have in common.
#include "flat/gpu/panel_layout.cuh"
#include "kmeans/gpu/assign_points.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

/// The largest of the values of all threads of a CTA of 1,024.
__device__ float block_max(float value, float (&warps)[32]) {
  value = warp_max(value);
  __syncthreads();
  if (lane_id() == 0) warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  for (const float other : warps) value = fmaxf(value, other);
  return value;
}

/// Work item: a centroid's place in the panels, a thread of one CTA. The centroids' rounding, as it
/// was, takes the place of the largest that there can be: bounds come closer to each other.
__global__ void __launch_bounds__(1024) set_offsets(CentroidPanels centroids, HalfBound bound) {
  __shared__ float warps[32];
  const float infinity = __int_as_float(0x7F800000);
  float rounding = 0;
  for (std::uint32_t i = threadIdx.x; i < centroids.count; i += blockDim.x) {
    rounding = fmaxf(rounding, centroids.panels.roundings[i]);
  }
  rounding = fminf(block_max(rounding, warps) * 1.001F, HalfBound::kUnit);
  const float relative = bound.relative - (HalfBound::kUnit - rounding);
  const std::uint32_t places = (centroids.count + kPanelRows - 1) / kPanelRows * kPanelRows;
  float slack = 0;
  for (std::uint32_t i = threadIdx.x; i < places; i += blockDim.x) {
    centroids.offsets[i] = infinity;
    if (i >= centroids.count) continue;
    if (centroids.is_closed != nullptr && centroids.is_closed[i] != 0) continue;
    // Where nothing is known of its products, all centroids are compared.
    const bool is_known = centroids.panels.is_open[i] == 0;
    const float size = centroids.panels.shifts[i] / (1 - bound.relative);
    centroids.sizes[i] = size;
    centroids.offsets[i] = is_known ? (1 - relative) * size - bound.absolute : 0;
    const float canonical = centroids.panels.slacks[i] - 2 * bound.relative * size;
    slack = fmaxf(slack, is_known ? 2 * relative * size + fmaxf(0, canonical) : infinity);
  }
  slack = block_max(slack, warps);
  if (threadIdx.x != 0) return;
  // Points have slacks by the bound as it was: some of it is left over, and covers roundings here.
  centroids.bounds->slack = slack * 1.001F + 2 * bound.absolute;
  centroids.bounds->share = relative / bound.relative * 1.001F;
  centroids.bounds->relative = relative;
}

}  // namespace

void pack_centroids(const CentroidPanels& centroids, std::uint32_t dimension,
                    const PanelRules& rules, const Stream& stream) {
  pack_queries({centroids.centroids, centroids.count, dimension}, dimension, rules, nullptr, 0,
               centroids.panels, stream);
  launch({.name = "set_offsets", .ctas = 1, .threads = 1024, .stream = stream.handle()},
         set_offsets, centroids, rules.bound);
}

}  // namespace warpdex::vector
