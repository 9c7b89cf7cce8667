// Rows to bytes, in the order of lists. The bytes are those of the CPU.
#include <array>

#include "lists/build/gpu/block_input.hpp"
#include "lists/build/gpu/encode_blocks.hpp"
#include "lists/build/gpu/gpu_builder.hpp"
#include "sq8/gpu/encode_bytes.hpp"
#include "sq8/lists/list_codes.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"

namespace warpdex::vector {
namespace {

/// What encoding needs in GPU memory.
class ListByteEncoder {
 public:
  ListByteEncoder(const ByteRules& rules, std::size_t groups, Resources& resources,
                  const Stream& stream)
      : rules_(rules),
        dimension_(static_cast<std::uint32_t>(rules.quantizer.dimension)),
        stream_(stream) {
    block_groups_ =
        take_block_memory(groups, dimension_, resources, memory_,
                          [&](std::size_t some, void* memory) { return lay_out(some, memory); });
    copy_to_gpu(centroids_, rules_.centroids.values.data(), rules_.centroids.values.size(),
                stream_);
    copy_to_gpu(scales_, rules_.quantizer.scales.data(), rules_.quantizer.scales.size(), stream_);
    if (centre_ != nullptr) copy_to_gpu(centre_, rules_.centre.data(), dimension_, stream_);
  }

  std::size_t block_groups() const { return block_groups_; }
  void* input(std::size_t block) const { return inputs_[block % 2]; }
  /// Of the codes, and behind them of a term for each place.
  std::size_t result_bytes(std::size_t groups) const {
    return code_bytes(groups) + groups * kGroupVectors * sizeof(float);
  }

  EncodedBlock read(std::size_t first, std::size_t groups, const std::uint8_t* results) const {
    const auto* const terms = reinterpret_cast<const float*>(results + code_bytes(groups));
    return {first,
            groups,
            {results, code_bytes(groups)},
            {terms, rules_.has_terms ? groups * kGroupVectors : 0},
            {}};
  }

  /// Queues the encoding of a block, and the copy of its results.
  void encode(std::size_t block, std::size_t groups, std::uint8_t* results) const {
    const BlockInput input(inputs_[block % 2], groups, dimension_);
    encode_bytes({.rows = input.rows,
                  .lists = input.lists,
                  .sizes = input.sizes,
                  .groups = static_cast<std::uint32_t>(groups),
                  .centroids = centroids_,
                  .centre = centre_,
                  .scales = scales_,
                  .dimension = dimension_,
                  .codes = codes_,
                  .terms = terms_},
                 stream_);
    copy_to_host(results, codes_, code_bytes(groups), stream_);
    if (terms_ == nullptr) return;
    copy_to_host(reinterpret_cast<float*>(results + code_bytes(groups)), terms_,
                 groups * kGroupVectors, stream_);
  }

 private:
  std::size_t code_bytes(std::size_t groups) const {
    return groups * CodeGroups{dimension_}.group_bytes();
  }

  std::size_t lay_out(std::size_t block_groups, void* memory) {
    Arena arena(memory);
    for (void*& input : inputs_) {
      input = arena.take<std::uint8_t>(BlockInput::bytes(block_groups, dimension_));
    }
    centroids_ = arena.take<float>(rules_.centroids.values.size());
    scales_ = arena.take<ByteScale>(rules_.quantizer.scales.size());
    centre_ = rules_.centre.empty() ? nullptr : arena.take<float>(dimension_);
    codes_ = arena.take<std::uint8_t>(code_bytes(block_groups));
    terms_ = rules_.has_terms ? arena.take<float>(block_groups * kGroupVectors) : nullptr;
    return arena.used();
  }

  const ByteRules& rules_;
  std::uint32_t dimension_;
  const Stream& stream_;
  AccountedBuffer memory_;
  std::size_t block_groups_ = 0;
  std::array<void*, 2> inputs_{};
  float* centroids_ = nullptr;
  ByteScale* scales_ = nullptr;
  float* centre_ = nullptr;  ///< null: the origin
  std::uint8_t* codes_ = nullptr;
  float* terms_ = nullptr;  ///< null: none are wanted
};

}  // namespace

void GpuSteps::encode(const VectorView& rows, const ByteRules& rules, const ListGroups& groups,
                      const BlockSink& sink) {
  if (groups.count() == 0) return;
  const CurrentDevice current(state_->resources.device());
  const ListByteEncoder encoder(rules, groups.count(), state_->resources, state_->stream);
  encode_list_blocks(*state_, encoder, rows, groups, sink);
}

}  // namespace warpdex::vector
