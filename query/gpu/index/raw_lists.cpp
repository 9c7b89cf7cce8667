// The short lists of an index that are kept decoded on the GPU.
#include <algorithm>
#include <cstdint>
#include <utility>

#include "gpu/index/gpu_index_state.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {
namespace {

/// Decoded short lists take so much GPU memory at most, and this share of what is left.
constexpr std::size_t kMaxRawLists = std::size_t{128} << 20;
constexpr std::size_t kRawListShares = 16;

}  // namespace

/// Keeps the short lists with the most postings, as far as they take little memory.
void GpuIndex::State::upload_raw_lists() {
  const std::size_t room = std::min(kMaxRawLists, budget->left() / kRawListShares);
  gpu::ShortLists lists = gpu::make_short_lists(index, first_document, room);
  const std::size_t size = lists.raw.size() * sizeof(std::uint32_t);
  if (size == 0 || !raw_lists.allocate(size, *budget, device)) return;
  const Stream stream(device);
  raw_lists.buffer().upload({reinterpret_cast<const std::uint8_t*>(lists.raw.data()), size},
                            stream);
  stream.synchronize();
  raw_places = std::move(lists.places);
  fewest_raw = lists.fewest;
  scratch = std::min(scratch, budget->left());
}

gpu::RawList GpuIndex::State::find_raw(const PostingsEntry& entry) const {
  const gpu::ShortLists::Place& place = raw_places.at(entry.term_number);
  return {static_cast<const std::uint32_t*>(raw_lists.data()) +
              std::size_t{place.list} * gpu::kRawListEntries,
          place.occurrences};
}

}  // namespace warpdex
