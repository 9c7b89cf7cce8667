// Sends objects through the GPU in blocks. A few threads take one block after the other, each from
// the host's memory to its ranks there. So one packs while another's block is copied and a third's
// is on the GPU.
//
// The floor on an H200 (50 GB/s to it and from it; some 0.9 T instructions of warps a second), by
// 128 permutants, ms:
//                                 to it    distances                ranks             from it
//   2 M words of 9 letters        1.6      1.6 (20 each letter)     2.3               5
//   8.8 M vectors of 200          141      16  (2 each component)   10 (2 each pair   23
//                                                                       of permutants)
// So copies bound both. Beside them the host writes 128 bytes for each object to fresh memory.
#include "warpdex/vector/metric/gpu_permutation_builder.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <string>

#include "metric/gpu/kernels.hpp"
#include "metric/gpu/object_blocks.hpp"
#include "metric/rank_row.hpp"
#include "metric/search_arguments.hpp"
#include "metric/shared_progress.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::metric {
namespace {

/// Threads that have a block under way.
constexpr std::size_t kMinLanes = 2;
constexpr std::size_t kMaxLanes = 8;
/// Of objects, and of ranks, in a block.
constexpr std::size_t kLaneBytes = std::size_t{4} << 20;
/// Memory for steps of bands of one block, in words, if one CTA needs no more.
constexpr std::size_t kMaxLaneBandWords = std::size_t{16} << 20;

/// How large the memory of a lane is.
struct LaneShape {
  std::size_t image_bytes = 0;
  std::size_t objects = 0;
  std::size_t permutants = 0;
  std::size_t row_bytes = 0;
  std::size_t band_words = 0;
};

/// A block's memory on the GPU.
struct LaneParts {
  LaneParts(const LaneShape& shape, void* begin) {
    Arena arena(begin);
    image = arena.take<std::uint8_t>(shape.image_bytes);
    distances = arena.take<float>(shape.objects * shape.permutants);
    rows = arena.take<std::uint8_t>(shape.objects * shape.row_bytes);
    bands.size = shape.band_words;
    if (bands.size > 0) bands.steps = arena.take<std::uint32_t>(bands.size);
    bytes = arena.used();
  }
  std::uint8_t* image = nullptr;
  float* distances = nullptr;
  std::uint8_t* rows = nullptr;
  BandScratch bands;
  std::size_t bytes = 0;
};

/// What a thread's blocks go through.
class Lane {
 public:
  Lane(const LaneShape& shape, void* on_gpu, int device)
      : stream(device),
        image(shape.image_bytes),
        rows(shape.objects * shape.row_bytes),
        parts(shape, on_gpu) {}
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    try {
      stream.synchronize();  // after an error, copies may be under way
    } catch (...) {
      // Who waited for the block has the error.
    }
  }

  Stream stream;
  PinnedBuffer image;
  PinnedBuffer rows;
  LaneParts parts;
};

class GpuRanking {
 public:
  /// Writes the rows to `rows`.
  GpuRanking(const ObjectsView& view, std::span<const std::uint32_t> permutants,
             Resources& resources, std::size_t threads, const MetricProgress& progress,
             std::uint8_t* rows)
      : view_(view),
        permutants_(permutants),
        resources_(resources),
        threads_(threads == 0 ? default_threads() : threads),
        told_(progress, std::uint64_t{view.objects} * permutants.size()),
        image_(view, permutants),
        row_bytes_(rank_stride(permutants.size()) * rank_bytes(permutants.size())),
        rows_(rows) {}

  void run() {
    const CurrentDevice current(resources_.device());
    fit();
    allocate();
    parallel_for(lanes_.size(), blocks_->blocks().size(), [&](std::size_t thread, std::size_t i) {
      rank_block(blocks_->blocks()[i], lanes_[thread]);
    });
    rank_on_cpu();
  }

 private:
  LaneShape shape() const;
  std::size_t total_bytes(std::size_t lanes) const;
  void fit();
  void allocate();
  void rank_block(const ObjectBlock& block, Lane& lane);
  void rank_on_cpu();
  [[noreturn]] void refuse() const;

  const ObjectsView& view_;
  std::span<const std::uint32_t> permutants_;
  Resources& resources_;
  std::size_t threads_;
  SharedProgress told_;
  PermutantImage image_;
  std::size_t row_bytes_;
  std::uint8_t* rows_;

  std::optional<ObjectBlocks> blocks_;
  std::size_t band_words_ = 0;
  std::size_t lane_count_ = 1;
  AccountedBuffer memory_;
  DeviceQueries queries_;
  std::deque<Lane> lanes_;
};

LaneShape GpuRanking::shape() const {
  return {blocks_->max_image_bytes(), blocks_->max_objects(), permutants_.size(), row_bytes_,
          band_words_};
}

std::size_t GpuRanking::total_bytes(std::size_t lanes) const {
  return aligned_piece(image_.bytes()) + lanes * LaneParts(shape(), nullptr).bytes;
}

void GpuRanking::refuse() const {
  throw Error("ranking these objects needs " + std::to_string((total_bytes(1) >> 20) + 1) +
              " MiB of GPU memory; give more, or rank them on the CPU");
}

