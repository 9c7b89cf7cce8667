// OR by blocks of documents: a CTA for each query.
#include <algorithm>
#include <array>

#include "gpu/blocks/block_searcher.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {
namespace {

/// Of all CTAs of a multiprocessor.
constexpr std::uint32_t kThreadsAtOnce = 1024;
/// With room for fewer superblocks, smaller CTAs are used.
constexpr std::uint32_t kFewestOrdered = 1'024;

/// Dynamic shared memory: what was found, twice; then sums and order of superblocks.
std::size_t shared_bytes(std::uint32_t threads, std::uint32_t most) {
  return 2 * sizeof(FoundKey) * found_room(threads, most);
}
constexpr std::size_t kBytesOfSuperblock = sizeof(float) + sizeof(std::uint16_t);

/// Work item: a query, a CTA. Of 200,000 documents and 25 terms it bounds 800 superblocks, looks at
/// 140 to 300 of them, some 280 instructions of a warp each, and scores 70 to 110 pairs of blocks,
/// some 330 each. Reads are 100 bytes a term and superblock. Bound by instructions, 180,000 a
/// query: at full issue 500 queries would take 50 us on an H200. They take 580 with what the host
/// does, and 320 where two batches are under way: at the end of a batch most multiprocessors are
/// idle while the longest queries go on. A second batch fills that time.
template <std::uint32_t kThreads>
__global__ void __launch_bounds__(kThreads, ctas_at_once(kThreads, kThreadsAtOnce / kThreads))
    search_blocks(BlockBatch batch) {
  extern __shared__ __align__(16) FoundKey memory[];
  __shared__ BlockScratch<kThreads> shared;
  const std::uint32_t number = blockIdx.x;
  BlockSearcher<kThreads> search(batch.queries[number], shared, memory, batch);
  std::uint32_t first = batch.queries[number].first_term;
  for (std::uint32_t i = 0; i < batch.segment_count; ++i) {
    const std::uint32_t end = batch.term_ends[number * batch.segment_count + i];
    search.search(batch.segments[i], batch.terms + first, end - first);
    first = end;
  }
  search.write(batch.hits + std::size_t{number} * batch.most, batch.counts + number);
}

template <std::uint32_t kThreads>
void launch_of(const BlockBatch& batch, const Stream& stream) {
  constexpr auto kernel = search_blocks<kThreads>;
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  warpdex::launch(
      {.name = "search_blocks",
       .ctas = batch.query_count,
       .threads = kThreads,
       .shared_memory = shared_bytes(kThreads, batch.most) + batch.superblocks * kBytesOfSuperblock,
       .stream = stream.handle()},
      kernel, batch);
}

/// Superblocks of which a CTA has room for the sums and the order.
template <std::uint32_t kThreads>
std::uint32_t room_for_superblocks(std::size_t shared_memory, std::uint32_t most) {
  const std::size_t taken = sizeof(BlockScratch<kThreads>) + shared_bytes(kThreads, most);
  if (shared_memory < taken) return 0;
  return static_cast<std::uint32_t>((shared_memory - taken) / kBytesOfSuperblock);
}

/// The kernel with so many threads.
struct Form {
  std::uint32_t threads;
  std::uint32_t (*room)(std::size_t shared_memory, std::uint32_t most);
  void (*launch)(const BlockBatch& batch, const Stream& stream);
};
template <std::uint32_t kThreads>
constexpr Form kForm{kThreads, room_for_superblocks<kThreads>, launch_of<kThreads>};
/// The largest first: many warps share the queries of the most superblocks out.
constexpr std::array kForms{kForm<1024>, kForm<512>, kForm<256>};

}  // namespace

BlockShape block_shape(std::size_t shared_memory, std::uint32_t most, std::uint32_t superblocks) {
  constexpr std::uint32_t kWord = 64;  // superblocks
  BlockShape shape{};
  for (const Form& form : kForms) {
    shape = {.threads = form.threads, .superblocks = form.room(shared_memory, most)};
    if (shape.superblocks >= std::min(superblocks, kFewestOrdered)) break;
  }
  const std::uint32_t wanted = (superblocks + kWord - 1) / kWord * kWord;
  shape.superblocks = std::min(wanted, shape.superblocks / kWord * kWord);
  return shape;
}

void launch_search_blocks(const BlockBatch& batch, const Stream& stream) {
  for (const Form& form : kForms) {
    if (form.threads == batch.threads) form.launch(batch, stream);
  }
}

}  // namespace warpdex::gpu
