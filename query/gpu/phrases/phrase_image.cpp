// Puts the parts of a batch, which several threads prepared, behind each other.
#include "gpu/phrases/phrase_image.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <vector>

#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::gpu {
namespace {

/// Blocks that a warp takes, at most: the more, the more often its lanes are all busy.
constexpr std::uint32_t kMostItemBlocks = 8;
/// With so many items for each multiprocessor, or more, all its warps are busy to the end.
constexpr std::uint64_t kItemsOfMultiprocessor = 96;

std::uint32_t item_blocks_of(std::span<const PreparedPhrases> prepared, int device) {
  std::uint64_t blocks = 0;
  for (const PreparedPhrases& each : prepared) {
    for (const std::uint32_t own : each.blocks) blocks += own;
  }
  const std::uint64_t items = kItemsOfMultiprocessor * chip_of(device).multiprocessors;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(blocks / items, 1, kMostItemBlocks));
}

std::uint32_t items_of(std::uint32_t blocks, std::uint32_t item_blocks) {
  return (blocks + item_blocks - 1) / item_blocks;
}

}  // namespace

PhraseImage::Sizes PhraseImage::sizes_of(std::span<const PreparedPhrases> prepared, std::uint32_t k,
                                         std::uint32_t item_blocks) const {
  Sizes sizes;
  sizes.k = k;
  for (const PreparedPhrases& each : prepared) {
    sizes.queries += each.queries.size();
    sizes.phrases += each.phrases.size();
    sizes.lists += each.lists.size();
    sizes.words += each.words.size();
    sizes.parts += each.parts.size();
    sizes.raw += each.raw.size();
    for (const std::uint32_t blocks : each.blocks) sizes.items += items_of(blocks, item_blocks);
    for (const PhraseQuery& query : each.queries) sizes.candidates += query.capacity;
  }
  return sizes;
}

PhraseImage::Parts PhraseImage::lay_out(void* begin, const Sizes& sizes) const {
  Arena arena(begin);
  Parts parts{};
  parts.queries = arena.take<PhraseQuery>(sizes.queries);
  parts.phrases = arena.take<SegmentPhrase>(sizes.phrases);
  parts.lists = arena.take<List>(sizes.lists);
  parts.positions = arena.take<PositionList>(sizes.lists);
  parts.words = arena.take<PhraseWord>(sizes.words);
  parts.parts = arena.take<PhrasePart>(sizes.parts);
  parts.items = arena.take<PhraseItem>(sizes.items);
  parts.raw = arena.take<std::uint32_t>(sizes.raw);
  parts.image_bytes = arena.used();
  parts.states = arena.take<PhraseState>(sizes.queries);
  parts.bins = arena.take<std::uint32_t>(sizes.queries * kPhraseBins);
  parts.cleared_bytes = arena.used() - parts.image_bytes;
  parts.best = arena.take<PhraseCandidate>(sizes.queries * sizes.k);
  parts.tails = arena.take<std::uint8_t>(
      tails_bytes(index_.snapshot.snapshot().settings().codec.kind, sizes.lists));
  parts.found = arena.take<PhraseCandidate>(sizes.candidates);
  parts.bytes = arena.used();
  return parts;
}

/// The first items of all phrases come first: they raise the thresholds of those behind.
void PhraseImage::write_items(std::span<const PreparedPhrases> prepared, std::uint32_t item_blocks,
                              PhraseItem* items) {
  struct Left {
    std::uint32_t phrase;
    std::uint32_t blocks;
  };
  std::vector<Left> left;
  for (const PreparedPhrases& each : prepared) {
    for (const std::uint32_t blocks : each.blocks) {
      left.push_back({static_cast<std::uint32_t>(left.size()), blocks});
    }
  }
  for (std::uint32_t first = 0; !left.empty(); first += item_blocks) {
    std::size_t kept = 0;
    for (const Left& one : left) {
      *items++ = {one.phrase, first};
      if (one.blocks > first + item_blocks) left[kept++] = one;
    }
    left.resize(kept);
  }
}

/// Where each of the prepared parts goes, by the numbers of entries before it.
std::vector<PhraseImage::Sizes> PhraseImage::places_of(
    std::span<const PreparedPhrases> prepared) const {
  std::vector<Sizes> places;
  Sizes next;
  for (const PreparedPhrases& each : prepared) {
    places.push_back(next);
    next.queries += each.queries.size();
    next.phrases += each.phrases.size();
    next.lists += each.lists.size();
    next.words += each.words.size();
    next.parts += each.parts.size();
    next.raw += each.raw.size();
    for (const PhraseQuery& query : each.queries) next.candidates += query.capacity;
  }
  return places;
}

