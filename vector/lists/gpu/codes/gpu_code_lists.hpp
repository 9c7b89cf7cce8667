// An inverted file of codes in GPU memory, whose products with queries are whole numbers.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lists/gpu/codes/code_tasks.hpp"
#include "lists/gpu/codes/integer_codes.hpp"
#include "lists/gpu/codes_on_gpu.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/vector/lists/lists.hpp"

namespace warpdex::vector {

template <class Coding>
class GpuCodeLists : public CodesOnGpu<Coding> {
  using Base = CodesOnGpu<Coding>;

 public:
  using Lists = DeviceCodeLists<typename IntegerCodes<Coding>::Device>;
  using Base::centroids;
  using Base::host;

  /// Copies the codes to the GPU. Throws as upload().
  GpuCodeLists(const vector::Lists<Coding>& vectors, Resources& resources, std::size_t memory)
      : Base(vectors, resources, memory),
        codes_(host()),
        sizes_(sizes_of_largest(vectors.group_begins)) {
    find_sizes();
    Base::upload(IntegerCodes<Coding>::kWhat,
                 [this](Arena& arena, const Stream* stream) { lay_out(arena, stream); });
    lists_.centroids = centroids().rows();
  }

  const IntegerCodes<Coding>& codes() const { return codes_; }
  const Lists& on_gpu() const { return lists_; }
  std::size_t count() const { return host().rows(); }
  std::size_t dimension() const { return host().quantizer.dimension; }
  std::size_t list_count() const { return host().lists(); }
  /// At least |term| of each vector, and the length of each centroid.
  float max_term() const { return max_term_; }
  double max_centroid() const { return max_centroid_; }
  /// Groups of the `probes` longest lists together.
  std::size_t max_groups(std::size_t probes) const { return sizes_[probes]; }

 private:
  void find_sizes() {
    for (const float term : host().terms) {
      if (!(std::abs(term) <= max_term_)) max_term_ = std::abs(term);
    }
    std::vector<float> centroid(dimension());
    for (std::size_t list = 0; list < list_count(); ++list) {
      copy_row(host().centroids.vectors, list, centroid.data());
      double squared = 0;
      for (const float c : centroid) squared += double{c} * double{c};
      max_centroid_ = std::max(max_centroid_, std::sqrt(squared));
    }
  }

  void lay_out(Arena& arena, const Stream* stream) {
    lists_.codes = codes_.place(arena, stream);
    lists_.row_numbers = place<std::uint32_t>(arena, host().row_numbers, stream);
    lists_.begins = place<std::uint32_t>(arena, host().begins, stream);
    lists_.group_begins = place<std::uint32_t>(arena, host().group_begins, stream);
  }

  IntegerCodes<Coding> codes_;
  std::vector<std::size_t> sizes_;  ///< [p]: groups of the p longest lists together
  float max_term_ = 0;
  double max_centroid_ = 0;
  Lists lists_;
};

}  // namespace warpdex::vector
