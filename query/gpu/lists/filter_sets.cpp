// Writes the bits of a filter segment by segment, and uploads them.
#include "gpu/lists/filter_sets.hpp"

#include <algorithm>
#include <cstring>

#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {
namespace {

/// More sets are not kept: the host keeps 64 MiB of them by default.
constexpr std::size_t kMaxSets = 16;

}  // namespace

FilterSets::FilterSets(std::uint32_t first_document, std::uint64_t end, std::size_t max_bytes,
                       MemoryBudget& budget, int device)
    : first_document_(first_document),
      bytes_((end - first_document) / 8),
      max_sets_(bytes_ == 0 ? 0 : std::min(max_bytes / bytes_, kMaxSets)),
      budget_(budget),
      device_(device) {}

std::size_t FilterSets::reserved() const {
  const std::lock_guard lock(mutex_);
  return is_open_ ? max_sets_ * bytes_ : 0;
}

void FilterSets::open() {
  const std::lock_guard lock(mutex_);
  is_open_ = true;
}

std::optional<FilterSets::Set> FilterSets::get(const DocumentFilter& filter,
                                               std::span<const Segment> segments) {
  const std::lock_guard lock(mutex_);
  const auto set_of = [this](const Entry& entry) {
    const auto* const bits = static_cast<const std::uint32_t*>(entry.memory->data());
    return Set{entry.memory, bits - first_document_ / 32};
  };
  const auto known = std::ranges::find(entries_, filter.number, &Entry::number);
  if (known != entries_.end()) {
    std::rotate(known, known + 1, entries_.end());
    return set_of(entries_.back());
  }
  std::shared_ptr<AccountedBuffer> memory = take_memory();
  if (!memory) return std::nullopt;
  const CurrentDevice current(device_);
  if (!stream_) {
    stream_.emplace(device_);
    written_ = PinnedBuffer(bytes_);
    std::memset(written_.data(), 0, bytes_);  // what lies between segments
  }
  write(filter, segments);
  copy_to_gpu(static_cast<std::uint8_t*>(memory->data()),
              static_cast<const std::uint8_t*>(written_.data()), bytes_, *stream_);
  stream_->synchronize();
  entries_.push_back({filter.number, std::move(memory)});
  return set_of(entries_.back());
}

/// New memory, or that of the set which was not used for the longest time; null if there is none.
std::shared_ptr<AccountedBuffer> FilterSets::take_memory() {
  if (entries_.size() < max_sets_) {
    auto memory = std::make_shared<AccountedBuffer>();
    if (memory->allocate(bytes_, budget_, device_)) return memory;
  }
  const auto unused = std::ranges::find_if(
      entries_, [](const Entry& entry) { return entry.memory.use_count() == 1; });
  if (unused == entries_.end()) return nullptr;
  std::shared_ptr<AccountedBuffer> memory = std::move(unused->memory);
  entries_.erase(unused);
  return memory;
}

void FilterSets::write(const DocumentFilter& filter, std::span<const Segment> segments) {
  auto* const to = static_cast<std::uint8_t*>(written_.data());
  for (const Segment& segment : segments) {
    const std::vector<std::uint64_t>& words = filter.excluded[segment.number];
    const std::size_t first = (segment.first_document - first_document_) / 8;
    std::memcpy(to + first, words.data(), words.size() * sizeof(std::uint64_t));
  }
}

}  // namespace warpdex::gpu
