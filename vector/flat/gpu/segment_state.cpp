// Uploads segments, and which of their rows are live.
#include "flat/gpu/segment_state.hpp"

#include <numeric>
#include <utility>

#include "flat/gpu/answers.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::vector {

GpuSegmentVectors::GpuSegmentVectors(const FlatVectors& vectors, Resources& resources)
    : state_(std::make_unique<State>(vectors, resources)) {}
GpuSegmentVectors::~GpuSegmentVectors() = default;
bool GpuSegmentVectors::is_resident() const { return state_->rows.is_resident(); }
std::size_t GpuSegmentVectors::memory() const { return state_->rows.memory().used(); }

GpuSegmentSearcher::State::State(std::vector<GpuSegment> segments, Resources& resources) {
  if (segments.empty()) throw UsageError("there are no segments to search");
  const CurrentDevice current(resources.device());
  parts.reserve(segments.size());
  for (GpuSegment& segment : segments) {
    const std::size_t rows = segment.vectors->state().rows.count();
    add(std::move(segment), static_cast<std::uint32_t>(words), resources);
    words += (rows + 32 * kSetWords - 1) / (32 * kSetWords) * kSetWords;
  }
  order.resize(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return parts[a].choice.count > parts[b].choice.count;
  });
  upload_table(resources);
  pool = std::make_unique<WorkspacePool>(resources.memory(), resources.device());
}

void GpuSegmentSearcher::State::add(GpuSegment segment, std::uint32_t first_word,
                                    Resources& resources) {
  DeviceSegment& part = parts.emplace_back();
  part.vectors = std::move(segment.vectors);
  part.rows = &part.vectors->state().rows;
  part.first_row = segment.first_row;
  part.first_word = first_word;
  part.choice = {.count = part.rows->count(), .first_id = segment.first_row};
  if (segment.live != nullptr) keep_live(*segment.live, part, resources);
  live_rows += part.choice.count;
}

void GpuSegmentSearcher::State::keep_live(const RowFilter& live, DeviceSegment& part,
                                          Resources& resources) {
  std::vector<std::uint32_t> places;
  for (std::size_t row = live.next_allowed(0); row < live.rows();
       row = live.next_allowed(row + 1)) {
    places.push_back(static_cast<std::uint32_t>(row));
  }
  const std::size_t count = places.size();
  part.choice.count = static_cast<std::uint32_t>(count);
  if (count == 0) return;
  for (std::size_t i = 0; i < count; ++i) places.push_back(places[i] + part.first_row);
  if (!part.live.allocate(places.size() * sizeof(std::uint32_t), resources.memory(),
                          resources.device())) {
    throw Error("there is no GPU memory left for the live rows of vectors; give more");
  }
  const Stream stream(resources.device());
  auto* const at = static_cast<std::uint32_t*>(part.live.data());
  copy_to_gpu(at, places.data(), places.size(), stream);
  stream.synchronize();
  part.choice.positions = at;
  part.choice.ids = at + count;
}

void GpuSegmentSearcher::State::upload_table(Resources& resources) {
  std::vector<RankedSegment> entries;
  for (const DeviceSegment& part : parts) {
    entries.push_back({part.rows->rows().data, part.first_row, part.first_word});
  }
  if (!table.allocate(entries.size() * sizeof(RankedSegment), resources.memory(),
                      resources.device())) {
    throw Error("there is no GPU memory left for vectors; give more");
  }
  const Stream stream(resources.device());
  copy_to_gpu(static_cast<RankedSegment*>(table.data()), entries.data(), entries.size(), stream);
  stream.synchronize();
}

/// Queues the copy of a block's queries and their preparation.
DeviceQueries GpuSegmentSearcher::State::prepare(std::span<const float> queries, std::size_t first,
                                                 std::size_t count, const BlockBuffers& buffers,
                                                 const Stream& stream) const {
  const DeviceQueries prepared{buffers.prepared, static_cast<std::uint32_t>(count),
                               static_cast<std::uint32_t>(padded(dimension()))};
  copy_to_gpu(buffers.queries, queries.data() + first * dimension(), count * dimension(), stream);
  prepare_on_gpu(buffers.queries, prepared.count, static_cast<std::uint32_t>(dimension()), metric(),
                 buffers.prepared, prepared.stride, stream);
  return prepared;
}

RankTask GpuSegmentSearcher::State::rank_task(const DeviceQueries& queries,
                                              const RankedRows& chosen) const {
  return {.segments = static_cast<const RankedSegment*>(table.data()),
          .segment_count = static_cast<std::uint32_t>(parts.size()),
          .rows = parts[0].rows->rows(),
          .queries = queries,
          .chosen = chosen,
          .is_l2 = parts[0].rows->is_l2()};
}

}  // namespace warpdex::vector
