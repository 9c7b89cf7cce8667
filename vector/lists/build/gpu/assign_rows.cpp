// Rows meet all centroids in products of halves; what these leave open is compared by canonical
// distances (kmeans/gpu).
#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <string>
#include <vector>

#include "kmeans/gpu/assign_points.hpp"
#include "kmeans/gpu/kernels.hpp"
#include "kmeans/kmeans_input.hpp"
#include "lists/build/centroid_search.hpp"
#include "lists/build/gpu/gpu_builder.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// The mean of the centroids.
std::vector<float> centre_of(const Matrix<float>& centroids) {
  std::vector<double> sums(centroids.columns);
  for (std::size_t i = 0; i < centroids.rows; ++i) {
    for (std::size_t c = 0; c < sums.size(); ++c) sums[c] += double{centroids.row(i)[c]};
  }
  std::vector<float> centre;
  for (const double sum : sums) {
    centre.push_back(static_cast<float>(sum / static_cast<double>(centroids.rows)));
  }
  return centre;
}

/// The centroids and a block of rows in GPU memory.
class BlockAssignment {
 public:
  BlockAssignment(const Matrix<float>& centroids, std::size_t rows, Resources& resources,
                  const Stream& stream)
      : dimension_(static_cast<std::uint32_t>(centroids.columns)), stream_(stream) {
    panels_.count = static_cast<std::uint32_t>(centroids.rows);
    take_memory(rows, resources);
    const std::vector<float> centre = centre_of(centroids);
    copy_to_gpu(centroids_, centroids.values.data(), centroids.values.size(), stream);
    copy_to_gpu(centre_, centre.data(), centre.size(), stream);
    for (std::size_t i = 0; i < centroids.rows; ++i) {
      largest_norm_ = std::max(largest_norm_, row_norm(Metric::kL2, centroids.row(i), centre));
    }
  }

  std::size_t block_rows() const { return block_rows_; }
  float* rows(std::size_t block) const { return rows_[block % 2]; }

  /// Queues the assignment of a block. Returns whether products can compare its rows.
  bool assign(std::size_t block, std::uint32_t count) {
    const DevicePoints points{rows(block), count, dimension_};
    find_norms(points, centre_, static_cast<float>(kMaxKmeansNorm), norms_, norm_figures_, stream_);
    NormFigures found{};
    copy_to_host(&found, norm_figures_, 1, stream_);
    stream_.synchronize();
    if (found.first_far < count || !(double{largest_norm_} <= kMaxKmeansNorm)) return false;
    const float largest = std::max(std::bit_cast<float>(found.largest_bits), largest_norm_);
    const DeviceRows rows{points.values, Store::kFloat, dimension_, dimension_, norms_};
    PanelRules rules{HalfBound(Metric::kL2, dimension_), half_scale(Metric::kL2, largest), centre_};
    const float rounding = measure_rounding(rows, count, rules, figure_, stream_);
    rules.bound = HalfBound(Metric::kL2, dimension_, rounding);
    pack_centroids(panels_, dimension_, rules, stream_);
    assignment_->run(rows, {.count = count}, rules, panels_, false, false, lists_, distances_,
                     stream_);
    return true;
  }

  /// Queues the copy of what assign() found.
  void fetch(std::uint32_t count, std::uint32_t* to) const {
    copy_to_host(to, lists_, count, stream_);
  }

 private:
  void take_memory(std::size_t rows, Resources& resources) {
    const std::size_t wanted = std::clamp<std::size_t>(
        kBlockBytes / sizeof(float) / dimension_, std::min<std::size_t>(rows, kPanelRows), rows);
    for (block_rows_ = wanted;; block_rows_ = std::max<std::size_t>(1, block_rows_ / 2)) {
      const std::size_t bytes = lay_out(nullptr);
      if (memory_.allocate(bytes, resources.memory(), resources.device())) break;
      if (block_rows_ > kPanelRows) continue;
      throw Error("assigning vectors to " + std::to_string(panels_.count) + " lists needs " +
                  std::to_string(bytes >> 20) + " MiB of GPU memory, and " +
                  std::to_string(resources.memory().left() >> 20) + " MiB are left; give more");
    }
    lay_out(memory_.data());
  }

