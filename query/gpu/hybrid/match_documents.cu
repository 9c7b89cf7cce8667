// Which documents match: lists are decoded into bit sets, tile by tile, and these are joined.
#include <cuda_runtime_api.h>

#include "gpu/device/dispatch.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/hybrid/hybrid_kernels.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::uint32_t kTileWords = kTileDocuments / 32;

/// Sets that a CTA fills with the same documents.
constexpr std::uint32_t kSetsOfCta = 16;

/// The number of the segment that has a word of the sets.
__device__ std::uint32_t segment_of(const MatchBatch& batch, std::uint32_t word) {
  std::uint32_t low = 0;
  std::uint32_t high = batch.segment_count;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    if (batch.segments[middle].first_word <= word) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

/// A tile of documents as one CTA sees it.
template <CodecKind kCodec>
struct Tile {
  const MatchBatch& batch;
  std::uint32_t begin;  ///< its first document
  device::WarpScratch& scratch;

  /// Sets the bits of a list's documents. Whole warps, which share the blocks.
  __device__ void mark(std::uint32_t list_index, std::uint32_t* words) {
    const List& list = batch.lists[list_index];
    std::uint32_t block = lower_bound_by_parts<8>(list.last_docids, 0, list.blocks, begin);
    for (block += warp_id(); block < list.blocks; block += kWarps) {
      if (block > 0 && list.last_docids[block - 1] + 1 >= begin + kTileDocuments) break;
      std::uint32_t docids[4];
      read_docids<kCodec>(batch, list_index, block, scratch, docids);
      mark(docids, words);
    }
  }

  __device__ void mark(const std::uint32_t (&docids)[4], std::uint32_t* words) {
    std::uint32_t word = kNone;
    std::uint32_t bits = 0;
#pragma unroll
    for (const std::uint32_t docid : docids) {
      const std::uint32_t slot = docid - begin;
      if (slot >= kTileDocuments) continue;
      if (slot / 32 != word) {
        if (bits != 0) atomicOr(words + word, bits);
        word = slot / 32;
        bits = 0;
      }
      bits |= 1U << slot % 32;
    }
    if (bits != 0) atomicOr(words + word, bits);
  }
};

__device__ void clear(std::uint32_t* words) {
  for (std::uint32_t i = threadIdx.x; i < kTileWords; i += kThreads) words[i] = 0;
  __syncthreads();
}

/// The documents of a tile that match a query, without regard to removed ones, go to `matches`. A
/// whole CTA.
template <CodecKind kCodec>
__device__ void match_tile(Tile<kCodec>& tile, const SegmentQuery& query, Reading reading,
                           std::uint32_t* matches, std::uint32_t* other) {
  clear(matches);
  if (query.is_empty[reading]) return;
  const std::uint32_t required = reading == kReadAnd ? kRequired : kMust;
  const auto is_required = [&](std::uint32_t i) {
    return (tile.batch.lists[query.first_list + i].flags & required) != 0;
  };
  std::uint32_t found = 0;
  for (std::uint32_t i = 0; i < query.scoring_lists; ++i) {
    if (!is_required(i)) continue;
    if (found++ == 0) {
      tile.mark(query.first_list + i, matches);
      __syncthreads();
      continue;
    }
    clear(other);
    tile.mark(query.first_list + i, other);
    __syncthreads();
    for (std::uint32_t w = threadIdx.x; w < kTileWords; w += kThreads) matches[w] &= other[w];
  }
  for (std::uint32_t i = 0; found == 0 && i < query.scoring_lists; ++i) {
    tile.mark(query.first_list + i, matches);
  }
  if (query.prohibited_lists > 0) {
    clear(other);
    for (std::uint32_t i = 0; i < query.prohibited_lists; ++i) {
      tile.mark(query.first_list + query.scoring_lists + i, other);
    }
    __syncthreads();
    for (std::uint32_t w = threadIdx.x; w < kTileWords; w += kThreads) matches[w] &= ~other[w];
  }
  __syncthreads();
}

/// Work item: a query and a tile of 16,384 documents of one segment, a CTA of 8 warps. A second
/// pass does OR for those queries of which AND found too few. Shared memory: two bit sets of 2 KiB,
/// and 512 bytes a warp. Bound by decoding: all blocks of all lists that meet the tile.
template <CodecKind kCodec>
__global__ void __launch_bounds__(kThreads)
    match_documents(MatchBatch batch, Reading reading, bool is_second) {
  __shared__ std::uint32_t matches[kTileWords];
  __shared__ std::uint32_t other[kTileWords];
  __shared__ device::WarpScratch scratch[kWarps];
  const std::uint32_t query = blockIdx.y;
  if (is_second && batch.matches[kReadAnd * batch.query_count + query] >= batch.min_matches) return;
  const std::uint32_t first_word = blockIdx.x * kTileWords;
  const std::uint32_t number = segment_of(batch, first_word);
  const HybridSegment& segment = batch.segments[number];
  const std::uint32_t own_word = first_word - segment.first_word;
  Tile<kCodec> tile{batch, segment.first_document + own_word * 32, scratch[warp_id()]};
  match_tile(tile, batch.segment_queries[query * batch.segment_count + number], reading, matches,
             other);
  std::uint32_t* const to = batch.sets + std::size_t{query} * batch.set_words + first_word;
  std::uint32_t count = 0;
  for (std::uint32_t w = threadIdx.x; w < kTileWords; w += kThreads) {
    std::uint32_t word = matches[w];
    if (word != 0 && segment.removed != nullptr) word &= ~segment.removed[own_word + w];
    to[w] = word;
    count += __popc(word);
  }
  count = warp_sum(count);
  if (lane_id() == 0 && count > 0) {
    atomicAdd(batch.matches + reading * batch.query_count + query, count);
  }
}

/// Work item: 256 words of 16 sets, a CTA with a thread for each word. Bound by writing: a bit a
/// document and set.
__global__ void __launch_bounds__(kThreads) fill_live(MatchBatch batch) {
  const std::uint32_t word = blockIdx.x * kThreads + threadIdx.x;
  const HybridSegment& segment = batch.segments[segment_of(batch, word)];
  const std::uint32_t own_word = word - segment.first_word;
  const std::uint32_t document = own_word * 32;
  std::uint32_t live = 0;
  if (document < segment.documents) {
    live = segment.removed == nullptr ? ~0U : ~segment.removed[own_word];
    const std::uint32_t left = segment.documents - document;
    if (left < 32) live &= (1U << left) - 1;
  }
  const std::uint32_t end = min((blockIdx.y + 1) * kSetsOfCta, batch.query_count);
  for (std::uint32_t query = blockIdx.y * kSetsOfCta; query < end; ++query) {
    batch.sets[std::size_t{query} * batch.set_words + word] = live;
  }
}

}  // namespace

void launch_fill_live(const MatchBatch& batch, const Stream& stream) {
  static_assert(kTileWords % kThreads == 0, "all words of a CTA are of one segment");
  warpdex::launch(
      {.name = "fill_live",
       .ctas = dim3(batch.set_words / kThreads, (batch.query_count + kSetsOfCta - 1) / kSetsOfCta),
       .threads = kThreads,
       .stream = stream.handle()},
      fill_live, batch);
}

void launch_match(const MatchBatch& batch, CodecKind codec, const Stream& stream) {
  const auto pass = [&](Reading reading, bool is_second) {
    with_codec(codec, [&]<CodecKind kCodec>() {
      warpdex::launch({.name = "match_documents",
                       .ctas = dim3(batch.set_words / kTileWords, batch.query_count),
                       .threads = kThreads,
                       .stream = stream.handle()},
                      match_documents<kCodec>, batch, reading, is_second);
    });
  };
  pass(batch.mode == QueryMode::kOr ? kReadOr : kReadAnd, false);
  if (batch.mode == QueryMode::kAndOr) pass(kReadOr, true);
}

}  // namespace warpdex::gpu
