// Rows to bytes, in the order of lists. The bytes are those of the CPU.
#include "lists/build/gpu/gpu_builder.hpp"
#include "lists/build/gpu/list_encoder.hpp"
#include "sq8/gpu/encode_bytes.hpp"
#include "sq8/lists/list_codes.hpp"

namespace warpdex::vector {
namespace {

class ListByteEncoder : public ListEncoder<Sq8Quantizer> {
 public:
  ListByteEncoder(const ByteRules& rules, std::size_t groups, Resources& resources,
                  const Stream& stream)
      : ListEncoder(rules, rules.quantizer.code_bytes(), false, stream) {
    const std::span<const ByteScale> scales = rules.quantizer.scales;
    take_memory(groups, resources, [&](Arena& arena, std::size_t some) {
      scales_ = arena.take<ByteScale>(scales.size());
      codes_ = arena.take<std::uint8_t>(code_bytes(some));
    });
    copy_to_gpu(scales_, scales.data(), scales.size(), stream);
  }

  /// Queues the encoding of a block, and the copy of its results.
  void encode(std::size_t block, std::size_t groups, std::uint8_t* results) const {
    const BlockInput input = block_input(block, groups);
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
    copy_to_host(terms_of(groups, results), terms_, groups * kGroupVectors, stream_);
  }

 private:
  ByteScale* scales_ = nullptr;
  std::uint8_t* codes_ = nullptr;
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
