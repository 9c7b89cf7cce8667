// Rows come in the order of lists. The codes of a block are the bytes that an index has.
#include <algorithm>

#include "lists/build/gpu/gpu_builder.hpp"
#include "lists/build/gpu/list_encoder.hpp"
#include "pq/gpu/kernels.hpp"
#include "pq/gpu/rotated_residuals.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex::vector {
namespace {

class BlockEncoder : public ListEncoder<ProductQuantizer> {
 public:
  BlockEncoder(const EncodingRules& rules, std::size_t groups, Resources& resources,
               const Stream& stream)
      : ListEncoder(rules, rules.quantizer.bytes, false, stream),
        residuals_(rules.quantizer.rotation, dimension_) {
    take_memory(groups, resources, [&](Arena& arena, std::size_t some) { lay_out(arena, some); });
    const ProductQuantizer& quantizer = rules.quantizer;
    quantizer_ = {codebooks_, static_cast<std::uint32_t>(quantizer.coded_dimension()),
                  static_cast<std::uint32_t>(quantizer.bytes),
                  static_cast<std::uint32_t>(quantizer.bits)};
    copy_to_gpu(codebooks_, quantizer.codebooks.data(), quantizer.codebooks.size(), stream);
    residuals_.upload(stream);
    if (rules.has_terms) move_centroids();
  }

  /// Queues the encoding of a block, and the copy of its codes, with the terms behind them.
  void encode(std::size_t block, std::size_t groups, std::uint8_t* results) const {
    const BlockInput input = block_input(block, groups);
    const auto places = static_cast<std::uint32_t>(groups * kGroupVectors);
    const float* const vectors = residuals_.find(
        {input.rows, places, dimension_, centroids_, input.lists, input.sizes}, stream_);
    encode_groups({vectors, places, residuals_.stride()}, input.sizes, quantizer_, codes_, stream_);
    copy_to_host(results, codes_, code_bytes(groups), stream_);
    if (terms_ == nullptr) return;
    find_terms({input.rows, dimension_, codes_, input.sizes, input.lists, centroids_,
                moved_centroids_, residuals_.stride(), static_cast<std::uint32_t>(groups),
                quantizer_, rules_.metric == Metric::kL2, terms_},
               stream_);
    copy_to_host(terms_of(groups, results), terms_, places, stream_);
  }

 private:
  std::size_t padded_lists() const {
    return (rules_.centroids.rows + kGroupVectors - 1) / kGroupVectors * kGroupVectors;
  }

  void lay_out(Arena& arena, std::size_t groups) {
    // The centroids are among the residuals on their way to be rotated.
    const bool moves = rules_.has_terms && residuals_.is_rotated();
    residuals_.lay_out(arena, groups * kGroupVectors, moves ? padded_lists() : 0);
    codes_ = arena.take<std::uint8_t>(code_bytes(groups));
    codebooks_ = arena.take<float>(rules_.quantizer.codebooks.size());
    if (!rules_.has_terms) return;
    moved_centroids_ = arena.take<float>(padded_lists() * residuals_.stride());
  }

  /// The centroids less the centre, rotated.
  void move_centroids() const {
    const auto lists = static_cast<std::uint32_t>(rules_.centroids.rows);
    float* const less_centre = residuals_.is_rotated() ? residuals_.residuals() : moved_centroids_;
    subtract_rows({centroids_, lists, dimension_, centre_, nullptr, nullptr, less_centre,
                   residuals_.stride()},
                  stream_);
    if (residuals_.is_rotated()) residuals_.rotate(less_centre, lists, moved_centroids_, stream_);
  }

  RotatedResiduals residuals_;
  DeviceQuantizer quantizer_;
  float* moved_centroids_ = nullptr;
  float* codebooks_ = nullptr;
  std::uint8_t* codes_ = nullptr;
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
