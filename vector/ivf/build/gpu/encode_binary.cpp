// Rows to binary codes and corrections, in the order of rows. The bytes are those that
// encode_rows() gives.
#include <algorithm>
#include <array>
#include <string>

#include "distance/distance_kernels.hpp"
#include "ivf/build/gpu/bit_encoder.hpp"
#include "ivf/build/gpu/gpu_builder.hpp"
#include "pq/gpu/residuals.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

/// What encoding needs in GPU memory.
class BinaryEncoder {
 public:
  BinaryEncoder(const XfbqQuantizer& quantizer, std::size_t rows, Resources& resources,
                const Stream& stream)
      : quantizer_(quantizer),
        dimension_(static_cast<std::uint32_t>(quantizer.dimension)),
        stride_(static_cast<std::uint32_t>(padded(quantizer.dimension))),
        stream_(stream),
        codes_(quantizer) {
    take_memory(rows, resources);
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
      rotate_rows(moved_, count, dimension_, stride_, rotation_, rotated_, stream_);
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
  void take_memory(std::size_t rows, Resources& resources) {
    std::size_t groups = std::clamp<std::size_t>(
        kBlockBytes / (kGroupVectors * dimension_ * sizeof(float)), 1, groups_of(rows));
    for (;; groups = std::max<std::size_t>(1, groups / 2)) {
      block_rows_ = groups * kGroupVectors;
      const std::size_t bytes = lay_out(nullptr);
      if (memory_.allocate(bytes, resources.memory(), resources.device())) break;
      if (groups > 1) continue;
      throw Error("encoding vectors needs " + std::to_string((bytes >> 20) + 1) +
                  " MiB of GPU memory, and " + std::to_string(resources.memory().left() >> 20) +
                  " MiB are left; give more");
    }
    lay_out(memory_.data());
  }

  std::size_t lay_out(void* memory) {
    Arena arena(memory);
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

  const XfbqQuantizer& quantizer_;
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

void GpuSteps::encode_binary(const VectorView& rows, const XfbqQuantizer& quantizer,
                             const CodeSink& sink, const OnBlock& on_block) {
  if (rows.rows == 0) return;
  const CurrentDevice current(state_->resources.device());
  const BinaryEncoder encoder(quantizer, rows.rows, state_->resources, state_->stream);
  const StreamEnd end(state_->stream);
  const std::size_t block_rows = encoder.block_rows();
  const std::size_t row_bytes = rows.dimension * sizeof(float);
  state_->rows.reserve(block_rows * row_bytes);
  state_->results.reserve(encoder.result_bytes(block_rows));
  const auto size_of = [&](std::size_t block) {
    return std::min(block_rows, rows.rows - block * block_rows);
  };
  const auto start = [&](std::size_t block) {
    auto* const buffer = static_cast<float*>(state_->rows.buffer(block));
    copy_in_parallel(size_of(block), row_bytes, [&](std::size_t i) {
      copy_row(rows, block * block_rows + i, buffer + i * rows.dimension);
    });
    state_->rows.send(block, encoder.input(block), size_of(block) * row_bytes);
  };
  const auto process = [&](std::size_t block) {
    state_->rows.await(block, state_->stream);
    encoder.encode(block, size_of(block),
                   static_cast<std::uint8_t*>(state_->results.buffer(block)));
    state_->rows.release(block, state_->stream);
    state_->results.record(block, state_->stream);
  };
  const auto collect = [&](std::size_t block) {
    state_->results.await(block);
    sink(encoder.read(static_cast<const std::uint8_t*>(state_->results.buffer(block)),
                      size_of(block)));
    on_block(block * block_rows + size_of(block));
  };
  run_blocks((rows.rows - 1) / block_rows + 1, start, process, collect);
}

}  // namespace warpdex::vector
