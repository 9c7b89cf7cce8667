// One sum a residual, in double precision and in the order of components.
#include "pq/gpu/kernels.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 128;

/// Work item: a residual, a thread. Its reads have gaps; the caches fill them. Memory bounds it.
__global__ void __launch_bounds__(kThreads) add_residual_terms(ResidualTermsTask task) {
  const std::uint32_t own = blockIdx.x * kThreads + threadIdx.x;
  if (own >= task.count) return;
  const float* const residual = task.residuals + std::size_t{own} * task.stride;
  const float* const centroid = task.centroids + std::size_t{task.lists[own / 32]} * task.dimension;
  double term = 0;
  for (std::uint32_t c = 0; c < task.dimension; ++c) {
    const double y = residual[c];
    const double middle = task.centre == nullptr ? 0 : double{task.centre[c]};
    double factor = -middle;
    if (task.is_l2) factor = __dadd_rn(y, __dmul_rn(2, __dsub_rn(centroid[c], middle)));
    term = __dadd_rn(term, __dmul_rn(y, factor));
  }
  task.terms[own] = __double2float_rn(term);
}

}  // namespace

void find_residual_terms(const ResidualTermsTask& task, const Stream& stream) {
  if (task.count == 0) return;
  launch(launch_over("add_residual_terms", task.count, kThreads, stream.handle()),
         add_residual_terms, task);
}

}  // namespace warpdex::vector
