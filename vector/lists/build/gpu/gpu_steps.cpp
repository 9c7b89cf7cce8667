// Training: the sample is brought to the GPU, k-means does the rest.
#include <string>

#include "lists/build/gpu/gpu_builder.hpp"
#include "pq/gpu_train.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/kmeans/gpu_kmeans.hpp"

namespace warpdex::vector {

GpuSteps::GpuSteps(Resources& resources) : state_(std::make_unique<State>(resources)) {}
GpuSteps::~GpuSteps() = default;

Matrix<float> GpuSteps::train_centroids(const VectorView& rows,
                                        std::span<const std::uint64_t> sample,
                                        const KmeansSettings& settings) {
  Resources& resources = state_->resources;
  const CurrentDevice current(resources.device());
  const std::size_t row_bytes = rows.dimension * sizeof(float);
  AccountedBuffer points;
  if (!points.allocate(sample.size() * row_bytes, resources.memory(), resources.device())) {
    throw Error("k-means of " + std::to_string(sample.size()) + " vectors needs " +
                std::to_string(sample.size() * row_bytes >> 20) + " MiB of GPU memory and more, " +
                "and " + std::to_string(resources.memory().left() >> 20) +
                " MiB are left; train on fewer");
  }
  const std::size_t block_rows = std::clamp<std::size_t>(kBlockBytes / row_bytes, 1, sample.size());
  RowStream& stream = state_->rows;
  stream.reserve(block_rows * row_bytes);
  for (std::size_t block = 0; block * block_rows < sample.size(); ++block) {
    const std::size_t first = block * block_rows;
    const std::size_t count = std::min(block_rows, sample.size() - first);
    auto* const buffer = static_cast<float*>(stream.buffer(block));
    copy_in_parallel(count, row_bytes, [&](std::size_t i) {
      copy_row(rows, sample[first + i], buffer + i * rows.dimension);
    });
    stream.send(block, static_cast<std::uint8_t*>(points.data()) + first * row_bytes,
                count * row_bytes);
    stream.await(block, state_->stream);
  }
  state_->stream.synchronize();
  return kmeans_on_gpu(static_cast<const float*>(points.data()), sample.size(), rows.dimension,
                       settings, resources)
      .centroids;
}

std::vector<float> GpuSteps::train_codebooks(const Matrix<float>& points,
                                             const PqTraining& training) {
  return train_codebooks_on_gpu(points, training, state_->resources);
}

}  // namespace warpdex::vector
