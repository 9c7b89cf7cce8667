// Rows to binary codes of residuals, in the order of lists. The bytes are those of the CPU.
#include "binary/gpu/bit_encoder.hpp"
#include "lists/build/gpu/gpu_builder.hpp"
#include "lists/build/gpu/list_encoder.hpp"
#include "pq/gpu/kernels.hpp"
#include "pq/gpu/rotated_residuals.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::vector {
namespace {

class ListBitEncoder : public ListEncoder<BinaryQuantizer> {
 public:
  ListBitEncoder(const BitRules& rules, std::size_t groups, Resources& resources,
                 const Stream& stream)
      : ListEncoder(rules, rules.quantizer.code_bytes(), rules.quantizer.is_corrected, stream),
        residuals_(rules.quantizer.rotation, dimension_),
        codes_(rules.quantizer) {
    take_memory(groups, resources, [&](Arena& arena, std::size_t some) {
      residuals_.lay_out(arena, some * kGroupVectors, 0);
      codes_.lay_out(arena, some * kGroupVectors);
    });
    residuals_.upload(stream);
  }

  /// Queues the encoding of a block, and the copy of its results.
  void encode(std::size_t block, std::size_t groups, std::uint8_t* results) const {
    const BlockInput input = block_input(block, groups);
    const auto places = static_cast<std::uint32_t>(groups * kGroupVectors);
    const float* const vectors = residuals_.find(
        {input.rows, places, dimension_, centroids_, input.lists, input.sizes}, stream_);
    codes_.encode(vectors, residuals_.stride(), places, input.sizes, stream_);
    codes_.copy_codes(places, results, stream_);
    float* const terms = terms_of(groups, results);
    if (terms_ != nullptr) {
      find_residual_terms({residuals_.residuals(), residuals_.stride(), places, dimension_,
                           input.lists, centroids_, centre_, rules_.metric == Metric::kL2, terms_},
                          stream_);
      copy_to_host(terms, terms_, places, stream_);
    }
    if (rules_.quantizer.is_corrected) codes_.copy_factors(places, terms + places, stream_);
  }

 private:
  RotatedResiduals residuals_;
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
