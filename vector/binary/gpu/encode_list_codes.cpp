// Rows to binary codes of residuals, in the order of lists. The bytes are those of the CPU.
#include <algorithm>
#include <array>

#include "binary/gpu/bit_encoder.hpp"
#include "distance/distance_kernels.hpp"
#include "lists/build/gpu/block_input.hpp"
#include "lists/build/gpu/encode_blocks.hpp"
#include "lists/build/gpu/gpu_builder.hpp"
#include "pq/gpu/kernels.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"

namespace warpdex::vector {
namespace {

/// What encoding needs in GPU memory.
class ListBitEncoder {
 public:
  ListBitEncoder(const BitRules& rules, std::size_t groups, Resources& resources,
                 const Stream& stream)
      : rules_(rules),
        dimension_(static_cast<std::uint32_t>(rules.quantizer.dimension)),
        stride_(static_cast<std::uint32_t>(padded(rules.quantizer.dimension))),
        stream_(stream),
        codes_(rules.quantizer) {
    block_groups_ =
        take_block_memory(groups, dimension_, resources, memory_,
                          [&](std::size_t some, void* memory) { return lay_out(some, memory); });
    upload();
  }

  std::size_t block_groups() const { return block_groups_; }
  void* input(std::size_t block) const { return inputs_[block % 2]; }
  std::size_t code_bytes(std::size_t groups) const {
    return codes_.code_bytes(groups * kGroupVectors);
  }
  /// Of the codes, and behind them of a term and a factor for each place.
  std::size_t result_bytes(std::size_t groups) const {
    return code_bytes(groups) + 2 * groups * kGroupVectors * sizeof(float);
  }

  EncodedBlock read(std::size_t first, std::size_t groups, const std::uint8_t* results) const {
    const std::size_t places = groups * kGroupVectors;
    const auto* const terms = reinterpret_cast<const float*>(results + code_bytes(groups));
    return {first,
            groups,
            {results, code_bytes(groups)},
            {terms, rules_.has_terms ? places : 0},
            {terms + places, rules_.quantizer.is_corrected ? places : 0}};
  }

  /// Queues the encoding of a block, and the copy of its results.
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
    codes_.encode(vectors, stride_, places, input.sizes, stream_);
    codes_.copy_codes(places, results, stream_);
    auto* const terms = reinterpret_cast<float*>(results + code_bytes(groups));
    if (rules_.has_terms) {
      find_residual_terms({residuals_, stride_, places, dimension_, input.lists, centroids_,
                           centre_, rules_.metric == Metric::kL2, terms_},
                          stream_);
      copy_to_host(terms, terms_, places, stream_);
    }
    if (rules_.quantizer.is_corrected) codes_.copy_factors(places, terms + places, stream_);
  }

 private:
  std::size_t lay_out(std::size_t block_groups, void* memory) {
    Arena arena(memory);
    const std::size_t places = block_groups * kGroupVectors;
    for (void*& input : inputs_) {
      input = arena.take<std::uint8_t>(BlockInput::bytes(block_groups, dimension_));
    }
    residuals_ = arena.take<float>(places * stride_);
    rotated_ = nullptr;
    if (!rules_.quantizer.rotation.empty()) {
      rotation_ = arena.take<float>(rules_.quantizer.rotation.size());
      rotated_ = arena.take<float>(places * stride_);
    }
    centroids_ = arena.take<float>(rules_.centroids.values.size());
    centre_ = rules_.centre.empty() ? nullptr : arena.take<float>(dimension_);
    terms_ = arena.take<float>(places);
    codes_.lay_out(arena, places);
    return arena.used();
  }

  void upload() const {
    copy_to_gpu(centroids_, rules_.centroids.values.data(), rules_.centroids.values.size(),
                stream_);
    if (centre_ != nullptr) copy_to_gpu(centre_, rules_.centre.data(), dimension_, stream_);
    if (rotated_ == nullptr) return;
    const std::span<const float> rotation = rules_.quantizer.rotation;
    copy_to_gpu(rotation_, rotation.data(), rotation.size(), stream_);
  }

  const BitRules& rules_;
  std::uint32_t dimension_;
  std::uint32_t stride_;  ///< of residuals
  const Stream& stream_;
  AccountedBuffer memory_;
  std::size_t block_groups_ = 0;
  std::array<void*, 2> inputs_{};
  float* residuals_ = nullptr;
  float* rotated_ = nullptr;  ///< null without a rotation
  float* rotation_ = nullptr;
  float* centroids_ = nullptr;
  float* centre_ = nullptr;  ///< null: the origin
  float* terms_ = nullptr;
  BitEncoder codes_;
};

}  // namespace

void GpuSteps::encode(const VectorView& rows, const BitRules& rules, const ListGroups& groups,
                      const BlockSink& sink) {
  if (groups.count() == 0) return;
  const CurrentDevice current(state_->resources.device());
  const ListBitEncoder encoder(rules, groups.count(), state_->resources, state_->stream);
  encode_list_blocks(*state_, encoder, rows, groups, sink);
}

}  // namespace warpdex::vector
