// Uploads codes, section by section.
#include "ivf/gpu/bits/gpu_list_bits.hpp"

#include <string>

#include "ivf/gpu/place_lists.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

GpuListBits::GpuListBits(const IvfXfbqVectors& vectors, Resources& resources, std::size_t memory)
    : host_(vectors),
      device_(resources.device()),
      memory_(memory == 0 ? resources.memory().left() : memory, &resources.memory()),
      centroids_(vectors.centroids, resources, {}),
      sizes_(sizes_of_largest(vectors.group_begins)) {
  const CurrentDevice current(device_);
  const Stream stream(device_);
  lists_.codes.rows = static_cast<std::uint32_t>(vectors.rows());
  lists_.codes.dimension = static_cast<std::uint32_t>(vectors.quantizer.dimension);
  lists_.codes.bits = static_cast<std::uint32_t>(vectors.quantizer.bits);
  lists_.codes.is_l2 = vectors.metric == Metric::kL2;
  Arena measure(nullptr);
  lay_out(measure, nullptr);
  if (!centroids_.is_resident() || !buffer_.allocate(measure.used(), memory_, device_)) {
    const std::size_t needed = measure.used() + centroids_.count() * centroids_.row_bytes();
    throw Error("this inverted file of binary codes needs " + std::to_string((needed >> 20) + 1) +
                " MiB of GPU memory, and room to search; give more, or search it on the CPU");
  }
  lists_.centroids = centroids_.rows();
  Arena arena(buffer_.data());
  lay_out(arena, &stream);
  stream.synchronize();
}

void GpuListBits::lay_out(Arena& arena, const Stream* stream) {
  lists_.codes.groups = place<std::uint8_t>(arena, host_.codes, stream);
  lists_.codes.terms = place<float>(arena, host_.terms, stream);
  lists_.codes.factors = place<float>(arena, host_.factors, stream);
  lists_.row_numbers = place<std::uint32_t>(arena, host_.row_numbers, stream);
  lists_.begins = place<std::uint32_t>(arena, host_.begins, stream);
  lists_.group_begins = place<std::uint32_t>(arena, host_.group_begins, stream);
}

}  // namespace warpdex::vector
