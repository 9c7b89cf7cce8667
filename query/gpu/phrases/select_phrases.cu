// The best of the documents that have a phrase.
#include <type_traits>

#include "gpu/phrases/phrase_kernels.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/block_limit.hpp"
#include "warpdex/core/select/row_kernels.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;

static_assert(std::is_same_v<PhraseCandidate, Packed32>);

/// Work item: a query, a CTA of 256 threads. Dynamic shared memory: the queue's entries, 32 KiB for
/// k to 1,024. Bound by reading 8 bytes a candidate; of most queries there are a few hundred, and a
/// few barriers are all.
__global__ void __launch_bounds__(kThreads) select_phrases(PhraseBatch batch, int capacity) {
  extern __shared__ __align__(16) PhraseCandidate entries[];
  __shared__ BlockStorage<PhraseCandidate> storage;
  const std::uint32_t number = blockIdx.x;
  const PhraseQuery& query = batch.phrase_queries[number];
  const std::uint32_t count = min(batch.phrase_states[number].candidates, query.capacity);
  const int k = static_cast<int>(batch.k);
  BlockQueue<PhraseCandidate> queue(entries, capacity, k, storage);
  add_entries(batch.found + query.first_candidate, count, queue);
  queue.finish();
  PhraseCandidate* const best = batch.best + std::size_t{number} * batch.k;
  for (std::uint32_t i = threadIdx.x; i < batch.k; i += kThreads) best[i] = queue.entries()[i];
}

}  // namespace

std::uint32_t most_phrase_hits() {
  return static_cast<std::uint32_t>(block_select_limit(sizeof(PhraseCandidate)));
}

void launch_select_phrases(const PhraseBatch& batch, const Stream& stream) {
  const int capacity = block_capacity(batch.k);
  allow_all_shared_memory(reinterpret_cast<const void*>(select_phrases));
  warpdex::launch({.name = "select_phrases",
                   .ctas = batch.query_count,
                   .threads = kThreads,
                   .shared_memory = static_cast<std::size_t>(capacity) * sizeof(PhraseCandidate),
                   .stream = stream.handle()},
                  select_phrases, batch, capacity);
}

}  // namespace warpdex::gpu
