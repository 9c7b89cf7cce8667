// Canonical distances of single (query, row) pairs, eight rows of one query a warp.
#include <algorithm>

#include "flat/gpu/candidate_lists.cuh"
#include "flat/gpu/canonical.cuh"
#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/block_select.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr int kRows = 8;

/// The number by which answers name a place of the choice.
__device__ std::uint32_t id_of(const DeviceChoice& choice, std::uint32_t place) {
  return choice.ids == nullptr ? choice.first_id + place : choice.ids[place];
}

/// Values (smaller when nearer) of the candidates [first, first + 8), of which those from `end` on
/// do not count. Lane l gets that of candidate first + l / 4. A warp.
template <class Component, bool kIsL2>
__device__ float compute_values(const RescoreTask& task, const float* query,
                                const Candidate* candidates, std::uint64_t first, std::uint64_t end,
                                std::uint32_t& id) {
  const auto* const data = static_cast<const Component*>(task.rows.data);
  const Component* row[kRows];
  id = kNoId<std::uint32_t>;
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const std::uint64_t i = min(first + r, end - 1);
    const std::uint32_t place = task.order.row(candidates[i].place);
    const std::uint32_t position =
        task.choice.positions == nullptr ? place : task.choice.positions[place];
    row[r] = data + std::size_t{position} * task.rows.stride;
    if (first_sum<kRows>() == r && first + r < end) id = id_of(task.choice, place);
  }
  float sums[kRows] = {};
  add_terms<kIsL2, kRows, 1>(row, query, task.queries.stride, task.rows.dimension, sums);
  add_lanes<kRows>(sums);
  return ascending_value<kIsL2>(sums[0]);
}

/// The same number as the host's order_key().
__device__ std::uint64_t make_order_key(float value, std::uint32_t id) {
  constexpr std::uint32_t kSign = 0x80000000U;
  std::uint32_t bits = __float_as_uint(value);
  bits = isnan(value) ? ~0U : (bits & kSign) != 0 ? ~bits : bits | kSign;
  return std::uint64_t{bits} << 32 | id;
}

/// Work item: a query, a CTA. Shared memory: the query, then the entries of the selection. Reads of
/// scattered rows bound it.
template <class Component, bool kIsL2>
__global__ void __launch_bounds__(kThreads)
    rescore_lists(RescoreTask task, DeviceAnswers answers, bool has_answers, int capacity) {
  wait_for_previous();
  extern __shared__ __align__(16) std::uint8_t shared[];
  __shared__ BlockStorage<Packed32> storage;
  const std::uint32_t query = blockIdx.x;
  if (task.is_open[query] != 0) {
    for (std::uint32_t i = threadIdx.x; i < answers.k && !has_answers; i += kThreads) {
      answers.values[std::size_t{query} * answers.k + i] = __int_as_float(0x7F800000);
      answers.ids[std::size_t{query} * answers.k + i] = kNoId<std::uint32_t>;
    }
    return;
  }
  auto* const entries = reinterpret_cast<Packed32*>(shared);
  auto* const components = reinterpret_cast<float*>(entries + capacity);
  for (std::uint32_t i = threadIdx.x; i < task.queries.stride; i += kThreads) {
    components[i] = task.queries.values[std::size_t{query} * task.queries.stride + i];
  }
  BlockQueue<Packed32> queue(entries, capacity, static_cast<int>(answers.k), storage);
  const std::size_t first_answer = std::size_t{query} * answers.k;
  const std::uint32_t given = has_answers ? answers.k : 0;
  for (std::uint32_t first = 0; first < given; first += kThreads) {
    const std::uint32_t i = first + threadIdx.x;
    Packed32 entry = missing_entry<Packed32>();
    if (i < given) {
      entry = nearest_entry(answers.values[first_answer + i], answers.ids[first_answer + i]);
    }
    queue.add(entry < queue.limit() ? 1U : 0U, [&](int) { return entry; });
  }
  const Candidate* const candidates = task.lists.candidates + query * task.lists.capacity;
  const std::uint32_t count = task.lists.counts[query];
  for (std::uint32_t first = 0; first < count; first += kWarps * kRows) {
    const std::uint32_t own = first + warp_id() * kRows;
    Packed32 entry = missing_entry<Packed32>();
    if (own < count) {
      std::uint32_t id;
      const float value =
          compute_values<Component, kIsL2>(task, components, candidates, own, count, id);
      if (lane_id() % 4 == 0) entry = nearest_entry(value, id);
    }
    queue.add(entry < queue.limit() ? 1U : 0U, [&](int) { return entry; });
  }
  queue.finish();
  for (std::uint32_t rank = threadIdx.x; rank < answers.k; rank += kThreads) {
    unpack<float, std::uint32_t>(
        queue.entries()[rank], KeyRules<float>::flip(SelectOrder::kSmallest),
        answers.values[first_answer + rank], answers.ids[first_answer + rank]);
  }
}

