// Small kernels before and after a search. Memory bandwidth bounds all of them.
#include "flat/gpu/answers.hpp"
#include "flat/gpu/candidate_lists.cuh"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/packed.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;

__device__ std::size_t own_item() { return std::size_t{blockIdx.x} * kThreads + threadIdx.x; }

/// Work item: a query, a thread: double sums in the order of components, as on the host.
__global__ void normalize_queries(const float* queries, std::uint32_t count,
                                  std::uint32_t dimension, float* prepared, std::uint32_t stride) {
  const std::size_t query = own_item();
  if (query >= count) return;
  const float* const from = queries + query * dimension;
  float* const to = prepared + query * stride;
  double squared = 0;
  for (std::uint32_t c = 0; c < dimension; ++c) {
    squared = __dadd_rn(squared, __dmul_rn(from[c], from[c]));
  }
  const double length = squared == 0 ? 1 : __dsqrt_rn(squared);
  for (std::uint32_t c = 0; c < stride; ++c) {
    to[c] = c < dimension ? __double2float_rn(__ddiv_rn(from[c], length)) : 0.0F;
  }
}

__global__ void pad_queries(const float* queries, std::uint32_t count, std::uint32_t dimension,
                            float* prepared, std::uint32_t stride) {
  const std::size_t i = own_item();
  if (i >= std::size_t{count} * stride) return;
  const std::size_t query = i / stride;
  const std::size_t column = i % stride;
  prepared[i] = column < dimension ? queries[query * dimension + column] : 0.0F;
}

__global__ void clear(DeviceAnswers answers, std::size_t size) {
  const std::size_t i = own_item();
  if (i >= size) return;
  answers.values[i] = __int_as_float(0x7F800000);
  answers.ids[i] = kNoId<std::uint32_t>;
}

__global__ void gather(const float* from, const std::uint32_t* list, std::size_t size,
                       std::uint32_t columns, float* to) {
  const std::size_t i = own_item();
  if (i < size) to[i] = from[std::size_t{list[i / columns]} * columns + i % columns];
}

/// An answer of one list and how many of the other list come before it.
__device__ std::uint32_t count_before(Packed32 entry, bool counts_equal, const float* values,
                                      const std::uint32_t* ids, std::uint32_t k,
                                      std::uint32_t first_id) {
  std::uint32_t low = 0;
  std::uint32_t high = k;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    const std::uint32_t id =
        ids[middle] == kNoId<std::uint32_t> ? ids[middle] : ids[middle] + first_id;
    const Packed32 other = nearest_entry(values[middle], id);
    if (other < entry || (counts_equal && other == entry)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Work item: a query, a CTA. Each answer finds its rank in the merged list and is written there.
__global__ void join(DeviceAnswers answers, FoundAnswers found, const std::uint32_t* list,
                     DeviceAnswers joined) {
  const std::size_t target = list == nullptr ? blockIdx.x : list[blockIdx.x];
  const float* const own_values = answers.values + target * answers.k;
  const std::uint32_t* const own_ids = answers.ids + target * answers.k;
  const float* const new_values = found.values + std::size_t{blockIdx.x} * found.k;
  const std::uint32_t* const new_ids = found.ids + std::size_t{blockIdx.x} * found.k;
  float* const to_values = joined.values + std::size_t{blockIdx.x} * answers.k;
  std::uint32_t* const to_ids = joined.ids + std::size_t{blockIdx.x} * answers.k;
  for (std::uint32_t i = threadIdx.x; i < answers.k; i += kThreads) {
    const Packed32 entry = nearest_entry(own_values[i], own_ids[i]);
    const std::uint32_t rank =
        i + count_before(entry, false, new_values, new_ids, found.k, found.first_id);
    if (rank >= answers.k) continue;
    to_values[rank] = own_values[i];
    to_ids[rank] = own_ids[i];
  }
  for (std::uint32_t i = threadIdx.x; i < min(found.k, answers.k); i += kThreads) {
    const bool is_missing = new_ids[i] == kNoId<std::uint32_t>;
    const std::uint32_t id = is_missing ? new_ids[i] : new_ids[i] + found.first_id;
    const Packed32 entry = nearest_entry(new_values[i], id);
    const std::uint32_t rank = i + count_before(entry, true, own_values, own_ids, answers.k, 0);
    if (rank >= answers.k) continue;
    to_values[rank] = new_values[i];
    to_ids[rank] = id;
  }
}

__global__ void write(DeviceAnswers answers, std::size_t size, bool larger_is_nearer,
                      std::int32_t* rows, float* distances) {
  const std::size_t i = own_item();
  if (i >= size) return;
  rows[i] = static_cast<std::int32_t>(answers.ids[i]);
  distances[i] = larger_is_nearer ? __fsub_rn(0.0F, answers.values[i]) : answers.values[i];
}

__global__ void scatter(DeviceAnswers joined, const std::uint32_t* list, std::size_t size,
                        DeviceAnswers answers) {
  const std::size_t i = own_item();
  if (i >= size) return;
  const std::size_t query = i / answers.k;
  const std::size_t target = list == nullptr ? query : list[query];
  answers.values[target * answers.k + i % answers.k] = joined.values[i];
  answers.ids[target * answers.k + i % answers.k] = joined.ids[i];
}

}  // namespace

void prepare_on_gpu(const float* queries, std::uint32_t count, std::uint32_t dimension,
                    Metric metric, float* prepared, std::uint32_t stride, const Stream& stream) {
  if (metric == Metric::kCosine) {
    launch(launch_over("normalize_queries", count, kThreads, stream.handle()), normalize_queries,
           queries, count, dimension, prepared, stride);
  } else {
    launch(launch_over("pad_queries", std::size_t{count} * stride, kThreads, stream.handle()),
           pad_queries, queries, count, dimension, prepared, stride);
  }
}

void clear_answers(const DeviceAnswers& answers, std::uint32_t queries, const Stream& stream) {
  const std::size_t size = std::size_t{queries} * answers.k;
  launch(launch_over("clear", size, kThreads, stream.handle()), clear, answers, size);
}

void gather_rows(const float* from, const std::uint32_t* list, std::uint32_t count,
                 std::uint32_t columns, float* to, const Stream& stream) {
  const std::size_t size = std::size_t{count} * columns;
  launch(launch_over("gather", size, kThreads, stream.handle()), gather, from, list, size, columns,
         to);
}

void join_answers(const DeviceAnswers& answers, const FoundAnswers& found,
                  const std::uint32_t* list, std::uint32_t count, const DeviceAnswers& joined,
                  const Stream& stream) {
  launch({.name = "join", .ctas = count, .threads = kThreads, .stream = stream.handle()}, join,
         answers, found, list, joined);
  const std::size_t size = std::size_t{count} * answers.k;
  launch(launch_over("scatter", size, kThreads, stream.handle()), scatter, joined, list, size,
         answers);
}

void write_answers(const DeviceAnswers& answers, std::uint32_t queries, Metric metric,
                   std::int32_t* rows, float* distances, const Stream& stream) {
  const std::size_t size = std::size_t{queries} * answers.k;
  launch(launch_over("write", size, kThreads, stream.handle()), write, answers, size,
         larger_is_nearer(metric), rows, distances);
}

}  // namespace warpdex::vector