  std::size_t lay_out(void* memory) {
    Arena arena(memory);
    for (float*& rows : rows_) rows = arena.take<float>(block_rows_ * dimension_);
    norms_ = arena.take<float>(block_rows_);
    distances_ = arena.take<float>(block_rows_);
    lists_ = arena.take<std::uint32_t>(block_rows_);
    figure_ = arena.take<float>(1);
    norm_figures_ = arena.take<NormFigures>(1);
    centre_ = arena.take<float>(dimension_);
    centroids_ = arena.take<float>(std::size_t{panels_.count} * dimension_);
    panels_.centroids = centroids_;
    lay_out_panels(arena, dimension_, panels_);
    assignment_.emplace(dimension_, static_cast<std::uint32_t>(block_rows_), false, true);
    assignment_->lay_out(arena);
    return arena.used();
  }

  std::uint32_t dimension_;
  const Stream& stream_;
  AccountedBuffer memory_;
  std::size_t block_rows_ = 0;
  std::array<float*, 2> rows_{};
  float* norms_ = nullptr;
  float* distances_ = nullptr;
  std::uint32_t* lists_ = nullptr;
  float* figure_ = nullptr;
  NormFigures* norm_figures_ = nullptr;
  float* centre_ = nullptr;
  float* centroids_ = nullptr;
  float largest_norm_ = 0;  ///< of the centroids
  CentroidPanels panels_;
  std::optional<PointAssignment> assignment_;
};

}  // namespace

void GpuSteps::assign(const VectorView& rows, const Matrix<float>& centroids,
                      const CentroidSearch& on_host, std::uint32_t* lists,
                      const OnBlock& on_block) {
  const CurrentDevice current(state_->resources.device());
  BlockAssignment blocks(centroids, rows.rows, state_->resources, state_->stream);
  const StreamEnd end(state_->stream);
  const std::size_t block_rows = blocks.block_rows();
  const std::size_t row_bytes = rows.dimension * sizeof(float);
  state_->rows.reserve(block_rows * row_bytes);
  state_->results.reserve(block_rows * sizeof(std::uint32_t));
  const auto size_of = [&](std::size_t block) {
    return std::min(block_rows, rows.rows - block * block_rows);
  };
  const auto start = [&](std::size_t block) {
    auto* const buffer = static_cast<float*>(state_->rows.buffer(block));
    copy_in_parallel(size_of(block), row_bytes, [&](std::size_t i) {
      copy_row(rows, block * block_rows + i, buffer + i * rows.dimension);
    });
    state_->rows.send(block, blocks.rows(block), size_of(block) * row_bytes);
  };
  const auto process = [&](std::size_t block) {
    const std::size_t count = size_of(block);
    auto* const found = static_cast<std::uint32_t*>(state_->results.buffer(block));
    state_->rows.await(block, state_->stream);
    if (blocks.assign(block, static_cast<std::uint32_t>(count))) {
      blocks.fetch(static_cast<std::uint32_t>(count), found);
    } else {
      on_host.nearest(rows, block * block_rows, count, found);
    }
    state_->rows.release(block, state_->stream);
    state_->results.record(block, state_->stream);
  };
  const auto collect = [&](std::size_t block) {
    state_->results.await(block);
    const auto* const found = static_cast<const std::uint32_t*>(state_->results.buffer(block));
    std::copy_n(found, size_of(block), lists + block * block_rows);
    on_block(block * block_rows + size_of(block));
  };
  run_blocks((rows.rows - 1) / block_rows + 1, start, process, collect);
}

}  // namespace warpdex::vector
