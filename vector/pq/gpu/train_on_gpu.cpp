// The host draws first codewords and plans repairs; the GPU does the rest.
#include <cuda_runtime_api.h>

#include <numeric>
#include <string>

#include "kmeans/update.hpp"
#include "pq/gpu/kernels.hpp"
#include "pq/gpu_train.hpp"
#include "pq/run_clusters.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

class GpuTraining {
 public:
  GpuTraining(const Matrix<float>& points, const PqTraining& training, Resources& resources)
      : shape_{points.columns, training.bytes, training.bits},
        clusters_(run_clusters(shape_, points.rows)),
        sizes_(shape_.parts() * shape_.codewords()),
        stream_(resources.device()) {
    for (std::size_t part = 0; part < shape_.parts(); ++part) {
      random_.push_back(repair_random(training.seed, part));
    }
    take_memory(points, resources);
    codebooks_ = draw_codebooks(points, shape_, clusters_, training.seed);
    copy_to_gpu(points_, points.values.data(), points.values.size(), stream_);
    copy_to_gpu(state_.codebooks, codebooks_.data(), codebooks_.size(), stream_);
    check_cuda(
        cudaMemsetAsync(state_.sizes, 0, sizes_.size() * sizeof(std::uint32_t), stream_.handle()),
        "cudaMemsetAsync");
  }

  void iterate(bool is_last) {
    find_words(state_.points, state_.quantizer, words_, stream_);
    move_codewords(state_, stream_);
    if (is_last) return;
    copy_to_host(sizes_.data(), state_.sizes, sizes_.size(), stream_);
    stream_.synchronize();
    repair();
  }

  std::vector<float> take() {
    copy_to_host(codebooks_.data(), state_.codebooks, codebooks_.size(), stream_);
    stream_.synchronize();
    fill_codebooks(shape_, clusters_, codebooks_);
    return std::move(codebooks_);
  }

 private:
  void take_memory(const Matrix<float>& points, Resources& resources) {
    const auto lay_out = [&](void* memory) {
      Arena arena(memory);
      points_ = arena.take<float>(points.values.size());
      words_ = arena.take<std::uint8_t>(shape_.parts() * points.rows);
      state_.codebooks = arena.take<float>(shape_.dimension * shape_.codewords());
      state_.sizes = arena.take<std::uint32_t>(sizes_.size());
      repairs_ = arena.take<CodewordRepair>(sizes_.size());
      begins_ = arena.take<std::uint32_t>(shape_.parts() + 1);
      return arena.used();
    };
    const std::size_t bytes = lay_out(nullptr);
    if (!memory_.allocate(bytes, resources.memory(), resources.device())) {
      throw Error("training codes on " + std::to_string(points.rows) + " vectors needs " +
                  std::to_string(bytes >> 20) + " MiB of GPU memory, and " +
                  std::to_string(resources.memory().left() >> 20) +
                  " MiB are left; give more, or train on fewer");
    }
    lay_out(memory_.data());
    const auto dimension = static_cast<std::uint32_t>(shape_.dimension);
    state_.points = {points_, static_cast<std::uint32_t>(points.rows), dimension};
    state_.quantizer = {state_.codebooks, dimension, static_cast<std::uint32_t>(shape_.bytes),
                        static_cast<std::uint32_t>(shape_.bits)};
    state_.words = words_;
  }

  /// Plans by the sizes of the last iteration, and has it done.
  void repair() {
    std::vector<CodewordRepair> repairs;
    std::vector<std::uint32_t> begins{0};
    for (std::size_t part = 0; part < shape_.parts(); ++part) {
      if (shape_.part_begin(part) < shape_.part_begin(part + 1)) {
        const auto first = sizes_.begin() + static_cast<std::ptrdiff_t>(part * shape_.codewords());
        const std::vector<std::uint64_t> own(first, first + static_cast<std::ptrdiff_t>(clusters_));
        for (const Repair& one : plan_repairs(own, random_[part])) {
          repairs.push_back({one.cluster, one.parted, static_cast<std::uint32_t>(one.member)});
        }
      }
      begins.push_back(static_cast<std::uint32_t>(repairs.size()));
    }
    if (repairs.empty()) return;
    copy_to_gpu(repairs_, repairs.data(), repairs.size(), stream_);
    copy_to_gpu(begins_, begins.data(), begins.size(), stream_);
    repair_codewords(state_, repairs_, begins_, stream_);
  }

  ProductQuantizer shape_;
  std::size_t clusters_;
  std::vector<Random> random_;  ///< of each run's repairs
  std::vector<float> codebooks_;
  std::vector<std::uint32_t> sizes_;
  Stream stream_;
  AccountedBuffer memory_;
  CodebookTraining state_{};
  float* points_ = nullptr;
  std::uint8_t* words_ = nullptr;
  CodewordRepair* repairs_ = nullptr;
  std::uint32_t* begins_ = nullptr;
};

}  // namespace

std::vector<float> train_codebooks_on_gpu(const Matrix<float>& points, const PqTraining& training,
                                          Resources& resources) {
  const CurrentDevice current(resources.device());
  GpuTraining state(points, training, resources);
  for (std::size_t number = 1; number <= training.iterations; ++number) {
    state.iterate(number == training.iterations);
    if (training.on_parts) training.on_parts(number, training.iterations);
  }
  return state.take();
}

}  // namespace warpdex::vector
