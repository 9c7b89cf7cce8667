// What the searches of several segments on a GPU share: the segments, and blocks of queries that
// memory holds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "distance/distance_kernels.hpp"
#include "flat/gpu/flat_data.hpp"
#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/segment_searches.hpp"
#include "flat/gpu/workspace.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/vector/flat/gpu_segment_searcher.hpp"

namespace warpdex::vector {

/// Queries and answers of a block.
struct BlockBuffers {
  float* queries = nullptr;
  float* prepared = nullptr;
  std::int32_t* rows = nullptr;
  float* distances = nullptr;
  DeviceAnswers answers;

  void lay_out(Arena& arena, std::size_t count, std::size_t dimension, std::size_t k) {
    queries = arena.take<float>(count * dimension);
    prepared = arena.take<float>(count * padded(dimension));
    rows = arena.take<std::int32_t>(count * k);
    distances = arena.take<float>(count * k);
    answers.values = arena.take<float>(count * k);
    answers.ids = arena.take<std::uint32_t>(count * k);
    answers.k = static_cast<std::uint32_t>(k);
  }
};

struct GpuSegmentVectors::State {
  State(const FlatVectors& vectors, Resources& resources) : rows(vectors, resources, {}) {}
  GpuRows rows;
};

struct GpuSegmentSearcher::State {
  State(std::vector<GpuSegment> segments, Resources& resources);
  void add(GpuSegment segment, std::uint32_t first_word, Resources& resources);
  void keep_live(const RowFilter& live, DeviceSegment& part, Resources& resources);
  void upload_table(Resources& resources);

  std::size_t dimension() const { return parts[0].rows->dimension(); }
  Metric metric() const { return parts[0].rows->host().metric; }
  DeviceQueries prepare(std::span<const float> queries, std::size_t first, std::size_t count,
                        const BlockBuffers& buffers, const Stream& stream) const;
  RankTask rank_task(const DeviceQueries& queries, const RankedRows& chosen) const;

  /// Calls answer(first, count, search, buffers, workspace) for blocks of queries. make(count)
  /// makes the search for blocks of up to so many.
  template <class Make, class Answer>
  void for_each_block(std::size_t count, std::size_t k, const Make& make, const Answer& answer);

  std::vector<DeviceSegment> parts;  ///< in the order of their rows
  std::vector<std::size_t> order;    ///< the largest first: it makes the lowest limits
  std::size_t live_rows = 0;
  std::size_t words = 0;  ///< of a set
  AccountedBuffer table;  ///< RankedSegment of each
  std::unique_ptr<WorkspacePool> pool;
};

template <class Make, class Answer>
void GpuSegmentSearcher::State::for_each_block(std::size_t count, std::size_t k, const Make& make,
                                               const Answer& answer) {
  if (count == 0) return;
  const CurrentDevice current(parts[0].rows->device());
  constexpr std::size_t kMaxAnswers = std::size_t{4} << 20;  // rows of a block's answers
  const std::size_t all = pool->memory();
  const std::size_t selection = selection_room(k, all);
  const std::size_t memory = std::min(all - std::min(all, selection), kMaxScratch);
  const auto lay_out = [&](std::size_t block, void* begin, auto& search, BlockBuffers& buffers) {
    Arena arena(begin);
    buffers.lay_out(arena, block, dimension(), k);
    search.lay_out(arena);
    return arena.used();
  };
  const auto bytes_for = [&](std::size_t block) {
    auto search = make(block);
    BlockBuffers buffers;
    return lay_out(block, nullptr, search, buffers);
  };
  const auto fitting = [&](std::size_t block, std::size_t bytes) {
    while (block > 1 && bytes_for(block) > bytes) block = (block + 1) / 2;
    return block;
  };
  const std::size_t most = std::clamp<std::size_t>(kMaxAnswers / k, 1, kMaxBlock);
  const std::size_t wanted = fitting(std::min(count, most), memory);
  const auto workspace = pool->take(bytes_for(1), bytes_for(wanted), selection);
  const std::size_t block = fitting(wanted, workspace->scratch.size());
  auto search = make(block);
  BlockBuffers buffers;
  lay_out(block, workspace->scratch.data(), search, buffers);
  for (std::size_t first = 0; first < count; first += block) {
    answer(first, std::min(block, count - first), search, buffers, *workspace);
  }
}

}  // namespace warpdex::vector
