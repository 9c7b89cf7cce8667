// Copies the tables by docID of all segments into one, on the GPU.
#include "gpu/index/joined_segments.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {
namespace {

/// Scratch memory of all lanes, at most, and at least.
constexpr std::size_t kMaxScratch = std::size_t{8} << 30;
constexpr std::size_t kMinScratch = std::size_t{128} << 20;
/// Rows of terms take this share of what is beyond the least scratch memory, at most.
constexpr std::size_t kRowShares = 16;
/// DocIDs end before this.
constexpr std::uint64_t kMaxDocuments = std::uint64_t{1} << 31;

bool are_alike(const GpuIndex::State& one, const GpuIndex::State& other) {
  return one.codec_kind == other.codec_kind &&
         (one.static_scores == nullptr) == (other.static_scores == nullptr) &&
         one.index.settings().impacts.has_value() == other.index.settings().impacts.has_value();
}

bool can_be_joined(std::span<const JoinedSegment> segments) {
  std::uint64_t end = 0;
  for (const JoinedSegment& each : segments) {
    const GpuIndex::State& placed = *each.placed;
    if (placed.cache != nullptr || placed.first_document < end) return false;
    if (!are_alike(placed, *segments[0].placed)) return false;
    end = std::uint64_t{placed.first_document} + std::uint64_t{placed.tiles()} * kTileDocuments;
  }
  return end <= kMaxDocuments;
}

/// Queues a copy of `count` items within the GPU's memory.
template <class T>
void copy_items(T* to, const T* from, std::size_t count, const Stream& stream) {
  if (count == 0) return;
  check_cuda(
      cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToDevice, stream.handle()),
      "cudaMemcpyAsync of tables by document");
}

std::size_t parts(std::size_t all, std::size_t of) { return (all + of - 1) / of; }

}  // namespace

JoinedSegments::View::View(const JoinedSegment& segment)
    : PlacedIndex(segment.placed->index), placed(*segment.placed) {
  tables = placed.tables;
  first_document = placed.first_document;
  longest_document = placed.longest_document;
  largest_static = placed.largest_static;
  removals = segment.removals;
  fewest_raw = placed.fewest_raw;
}

std::shared_ptr<const JoinedSegments> JoinedSegments::join(std::span<const JoinedSegment> segments,
                                                           Resources& resources) {
  if (segments.size() < 2 || !can_be_joined(segments)) return nullptr;
  std::shared_ptr<JoinedSegments> joined(new JoinedSegments());
  const GpuIndex::State& last = *segments.back().placed;
  joined->device = last.device;
  joined->codec_kind = last.codec_kind;
  joined->document_end = last.document_end;
  for (const JoinedSegment& each : segments) {
    joined->documents += each.placed->documents;
    joined->documents_of_segments.push_back(each.placed->documents);
    joined->views_.push_back(std::make_unique<const View>(each));
    joined->segments.push_back(joined->views_.back().get());
  }
  if (!joined->take_memory(segments, resources)) return nullptr;
  joined->copy(segments);
  const std::uint32_t first = segments.front().placed->first_document;
  joined->keep_filters(first, (last.first_document - first) / kTileDocuments + last.tiles());
  return joined;
}

bool JoinedSegments::take_memory(std::span<const JoinedSegment> all, Resources& resources) {
  MemoryBudget& memory = resources.memory();
  if (!bytes_.allocate(lay_out(all, nullptr).bytes, memory, device)) return false;
  scratch = std::min(memory.left(), kMaxScratch);
  if (scratch < kMinScratch) return false;
  budget = std::make_unique<MemoryBudget>(scratch, &memory);
  row_budget = std::make_unique<MemoryBudget>((scratch - kMinScratch) / kRowShares, budget.get());
  return true;
}

