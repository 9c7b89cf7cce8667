// Uploads codes, section by section.
#include "binary/gpu/lists/gpu_list_codes.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lists/gpu/place_lists.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

GpuListCodes::GpuListCodes(const Lists<BinaryCoding>& vectors, Resources& resources,
                           std::size_t memory)
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
  find_sizes();
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

void GpuListCodes::find_sizes() {
  for (const float term : host_.terms) {
    if (!(std::abs(term) <= max_term_)) max_term_ = std::abs(term);
  }
  if (!host_.factors.empty()) max_factor_ = 0;
  for (const float factor : host_.factors) {
    if (!(std::abs(factor) <= max_factor_)) max_factor_ = std::abs(factor);
  }
  std::vector<float> centroid(dimension());
  for (std::size_t list = 0; list < list_count(); ++list) {
    copy_row(host_.centroids.vectors, list, centroid.data());
    double squared = 0;
    for (const float c : centroid) squared += double{c} * double{c};
    max_centroid_ = std::max(max_centroid_, std::sqrt(squared));
  }
}

void GpuListCodes::lay_out(Arena& arena, const Stream* stream) {
  lists_.codes.groups = place<std::uint8_t>(arena, host_.codes, stream);
  lists_.codes.terms = place<float>(arena, host_.terms, stream);
  lists_.codes.factors = place<float>(arena, host_.factors, stream);
  lists_.row_numbers = place<std::uint32_t>(arena, host_.row_numbers, stream);
  lists_.begins = place<std::uint32_t>(arena, host_.begins, stream);
  lists_.group_begins = place<std::uint32_t>(arena, host_.group_begins, stream);
  panel_begins_ = place(arena, panels_of_groups(host_.group_begins), stream);
}

}  // namespace warpdex::vector
