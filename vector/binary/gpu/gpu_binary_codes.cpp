// Uploads codes and terms.
#include "binary/gpu/gpu_binary_codes.hpp"

#include <cmath>
#include <string>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/launch_overlap.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

GpuBinaryCodes::GpuBinaryCodes(const BinaryVectors& vectors, Resources& resources,
                               std::size_t memory)
    : host_(vectors),
      device_(resources.device()),
      memory_(memory == 0 ? resources.memory().left() : memory, &resources.memory()) {
  const CurrentDevice current(device_);
  overlaps_launches_ = launches_may_overlap();
  const Stream stream(device_);
  const BinaryQuantizer& quantizer = vectors.quantizer;
  codes_.rows = static_cast<std::uint32_t>(vectors.rows);
  codes_.dimension = static_cast<std::uint32_t>(quantizer.dimension);
  codes_.bits = static_cast<std::uint32_t>(quantizer.bits);
  codes_.is_l2 = vectors.metric == Metric::kL2;
  for (const float term : vectors.terms) {
    if (!(std::abs(term) <= max_term_)) max_term_ = std::abs(term);
  }
  if (!vectors.factors.empty()) max_factor_ = 0;
  for (const float factor : vectors.factors) {
    if (!(factor <= max_factor_)) max_factor_ = factor;
  }
  const std::size_t bytes = aligned_piece(vectors.codes.size()) +
                            aligned_piece(vectors.terms.size_bytes()) +
                            aligned_piece(vectors.factors.size_bytes());
  if (bytes == 0) return;
  if (!buffer_.allocate(bytes, memory_, device_)) {
    throw Error("these binary codes need " + std::to_string((bytes >> 20) + 1) +
                " MiB of GPU memory, and room to search; give more, or search them on the CPU");
  }
  Arena arena(buffer_.data());
  auto* const groups = arena.take<std::uint8_t>(vectors.codes.size());
  copy_to_gpu(groups, vectors.codes.data(), vectors.codes.size(), stream);
  codes_.groups = groups;
  if (!vectors.terms.empty()) {
    auto* const terms = arena.take<float>(vectors.terms.size());
    copy_to_gpu(terms, vectors.terms.data(), vectors.terms.size(), stream);
    codes_.terms = terms;
  }
  if (!vectors.factors.empty()) {
    auto* const factors = arena.take<float>(vectors.factors.size());
    copy_to_gpu(factors, vectors.factors.data(), vectors.factors.size(), stream);
    codes_.factors = factors;
  }
  stream.synchronize();
}

}  // namespace warpdex::vector
