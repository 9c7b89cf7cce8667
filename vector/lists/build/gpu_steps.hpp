// The steps of a build that a GPU can do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "binary/encode_rows.hpp"
#include "lists/build/encoded_block.hpp"
#include "lists/build/list_groups.hpp"
#include "pq/train.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"
#include "warpdex/vector/rows/vector_view.hpp"
#include "warpdex/vector/sq8/sq8_coding.hpp"

namespace warpdex::vector {

class CentroidSearch;

/// Rows stay in the host's memory and come in blocks through page-locked memory: while the GPU
/// works on one, the host fills the next. Used by one thread at a time. All functions throw
/// CudaError; and Error, before anything is changed, where a step needs more GPU memory than is
/// left. In a build without CUDA the constructor throws CudaError.
class GpuSteps {
 public:
  /// `resources` must outlive it.
  explicit GpuSteps(Resources& resources);
  ~GpuSteps();

  /// The centroids that kmeans_on_gpu() finds for some of the rows, all of which must fit into GPU
  /// memory. Throws likewise.
  Matrix<float> train_centroids(const VectorView& rows, std::span<const std::uint64_t> sample,
                                const KmeansSettings& settings);

  /// Called after each block with the number of rows or groups done.
  using OnBlock = std::function<void(std::size_t done)>;

  /// Sets lists[row] to the number of the nearest centroid, by canonical distances, ties to the
  /// smaller one: as `on_host` does, which takes blocks whose rows products cannot compare.
  void assign(const VectorView& rows, const Matrix<float>& centroids, const CentroidSearch& on_host,
              std::uint32_t* lists, const OnBlock& on_block);

  /// As train_codebooks(), to the bit.
  std::vector<float> train_codebooks(const Matrix<float>& points, const PqTraining& training);

  /// As encode_lists(), to the bit.
  void encode(const VectorView& rows, const EncodingRules& rules, const ListGroups& groups,
              const BlockSink& sink);
  void encode(const VectorView& rows, const BitRules& rules, const ListGroups& groups,
              const BlockSink& sink);
  void encode(const VectorView& rows, const RulesOf<Sq8Quantizer>& rules, const ListGroups& groups,
              const BlockSink& sink);

  /// As encode_rows() of binary codes, to the bit.
  void encode_binary(const VectorView& rows, const BinaryQuantizer& quantizer, const CodeSink& sink,
                     const OnBlock& on_block);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