/// Takes fewer lanes, then less memory for bands, then smaller blocks, until all fits.
void GpuRanking::fit() {
  const std::size_t room = resources_.memory().left();
  BlockLimits limits{std::clamp<std::size_t>(kLaneBytes / row_bytes_, 1, view_.objects),
                     kLaneBytes};
  for (;;) {
    blocks_.emplace(view_, limits);
    const std::size_t lanes =
        std::min(std::clamp(threads_, kMinLanes, kMaxLanes), blocks_->blocks().size());
    std::size_t needed_words = 0;
    band_words_ = 0;
    if (image_.has_long()) {
      const DeviceObjects objects = blocks_->objects_at(blocks_->blocks().front(), nullptr);
      needed_words = needed_band_words(objects);
      band_words_ = std::min(wanted_band_words(objects), std::max(needed_words, kMaxLaneBandWords));
    }
    for (lane_count_ = lanes; lane_count_ > 1; lane_count_ = (lane_count_ + 1) / 2) {
      if (total_bytes(lane_count_) <= room) return;
    }
    if (total_bytes(1) <= room) return;
    band_words_ = needed_words;
    if (total_bytes(1) <= room) return;
    if (limits.objects == 1) refuse();
    limits.objects = (limits.objects + 1) / 2;
    limits.bytes /= 2;
  }
}

void GpuRanking::allocate() {
  const int device = resources_.device();
  if (!memory_.allocate(total_bytes(lane_count_), resources_.memory(), device)) refuse();
  auto* next = static_cast<std::uint8_t*>(memory_.data());
  queries_ = image_.queries_at(next);
  const auto ready = std::make_unique_for_overwrite<std::uint8_t[]>(image_.bytes());
  image_.write(ready.get());
  const Stream stream(device);
  copy_to_gpu(next, ready.get(), image_.bytes(), stream);
  stream.synchronize();
  next += aligned_piece(image_.bytes());
  for (std::size_t i = 0; i < lane_count_; ++i) {
    lanes_.emplace_back(shape(), next, device);
    next += lanes_.back().parts.bytes;
  }
}

void GpuRanking::rank_block(const ObjectBlock& block, Lane& lane) {
  const CurrentDevice current(resources_.device());
  const Stream& stream = lane.stream;
  const auto* const image = static_cast<const std::uint8_t*>(lane.image.data());
  copy_to_gpu(lane.parts.image, image, blocks_->fill(block, lane.image.data()), stream);
  PairTask task;
  task.objects = blocks_->objects_at(block, lane.parts.image);
  task.queries = queries_;
  task.query_count = static_cast<std::uint32_t>(permutants_.size());
  task.count = task.objects.count;
  task.out = lane.parts.distances;
  task.out_stride = block.count;
  if (is_of_vectors(view_.settings.distance)) {
    compute_vector_tiles(task, stream);
  } else {
    compute_distances(task, lane.parts.bands, stream);
  }
  rank_objects({.distances = task.out,
                .stride = task.out_stride,
                .objects = task.count,
                .permutants = task.query_count,
                .places = blocks_->order_of(block, lane.parts.image),
                .rows = lane.parts.rows},
               stream);
  const std::size_t bytes = block.count * row_bytes_;
  auto* const rows = static_cast<std::uint8_t*>(lane.rows.data());
  copy_to_host(rows, lane.parts.rows, bytes, stream);
  stream.synchronize();
  std::memcpy(rows_ + block.first * row_bytes_, rows, bytes);
  std::size_t ranked = 0;
  for (std::size_t i = 0; i < block.count; ++i) {
    ranked += is_left_to_cpu(view_, block.first + i) ? 0 : 1;
  }
  told_.add(ranked * permutants_.size());
}

/// The rows of the objects that were left out.
void GpuRanking::rank_on_cpu() {
  std::vector<std::uint32_t> left;
  for (std::size_t i = 0; i < view_.objects; ++i) {
    if (is_left_to_cpu(view_, i)) left.push_back(static_cast<std::uint32_t>(i));
  }
  const auto space = make_space(view_);
  parallel_for(threads_, left.size(), [&](std::size_t /*thread*/, std::size_t item) {
    // Distances of texts and of sets are the same both ways.
    const auto own = space->from_object(left[item]);
    std::vector<float> distances(permutants_.size());
    for (std::size_t p = 0; p < distances.size(); ++p) distances[p] = own->to(permutants_[p]);
    RankRow row(distances.size());
    row.set(distances);
    std::memcpy(rows_ + left[item] * row_bytes_, row.bytes().data(), row_bytes_);
    told_.add(distances.size());
  });
}

}  // namespace

std::unique_ptr<std::uint8_t[]> rank_permutants_on_gpu(const ObjectsView& view,
                                                       std::span<const std::uint32_t> permutants,
                                                       Resources& resources, std::size_t threads,
                                                       const MetricProgress& progress) {
  check_permutants(view.objects, permutants);
  const std::size_t row_bytes = rank_stride(permutants.size()) * rank_bytes(permutants.size());
  auto rows = std::make_unique_for_overwrite<std::uint8_t[]>(view.objects * row_bytes);
  GpuRanking(view, permutants, resources, threads, progress, rows.get()).run();
  return rows;
}

}  // namespace warpdex::metric
