// Takes blocks of queries through all segments, or through their sets of rows.
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

#include <algorithm>
#include <utility>

#include "flat/gpu/answers.hpp"
#include "flat/gpu/segment_state.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {

static_assert(GpuSegmentSearcher::kMaxWide <= kMaxProductNeighbors);

namespace {

/// Copies the answers of a block to the host, waits for them and hands them over.
void hand_over(const BlockBuffers& buffers, std::size_t first, std::size_t count, Metric metric,
               Workspace& workspace, const GpuSegmentSearcher::TakeAnswers& take) {
  const std::size_t size = count * buffers.answers.k;
  write_answers(buffers.answers, static_cast<std::uint32_t>(count), metric, buffers.rows,
                buffers.distances, workspace.stream);
  auto* const rows = static_cast<std::int32_t*>(
      workspace.pinned_bytes(size * (sizeof(std::int32_t) + sizeof(float))));
  auto* const distances = reinterpret_cast<float*>(rows + size);
  copy_to_host(rows, buffers.rows, size, workspace.stream);
  copy_to_host(distances, buffers.distances, size, workspace.stream);
  workspace.stream.synchronize();
  take(first, count, rows, distances);
}

/// Searches all rows for the nearest k of each query. Calls take(first, count, buffers, workspace)
/// for each block of queries, whose answers are on their way.
template <class State, class Take>
void search_all(State& state, std::span<const float> queries, std::size_t k, const Take& take) {
  check_k(k, state.live_rows);
  state.for_each_block(
      check_queries(state.dimension(), queries), k,
      [&](std::size_t block) { return AllSegments(state.parts, state.order, block, k); },
      [&](std::size_t first, std::size_t count, AllSegments& search, const BlockBuffers& buffers,
          Workspace& workspace) {
        search.run(state.prepare(queries, first, count, buffers, workspace.stream), buffers.answers,
                   workspace);
        take(first, count, buffers, workspace);
      });
}

}  // namespace

GpuSegmentSearcher::GpuSegmentSearcher(std::vector<GpuSegment> segments, Resources& resources)
    : state_(std::make_unique<State>(std::move(segments), resources)) {}
GpuSegmentSearcher::~GpuSegmentSearcher() = default;
GpuSegmentSearcher::GpuSegmentSearcher(GpuSegmentSearcher&&) noexcept = default;
GpuSegmentSearcher& GpuSegmentSearcher::operator=(GpuSegmentSearcher&&) noexcept = default;

std::size_t GpuSegmentSearcher::live_rows() const { return state_->live_rows; }
std::size_t GpuSegmentSearcher::set_words() const { return state_->words; }
std::size_t GpuSegmentSearcher::first_word(std::size_t segment) const {
  return state_->parts[segment].first_word;
}

void GpuSegmentSearcher::nearest(std::span<const float> queries, std::size_t k,
                                 const TakeAnswers& take) const {
  search_all(
      *state_, queries, k,
      [&](std::size_t first, std::size_t count, const BlockBuffers& buffers, Workspace& workspace) {
        hand_over(buffers, first, count, state_->metric(), workspace, take);
      });
}

void GpuSegmentSearcher::nearest_on_gpu(std::span<const float> queries, std::size_t k,
                                        const TakeRows& take) const {
  search_all(
      *state_, queries, k,
      [&](std::size_t first, std::size_t count, const BlockBuffers& buffers, Workspace& workspace) {
        write_answers(buffers.answers, static_cast<std::uint32_t>(count), state_->metric(),
                      buffers.rows, buffers.distances, workspace.stream);
        take(first, count, buffers.rows, workspace.stream);
        workspace.stream.synchronize();
      });
}

void GpuSegmentSearcher::nearest_within(std::span<const float> queries, std::size_t k,
                                        const FillSets& fill, const TakeAnswers& take) const {
  State& state = *state_;
  state.for_each_block(
      check_queries(state.dimension(), queries), k,
      [&](std::size_t block) { return WithinSets(block, k, state.words); },
      [&](std::size_t first, std::size_t count, WithinSets& search, const BlockBuffers& buffers,
          Workspace& workspace) {
        fill(first, count, search.sets, workspace.stream);
        const DeviceQueries prepared =
            state.prepare(queries, first, count, buffers, workspace.stream);
        search.rank.run(
            state.rank_task(prepared, {.words = search.sets.words,
                                       .set_words = static_cast<std::uint32_t>(state.words)}),
            buffers.answers, workspace.stream);
        hand_over(buffers, first, count, state.metric(), workspace, take);
      });
}

void GpuSegmentSearcher::nearest_passing(std::span<const float> queries, std::size_t k,
                                         std::size_t wide_k, const FillSets& fill,
                                         const TakeAnswers& take) const {
  State& state = *state_;
  state.for_each_block(
      check_queries(state.dimension(), queries), k,
      [&](std::size_t block) {
        return PassingSets(state.parts, state.order, block, k, wide_k, state.words);
      },
      [&](std::size_t first, std::size_t count, PassingSets& search, const BlockBuffers& buffers,
          Workspace& workspace) {
        const Stream& stream = workspace.stream;
        fill(first, count, search.within.sets, stream);
        RankTask task = state.rank_task(state.prepare(queries, first, count, buffers, stream),
                                        {.words = search.within.sets.words,
                                         .set_words = static_cast<std::uint32_t>(state.words)});
        search.all.run(task.queries, search.wide, workspace);
        pass_rows(task, search.wide, buffers.answers, search.is_settled, stream);
        task.is_settled = search.is_settled;
        search.within.rank.run(task, buffers.answers, stream);
        hand_over(buffers, first, count, state.metric(), workspace, take);
      });
}

void GpuSegmentSearcher::nearest_among(std::span<const float> queries, std::size_t k,
                                       std::span<const std::uint32_t> rows,
                                       std::span<const std::uint32_t> begins,
                                       const TakeAnswers& take) const {
  State& state = *state_;
  std::size_t longest = 1;
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    longest = std::max<std::size_t>(longest, begins[i + 1] - begins[i]);
  }
  state.for_each_block(
      check_queries(state.dimension(), queries), k,
      [&](std::size_t block) { return AmongListed(block, k, longest); },
      [&](std::size_t first, std::size_t count, AmongListed& search, const BlockBuffers& buffers,
          Workspace& workspace) {
        const std::uint32_t begin = begins[first];
        copy_to_gpu(search.listed, rows.data() + begin, begins[first + count] - begin,
                    workspace.stream);
        copy_to_gpu(search.begins, begins.data() + first, count + 1, workspace.stream);
        const DeviceQueries prepared =
            state.prepare(queries, first, count, buffers, workspace.stream);
        search.rank.run(
            state.rank_task(prepared, {.listed = search.listed - begin, .begins = search.begins}),
            buffers.answers, workspace.stream);
        hand_over(buffers, first, count, state.metric(), workspace, take);
      });
}

}  // namespace warpdex::vector
