// An inverted file of codes in GPU memory, whose products with queries are whole numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "flat/gpu/gpu_rows.hpp"
#include "lists/gpu/codes/code_tasks.hpp"
#include "lists/gpu/codes/integer_codes.hpp"
#include "lists/gpu/place_lists.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/lists/lists.hpp"

namespace warpdex::vector {

/// Immutable after construction, but for the account of memory.
template <class Coding>
class GpuCodeLists {
 public:
  using Lists = DeviceCodeLists<typename IntegerCodes<Coding>::Device>;

  /// Copies the codes to the GPU. `memory`: as for GpuSearchSettings. Throws Error, which says
  /// how much is needed, where there is too little memory.
  GpuCodeLists(const vector::Lists<Coding>& vectors, Resources& resources, std::size_t memory)
      : host_(vectors),
        codes_(host_),
        device_(resources.device()),
        memory_(memory == 0 ? resources.memory().left() : memory, &resources.memory()),
        centroids_(vectors.centroids, resources, {}),
        sizes_(sizes_of_largest(vectors.group_begins)) {
    const CurrentDevice current(device_);
    const Stream stream(device_);
    find_sizes();
    Arena measure(nullptr);
    lay_out(measure, nullptr);
    if (!centroids_.is_resident() || !buffer_.allocate(measure.used(), memory_, device_)) {
      const std::size_t needed = measure.used() + centroids_.count() * centroids_.row_bytes();
      throw Error("this inverted file of " + std::string(IntegerCodes<Coding>::kWhat) + " needs " +
                  std::to_string((needed >> 20) + 1) +
                  " MiB of GPU memory, and room to search; give more, or search it on the CPU");
    }
    Arena arena(buffer_.data());
    lay_out(arena, &stream);
    lists_.centroids = centroids_.rows();
    stream.synchronize();
  }
  GpuCodeLists(const GpuCodeLists&) = delete;
  GpuCodeLists& operator=(const GpuCodeLists&) = delete;

  const vector::Lists<Coding>& host() const { return host_; }
  const IntegerCodes<Coding>& codes() const { return codes_; }
  const Lists& on_gpu() const { return lists_; }
  const GpuRows& centroids() const { return centroids_; }
  std::size_t count() const { return host_.rows(); }
  std::size_t dimension() const { return host_.quantizer.dimension; }
  int device() const { return device_; }
  std::size_t list_count() const { return host_.lists(); }
  /// Panels of list l: [panel_begins()[l], panel_begins()[l + 1]), in GPU memory.
  const std::uint32_t* panel_begins() const { return panel_begins_; }
  /// At least |term| of each vector, and the length of each centroid.
  float max_term() const { return max_term_; }
  double max_centroid() const { return max_centroid_; }
  /// Groups of the `probes` longest lists together.
  std::size_t max_groups(std::size_t probes) const { return sizes_[probes]; }
  /// The account of the codes, but not of the centroids.
  MemoryBudget& memory() const { return memory_; }

 private:
  void find_sizes() {
    for (const float term : host_.terms) {
      if (!(std::abs(term) <= max_term_)) max_term_ = std::abs(term);
    }
    std::vector<float> centroid(dimension());
    for (std::size_t list = 0; list < list_count(); ++list) {
      copy_row(host_.centroids.vectors, list, centroid.data());
      double squared = 0;
      for (const float c : centroid) squared += double{c} * double{c};
      max_centroid_ = std::max(max_centroid_, std::sqrt(squared));
    }
  }

  /// Cuts memory into sections, and queues their copies unless `stream` is null.
  void lay_out(Arena& arena, const Stream* stream) {
    lists_.codes = codes_.place(arena, stream);
    lists_.row_numbers = place<std::uint32_t>(arena, host_.row_numbers, stream);
    lists_.begins = place<std::uint32_t>(arena, host_.begins, stream);
    lists_.group_begins = place<std::uint32_t>(arena, host_.group_begins, stream);
    panel_begins_ = place(arena, panels_of_groups(host_.group_begins), stream);
  }

  vector::Lists<Coding> host_;
  IntegerCodes<Coding> codes_;
  int device_;
  mutable MemoryBudget memory_;
  GpuRows centroids_;
  std::vector<std::size_t> sizes_;  ///< [p]: groups of the p longest lists together
  float max_term_ = 0;
  double max_centroid_ = 0;
  AccountedBuffer buffer_;
  const std::uint32_t* panel_begins_ = nullptr;
  Lists lists_;
};

}  // namespace warpdex::vector
