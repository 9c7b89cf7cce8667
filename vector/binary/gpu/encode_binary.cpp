// Rows to binary codes and corrections, in the order of rows. The bytes are those that
// encode_rows() gives.
#include <algorithm>
#include <array>

#include "binary/gpu/bit_encoder.hpp"
#include "distance/distance_kernels.hpp"
#include "lists/build/gpu/encode_blocks.hpp"
#include "lists/build/gpu/gpu_builder.hpp"
#include "pq/gpu/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"

namespace warpdex::vector {
namespace {

/// What encoding needs in GPU memory.
class BinaryEncoder {
 public:
  BinaryEncoder(const BinaryQuantizer& quantizer, std::size_t rows, Resources& resources,
                const Stream& stream)
      : quantizer_(quantizer),
        dimension_(static_cast<std::uint32_t>(quantizer.dimension)),
        stride_(static_cast<std::uint32_t>(padded(quantizer.dimension))),
        stream_(stream),
        codes_(quantizer) {
    take_block_memory(groups_of(rows), dimension_, resources, memory_,
                      [&](std::size_t some, void* memory) { return lay_out(some, memory); });
    upload();
  }

  /// A multiple of 32.
  std::size_t block_rows() const { return block_rows_; }
  void* input(std::size_t block) const { return inputs_[block % 2]; }
  std::size_t code_bytes(std::size_t rows) const { return codes_.code_bytes(rows); }
  /// Of the codes, and of the corrections behind them.
  std::size_t result_bytes(std::size_t rows) const {
    return code_bytes(rows) + (quantizer_.is_corrected ? 2 * rows * sizeof(float) : 0);
  }
  /// A block's results.
  EncodedRows read(const std::uint8_t* results, std::size_t rows) const {
    const std::size_t bytes = code_bytes(rows);
    if (!quantizer_.is_corrected) return {{results, bytes}};
    const auto* const corrections = reinterpret_cast<const float*>(results + bytes);
    return {{results, bytes}, {corrections, rows}, {corrections + rows, rows}};
  }

  /// Queues the encoding of a block, and the copy of its results.
  void encode(std::size_t block, std::size_t rows, std::uint8_t* results) const {
    const auto count = static_cast<std::uint32_t>(rows);
    subtract_rows(
        {inputs_[block % 2], count, dimension_, centre_, nullptr, nullptr, moved_, stride_},
        stream_);
    const float* vectors = moved_;
    if (rotated_ != nullptr) {
      rotate_rows(moved_, count, stride_, {rotation_, dimension_, dimension_}, rotated_, stream_);
      vectors = rotated_;
    }
    codes_.encode(vectors, stride_, count, nullptr, stream_);
    codes_.copy_codes(rows, results, stream_);
    if (!quantizer_.is_corrected) return;
    auto* const corrections = reinterpret_cast<float*>(results + code_bytes(rows));
    codes_.copy_factors(rows, corrections, stream_);
    codes_.copy_residuals(rows, corrections + rows, stream_);
  }

 private:
  std::size_t lay_out(std::size_t groups, void* memory) {
    Arena arena(memory);
    block_rows_ = groups * kGroupVectors;
    for (float*& input : inputs_) input = arena.take<float>(block_rows_ * dimension_);
    moved_ = arena.take<float>(moved_floats());
    rotated_ = nullptr;
    if (!quantizer_.rotation.empty()) {
      rotation_ = arena.take<float>(quantizer_.rotation.size());
      rotated_ = arena.take<float>(moved_floats());
    }
    centre_ = quantizer_.centre.empty() ? nullptr : arena.take<float>(dimension_);
    codes_.lay_out(arena, block_rows_);
    return arena.used();
  }

  std::size_t moved_floats() const { return block_rows_ * stride_; }

  void upload() const {
    if (centre_ != nullptr) copy_to_gpu(centre_, quantizer_.centre.data(), dimension_, stream_);
    if (rotated_ == nullptr) return;
    // Rows behind the last one of a block are rotated with it.
    check_cuda(cudaMemsetAsync(moved_, 0, moved_floats() * sizeof(float), stream_.handle()),
               "cudaMemsetAsync");
    copy_to_gpu(rotation_, quantizer_.rotation.data(), quantizer_.rotation.size(), stream_);
  }

  const BinaryQuantizer& quantizer_;
  std::uint32_t dimension_;
  std::uint32_t stride_;
  const Stream& stream_;
  AccountedBuffer memory_;
  std::size_t block_rows_ = 0;
  std::array<float*, 2> inputs_{};
  float* moved_ = nullptr;    ///< rows less the centre
  float* rotated_ = nullptr;  ///< null without a rotation
  float* rotation_ = nullptr;
  float* centre_ = nullptr;
  BitEncoder codes_;
};

}  // namespace

void GpuSteps::encode_binary(const VectorView& rows, const BinaryQuantizer& quantizer,
                             const CodeSink& sink, const OnBlock& on_block) {
  if (rows.rows == 0) return;
  const CurrentDevice current(state_->resources.device());
  const BinaryEncoder encoder(quantizer, rows.rows, state_->resources, state_->stream);
  encode_blocks(
      *state_, encoder, {rows.rows, encoder.block_rows(), rows.dimension * sizeof(float)},
      [&](std::size_t first, std::size_t count, void* buffer) {
        auto* const to = static_cast<float*>(buffer);
        copy_in_parallel(count, rows.dimension * sizeof(float), [&](std::size_t i) {
          copy_row(rows, first + i, to + i * rows.dimension);
        });
      },
      [&](std::size_t first, std::size_t count, const std::uint8_t* results) {
        sink(encoder.read(results, count));
        on_block(first + count);
      });
}

}  // namespace warpdex::vector
