// Uploads codes, section by section.
#include "ivf/gpu/bits/gpu_list_bits.hpp"

#include <algorithm>
#include <string>
#include <type_traits>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

std::vector<std::size_t> find_sizes(std::span<const std::uint64_t> begins) {
  std::vector<std::size_t> sizes;
  for (std::size_t list = 0; list + 1 < begins.size(); ++list) {
    sizes.push_back(begins[list + 1] - begins[list]);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.insert(sizes.begin(), 0);
  for (std::size_t i = 1; i < sizes.size(); ++i) sizes[i] += sizes[i - 1];
  return sizes;
}

/// Takes room for `from`, and queues its copy unless `stream` is null. Null where it is empty.
template <class To, class From>
const To* place(Arena& arena, std::span<const From> from, const Stream* stream) {
  if (from.empty()) return nullptr;
  To* const to = arena.take<To>(from.size());
  if (stream == nullptr) return to;
  if constexpr (std::is_same_v<To, From>) {
    copy_to_gpu(to, from.data(), from.size(), *stream);
  } else {
    const std::vector<To> narrowed(from.begin(), from.end());
    copy_to_gpu(to, narrowed.data(), narrowed.size(), *stream);
  }
  return to;
}

}  // namespace

GpuListBits::GpuListBits(const IvfXfbqVectors& vectors, Resources& resources, std::size_t memory)
    : host_(vectors),
      device_(resources.device()),
      memory_(memory == 0 ? resources.memory().left() : memory, &resources.memory()),
      centroids_(vectors.centroids, resources, {}),
      sizes_(find_sizes(vectors.group_begins)) {
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
