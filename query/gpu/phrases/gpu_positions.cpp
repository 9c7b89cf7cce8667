// Uploads the positions that the snapshot before does not have. Their checksums were checked when
// the lists were uploaded.
#include "warpdex/query/gpu/gpu_positions.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "gpu/phrases/gpu_positions_state.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t aligned_part(std::size_t bytes) {
  return (bytes + kReadSlack + kAlignment - 1) / kAlignment * kAlignment;
}

/// Whether kernels find all lists and lengths that phrases need in GPU memory.
bool has_lists(const GpuSnapshot::State& snapshot) {
  const IndexSettings& settings = snapshot.snapshot.settings();
  if (!settings.has_positions || text_count(settings.schema) > 1) return false;
  return std::ranges::all_of(snapshot.segments, [&](const GpuSnapshot::State::Segment& segment) {
    const GpuIndex::State& placed = segment.uploaded->placed;
    return placed.cache == nullptr && placed.codec_kind == settings.codec.kind;
  });
}

}  // namespace

GpuPositions::State::Uploaded::Uploaded(std::shared_ptr<const Index> from, Resources& resources)
    : index(std::move(from)) {
  const IndexSections& sections = index->sections();
  struct Part {
    std::span<const std::uint8_t> bytes;
    const void** target;
  };
  const auto part = []<class T>(std::span<const T> values, const T*& pointer) {
    return Part{{reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()},
                reinterpret_cast<const void**>(&pointer)};
  };
  const Part parts[] = {part(sections.short_positions, short_positions),
                        part(sections.position_starts, starts),
                        part(sections.position_bases, bases),
                        part(sections.position_offsets, offsets),
                        part(sections.position_codes, codes),
                        part(sections.positions, positions)};
  std::size_t all = 0;
  for (const Part& each : parts) all += aligned_part(each.bytes.size());
  if (!bytes.allocate(all, resources.memory(), resources.device())) return;
  const Stream stream(resources.device());
  bytes.buffer().fill(0, stream);
  std::size_t offset = 0;
  for (const Part& each : parts) {
    if (!each.bytes.empty()) bytes.buffer().upload(each.bytes, stream, offset);
    *each.target = static_cast<const std::uint8_t*>(bytes.data()) + offset;
    offset += aligned_part(each.bytes.size());
  }
  stream.synchronize();
}

GpuPositions::State::State(const GpuSnapshot& uploaded, const State* before) : snapshot(uploaded) {
  if (!has_lists(snapshot.state())) return;
  const Snapshot& documents = snapshot.snapshot();
  for (std::size_t i = 0; i < documents.segments().size(); ++i) {
    const std::shared_ptr<const Index>& index = documents.segments()[i].index;
    if (index->counts().documents == 0) continue;
    std::shared_ptr<const Uploaded> segment = find(*index, before);
    if (segment == nullptr) {
      segment = std::make_shared<const Uploaded>(index, snapshot.state().resources);
      new_memory += segment->bytes.size();
    }
    memory += segment->bytes.size();
    numbers.push_back(i);
    segments.push_back(std::move(segment));
    if (segments.back()->bytes.size() != 0) continue;
    segments.clear();
    memory = new_memory = 0;
    return;
  }
  is_resident = true;
}

/// The positions of a segment that the snapshot before has, or null.
std::shared_ptr<const GpuPositions::State::Uploaded> GpuPositions::State::find(
    const Index& index, const State* before) {
  if (before == nullptr) return nullptr;
  for (const std::shared_ptr<const Uploaded>& known : before->segments) {
    if (are_same_segment(index, *known->index)) return known;
  }
  return nullptr;
}

GpuPositions::GpuPositions(const GpuSnapshot& snapshot)
    : state_(std::make_shared<const State>(snapshot, nullptr)) {}
GpuPositions::GpuPositions(std::shared_ptr<const State> state) : state_(std::move(state)) {}

GpuPositions GpuPositions::next(const GpuSnapshot& later) const {
  return GpuPositions(std::make_shared<const State>(later, state_.get()));
}

const GpuSnapshot& GpuPositions::snapshot() const { return state_->snapshot; }
bool GpuPositions::is_resident() const { return state_->is_resident; }
std::size_t GpuPositions::memory() const { return state_->memory; }
std::size_t GpuPositions::new_memory() const { return state_->new_memory; }

}  // namespace warpdex