void PhraseImage::write(PreparedPhrases& prepared, const Sizes& place, const Parts& host,
                        const Parts& device) const {
  PhraseQuery* queries = host.queries + place.queries;
  std::uint64_t candidates = place.candidates;
  for (PhraseQuery query : prepared.queries) {
    query.first_candidate = candidates;
    query.first_part += static_cast<std::uint32_t>(place.parts);
    candidates += query.capacity;
    *queries++ = query;
  }
  SegmentPhrase* phrases = host.phrases + place.phrases;
  for (SegmentPhrase phrase : prepared.phrases) {
    phrase.query += static_cast<std::uint32_t>(place.queries);
    phrase.first_list += static_cast<std::uint32_t>(place.lists);
    phrase.first_word += static_cast<std::uint32_t>(place.words);
    *phrases++ = phrase;
  }
  const std::uint32_t* raw = device.raw + place.raw;
  List* lists = host.lists + place.lists;
  PositionList* positions = host.positions + place.lists;
  for (PreparedPhrases::PreparedList& list : prepared.lists) {
    if (list.source.flags & kPacked) {
      list.source.docids = reinterpret_cast<const std::uint8_t*>(raw);
      raw += kRawListEntries;
    }
    const std::size_t number = index_.numbers[list.segment];
    const GpuIndex::State& placed = index_.snapshot.state().segments[number].uploaded->placed;
    *lists++ = make_list(list.source, placed.tables, {});
    *positions++ = list.positions;
  }
  std::ranges::copy(prepared.words, host.words + place.words);
  std::ranges::copy(prepared.parts, host.parts + place.parts);
  std::ranges::copy(prepared.raw, host.raw + place.raw);
}

void PhraseImage::point_to(const Parts& device, const Sizes& sizes, PhraseBatch& batch) {
  batch.lists = device.lists;
  batch.list_count = static_cast<std::uint32_t>(sizes.lists);
  batch.exception_tails = device.tails;
  batch.positions = device.positions;
  batch.phrase_queries = device.queries;
  batch.phrases = device.phrases;
  batch.words = device.words;
  batch.parts = device.parts;
  batch.items = device.items;
  batch.item_count = static_cast<std::uint32_t>(sizes.items);
  batch.phrase_states = device.states;
  batch.bins = device.bins;
  batch.found = device.found;
  batch.best = device.best;
  batch.query_count = static_cast<std::uint32_t>(sizes.queries);
}

bool PhraseImage::upload(std::span<PreparedPhrases> prepared, std::uint32_t k, PhraseBatch& batch,
                         const Stream& stream) {
  batch.k = k;
  batch.item_blocks = item_blocks_of(prepared, device_);
  const Sizes sizes = sizes_of(prepared, k, batch.item_blocks);
  const Parts needed = lay_out(nullptr, sizes);
  if (device_memory_.size() < needed.bytes &&
      !device_memory_.allocate(needed.bytes + needed.bytes / 4, memory_, device_) &&
      !device_memory_.allocate(needed.bytes, memory_, device_)) {
    return false;
  }
  if (host_.size() < needed.image_bytes) {
    host_ = PinnedBuffer();
    host_ = PinnedBuffer(needed.image_bytes + needed.image_bytes / 2);
  }
  const Parts host = lay_out(host_.data(), sizes);
  const Parts device = lay_out(device_memory_.data(), sizes);
  const std::vector<Sizes> places = places_of(prepared);
  threads_.for_each(prepared.size(),
                    [&](std::size_t i) { write(prepared[i], places[i], host, device); });
  write_items(prepared, batch.item_blocks, host.items);
  copy_to_gpu(static_cast<std::uint8_t*>(device_memory_.data()),
              static_cast<const std::uint8_t*>(host_.data()), needed.image_bytes, stream);
  check_cuda(cudaMemsetAsync(device.states, 0, needed.cleared_bytes, stream.handle()),
             "cudaMemsetAsync");
  point_to(device, sizes, batch);
  launch_parse_tails(batch, index_.snapshot.snapshot().settings().codec.kind, stream.handle());
  return true;
}

void PhraseImage::download(const PhraseBatch& batch, const Stream& stream) {
  const auto lay_out_answers = [&](void* begin) {
    Arena arena(begin);
    states_ = arena.take<PhraseState>(batch.query_count);
    best_ = arena.take<PhraseCandidate>(std::size_t{batch.query_count} * batch.k);
    return arena.used();
  };
  const std::size_t bytes = lay_out_answers(nullptr);
  if (answers_.size() < bytes) {
    answers_ = PinnedBuffer();
    answers_ = PinnedBuffer(bytes + bytes / 2);
  }
  lay_out_answers(answers_.data());
  copy_to_host(states_, batch.phrase_states, batch.query_count, stream);
  copy_to_host(best_, batch.best, std::size_t{batch.query_count} * batch.k, stream);
}

}  // namespace warpdex::gpu
