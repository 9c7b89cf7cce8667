// Rows come in the order of lists. The codes of a block are the bytes that an index has.
#include <algorithm>
#include <array>
#include <vector>

#include "distance/distance_kernels.hpp"
#include "lists/build/gpu/block_input.hpp"
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
class BlockEncoder {
 public:
  BlockEncoder(const EncodingRules& rules, std::size_t groups, Resources& resources,
               const Stream& stream)
      : rules_(rules),
        dimension_(static_cast<std::uint32_t>(rules.quantizer.dimension)),
        stride_(static_cast<std::uint32_t>(padded(rules.quantizer.dimension))),
        group_bytes_(CodeGroups{rules.quantizer.bytes}.group_bytes()),
        stream_(stream) {
    block_groups_ =
        take_block_memory(groups, dimension_, resources, memory_,
                          [&](std::size_t some, void* memory) { return lay_out(some, memory); });
    upload();
  }

  std::size_t block_groups() const { return block_groups_; }
  void* input(std::size_t block) const { return inputs_[block % 2]; }
  /// Bytes of the codes of groups, and of their terms behind.
  std::size_t code_bytes(std::size_t groups) const { return groups * group_bytes_; }
  std::size_t result_bytes(std::size_t groups) const {
    return groups * (group_bytes_ + (rules_.has_terms ? kGroupVectors * sizeof(float) : 0));
  }

  EncodedBlock read(std::size_t first, std::size_t groups, const std::uint8_t* results) const {
    const auto* const terms = reinterpret_cast<const float*>(results + code_bytes(groups));
    return {first,
            groups,
            {results, code_bytes(groups)},
            {terms, rules_.has_terms ? groups * kGroupVectors : 0},
            {}};
  }

  /// Queues the encoding of a block, and the copy of its codes, with the terms behind them.
  void encode(std::size_t block, std::size_t groups, std::uint8_t* results) const {
    const BlockInput input(inputs_[block % 2], groups, dimension_);
    const auto places = static_cast<std::uint32_t>(groups * kGroupVectors);
    subtract_rows(
        {input.rows, places, dimension_, centroids_, input.lists, input.sizes, residuals_, stride_},
        stream_);
    const float* vectors = residuals_;
    if (rotated_ != nullptr) {
      rotate_rows(residuals_, places, dimension_, stride_, rotation_, rotated_, stream_);
      vectors = rotated_;
    }
    encode_groups({vectors, places, stride_}, input.sizes, quantizer_, codes_, stream_);
    copy_to_host(results, codes_, code_bytes(groups), stream_);
    if (!rules_.has_terms) return;
    find_terms(
        {input.rows, codes_, input.sizes, input.lists, moved_centroids_, stride_,
         static_cast<std::uint32_t>(groups), quantizer_, rules_.metric == Metric::kL2, terms_},
        stream_);
    copy_to_host(reinterpret_cast<float*>(results + code_bytes(groups)), terms_, places, stream_);
  }

 private:
  std::size_t lay_out(std::size_t block_groups, void* memory) {
    Arena arena(memory);
    const ProductQuantizer& quantizer = rules_.quantizer;
    const std::size_t lists = rules_.centroids.rows;
    const std::size_t padded_lists = (lists + kGroupVectors - 1) / kGroupVectors * kGroupVectors;
    const std::size_t floats = block_groups * kGroupVectors * stride_;
    for (void*& input : inputs_) {
      input = arena.take<std::uint8_t>(BlockInput::bytes(block_groups, dimension_));
    }
    residuals_ = arena.take<float>(std::max(floats, first_residuals(padded_lists)));
    rotated_ = nullptr;
    if (!quantizer.rotation.empty()) {
      rotation_ = arena.take<float>(quantizer.rotation.size());
      rotated_ = arena.take<float>(floats);
    }
    codes_ = arena.take<std::uint8_t>(code_bytes(block_groups));
    centroids_ = arena.take<float>(lists * dimension_);
    codebooks_ = arena.take<float>(quantizer.codebooks.size());
    if (rules_.has_terms) {
      terms_ = arena.take<float>(block_groups * kGroupVectors);
      moved_centroids_ = arena.take<float>(padded_lists * stride_);
      centre_ = arena.take<float>(dimension_);
    }
    return arena.used();
  }

  /// Floats of the memory of residuals that the centroids take on their way to be rotated.
  std::size_t first_residuals(std::size_t padded_lists) const {
    return rules_.has_terms && !rules_.quantizer.rotation.empty() ? padded_lists * stride_ : 0;
  }

  void upload() {
    const ProductQuantizer& quantizer = rules_.quantizer;
    quantizer_ = {codebooks_, dimension_, static_cast<std::uint32_t>(quantizer.bytes),
                  static_cast<std::uint32_t>(quantizer.bits)};
    copy_to_gpu(codebooks_, quantizer.codebooks.data(), quantizer.codebooks.size(), stream_);
    copy_to_gpu(centroids_, rules_.centroids.values.data(), rules_.centroids.values.size(),
                stream_);
    if (rotated_ != nullptr) {
      copy_to_gpu(rotation_, quantizer.rotation.data(), quantizer.rotation.size(), stream_);
    }
    if (rules_.has_terms) move_centroids();
  }

  /// The centroids less the centre, rotated.
  void move_centroids() {
    const auto lists = static_cast<std::uint32_t>(rules_.centroids.rows);
    if (!rules_.centre.empty()) {
      copy_to_gpu(centre_, rules_.centre.data(), rules_.centre.size(), stream_);
    }
    float* const less_centre = rotated_ == nullptr ? moved_centroids_ : residuals_;
    subtract_rows({centroids_, lists, dimension_, rules_.centre.empty() ? nullptr : centre_,
                   nullptr, nullptr, less_centre, stride_},
                  stream_);
    if (rotated_ == nullptr) return;
    rotate_rows(less_centre, lists, dimension_, stride_, rotation_, moved_centroids_, stream_);
  }

  const EncodingRules& rules_;
  std::uint32_t dimension_;
  std::uint32_t stride_;  ///< of residuals
  std::size_t group_bytes_;
  const Stream& stream_;
  AccountedBuffer memory_;
  std::size_t block_groups_ = 0;
  DeviceQuantizer quantizer_;
  std::array<void*, 2> inputs_{};
  float* residuals_ = nullptr;
  float* rotated_ = nullptr;  ///< residuals; null without a rotation
  float* rotation_ = nullptr;
  float* centroids_ = nullptr;
  float* moved_centroids_ = nullptr;
  float* centre_ = nullptr;
  float* codebooks_ = nullptr;
  std::uint8_t* codes_ = nullptr;
  float* terms_ = nullptr;
};

}  // namespace

void GpuSteps::encode(const VectorView& rows, const EncodingRules& rules, const ListGroups& groups,
                      const BlockSink& sink) {
  if (groups.count() == 0) return;
  const CurrentDevice current(state_->resources.device());
  const BlockEncoder encoder(rules, groups.count(), state_->resources, state_->stream);
  encode_list_blocks(*state_, encoder, rows, groups, sink);
}

}  // namespace warpdex::vector