JoinedSegments::Arrays JoinedSegments::lay_out(std::span<const JoinedSegment> all,
                                               void* begin) const {
  const GpuIndex::State& last = *all.back().placed;
  const std::size_t end = last.first_document + std::size_t{last.tiles()} * kTileDocuments;
  const bool has_static = last.static_scores != nullptr;
  const bool has_removed = std::ranges::any_of(
      all, [](const JoinedSegment& each) { return each.removals.bits != nullptr; });
  std::size_t long_documents = 0;
  for (const JoinedSegment& each : all) long_documents += each.placed->long_documents;
  Arena arena(begin);
  Arrays arrays{};
  const std::size_t fields = last.index.texts();
  arrays.field_stride = static_cast<std::uint32_t>(end);
  arrays.codes = arena.take<std::uint8_t>(fields * end);
  arrays.remainders = arena.take<std::uint8_t>(fields * end);
  arrays.long_bases = arena.take<std::uint32_t>(fields * end / kLengthGroup);
  arrays.long_lengths = arena.take<std::uint32_t>(long_documents);
  arrays.static_scores = arena.take<float>(has_static ? end : 0);
  arrays.static_bounds = arena.take<float>(has_static ? end / kStaticWindow : 0);
  arrays.removed = arena.take<std::uint32_t>(has_removed ? end / 32 : 0);
  arrays.space = arena.take<SpaceEntry>(parts(end, kSpaceDocuments));
  arrays.bytes = arena.used();
  return arrays;
}

/// What lies between segments is 0.
void JoinedSegments::copy(std::span<const JoinedSegment> all) {
  const CurrentDevice current(device);
  const Stream stream(device);
  bytes_.buffer().fill(0, stream);
  const Arrays to = lay_out(all, bytes_.data());
  std::size_t long_documents = 0;
  for (const JoinedSegment& each : all) {
    const GpuIndex::State& from = *each.placed;
    const std::size_t first = from.first_document;
    const std::size_t count = from.documents;
    copy_lengths(from, long_documents, to, stream);
    long_documents += from.long_documents;
    if (from.static_scores != nullptr) {
      copy_items(to.static_scores + first, from.static_scores + first, count, stream);
      const std::size_t window = first / kStaticWindow;
      copy_items(to.static_bounds + window, from.static_bounds + window,
                 parts(count, kStaticWindow), stream);
    }
    if (each.removals.bits == nullptr) continue;
    copy_items(to.removed + first / 32, each.removals.bits, parts(count, 32), stream);
    removed_bits = to.removed;
  }
  copy_space(all, to.space, stream);
  stream.synchronize();
  lengths = {to.codes, to.remainders, to.long_bases, to.long_lengths, to.field_stride};
  if (all.back().placed->static_scores != nullptr) {
    static_scores = to.static_scores;
    static_bounds = to.static_bounds;
  }
  space = to.space;
}

/// Copies a segment's lengths in all text fields, behind `long_documents` long ones.
void JoinedSegments::copy_lengths(const GpuIndex::State& segment, std::size_t long_documents,
                                  const Arrays& to, const Stream& stream) {
  const Lengths& from = segment.lengths;
  const std::size_t first = segment.first_document;
  const std::size_t groups = parts(segment.documents, kLengthGroup);
  for (std::size_t field = 0; field < segment.index.texts(); ++field) {
    const std::size_t there = first + field * from.field_stride;
    const std::size_t here = first + field * to.field_stride;
    copy_items(to.codes + here, from.codes + there, segment.documents, stream);
    copy_items(to.remainders + here, from.remainders + there, segment.documents, stream);
    std::uint32_t* const bases = to.long_bases + here / kLengthGroup;
    copy_items(bases, from.long_bases + there / kLengthGroup, groups, stream);
    launch_add(bases, groups, static_cast<std::uint32_t>(long_documents), stream.handle());
  }
  copy_items(to.long_lengths + long_documents, from.long_lengths, segment.long_documents, stream);
}

void JoinedSegments::copy_space(std::span<const JoinedSegment> all, SpaceEntry* to,
                                const Stream& stream) {
  std::vector<SpaceEntry> entries(parts(document_end, kSpaceDocuments));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t first = all[i].placed->first_document;
    const auto shift = static_cast<std::uint32_t>(first - all[i].first_document);
    std::fill(entries.begin() + static_cast<std::ptrdiff_t>(first / kSpaceDocuments), entries.end(),
              SpaceEntry{static_cast<std::uint32_t>(i), shift});
  }
  const auto* const begin = reinterpret_cast<const std::uint8_t*>(to);
  bytes_.buffer().upload(
      {reinterpret_cast<const std::uint8_t*>(entries.data()), entries.size() * sizeof(SpaceEntry)},
      stream, static_cast<std::size_t>(begin - static_cast<const std::uint8_t*>(bytes_.data())));
}

}  // namespace warpdex::gpu