/// Work item: a query, gridDim.y CTAs. Shared memory: the query.
template <class Component, bool kIsL2>
__global__ void __launch_bounds__(kThreads) rescore_keys(RescoreTask task, std::uint64_t* keys) {
  extern __shared__ float components[];
  const std::uint32_t query = blockIdx.x;
  for (std::uint32_t i = threadIdx.x; i < task.queries.stride; i += kThreads) {
    components[i] = task.queries.values[std::size_t{query} * task.queries.stride + i];
  }
  __syncthreads();
  const std::uint64_t end = task.lists.begins[query + 1];
  std::uint64_t first = task.lists.begins[query] + (blockIdx.y * kWarps + warp_id()) * kRows;
  for (; first < end; first += std::uint64_t{gridDim.y} * kWarps * kRows) {
    std::uint32_t id;
    const float value =
        compute_values<Component, kIsL2>(task, components, task.lists.candidates, first, end, id);
    const std::uint64_t i = first + first_sum<kRows>();
    if (lane_id() % 4 == 0 && i < end) keys[i] = make_order_key(value, id);
  }
}

template <class Component, bool kIsL2>
void launch_lists(const RescoreTask& task, const DeviceAnswers& answers, bool has_answers,
                  const Stream& stream) {
  const auto kernel = rescore_lists<Component, kIsL2>;
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const int capacity = block_capacity(answers.k);
  launch({.name = "rescore_lists",
          .ctas = task.queries.count,
          .threads = kThreads,
          .shared_memory = static_cast<std::size_t>(capacity) * sizeof(Packed32) +
                           task.queries.stride * sizeof(float),
          .stream = stream.handle(),
          .overlaps = task.overlaps},
         kernel, task, answers, has_answers, capacity);
}

template <class Component, bool kIsL2>
void launch_keys(const RescoreTask& task, std::uint64_t total, std::uint64_t* keys,
                 const Stream& stream) {
  const auto kernel = rescore_keys<Component, kIsL2>;
  const auto ctas = static_cast<unsigned>(
      std::clamp<std::uint64_t>(total / task.queries.count / (kWarps * kRows) + 1, 1, 256));
  launch({.name = "rescore_keys",
          .ctas = dim3(task.queries.count, ctas),
          .threads = kThreads,
          .shared_memory = task.queries.stride * sizeof(float),
          .stream = stream.handle()},
         kernel, task, keys);
}

}  // namespace

void rescore(const RescoreTask& task, const DeviceAnswers& answers, bool has_answers,
             const Stream& stream) {
  if (task.rows.store == Store::kFloat) {
    (task.is_l2 ? launch_lists<float, true> : launch_lists<float, false>)(task, answers,
                                                                          has_answers, stream);
  } else {
    (task.is_l2 ? launch_lists<__half, true> : launch_lists<__half, false>)(task, answers,
                                                                            has_answers, stream);
  }
}

void rescore_all(const RescoreTask& task, std::uint64_t total, std::uint64_t* keys,
                 const Stream& stream) {
  if (total == 0) return;
  if (task.rows.store == Store::kFloat) {
    (task.is_l2 ? launch_keys<float, true> : launch_keys<float, false>)(task, total, keys, stream);
  } else {
    (task.is_l2 ? launch_keys<__half, true> : launch_keys<__half, false>)(task, total, keys,
                                                                          stream);
  }
}

}  // namespace warpdex::vector
