// An inverted file of codes in GPU memory, whatever the codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "flat/gpu/gpu_rows.hpp"
#include "lists/gpu/place_lists.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/lists/lists.hpp"

namespace warpdex::vector {

/// Immutable after construction, but for the account of memory.
template <class Coding>
class CodesOnGpu {
 public:
  CodesOnGpu(const CodesOnGpu&) = delete;
  CodesOnGpu& operator=(const CodesOnGpu&) = delete;

  const Lists<Coding>& host() const { return host_; }
  const GpuRows& centroids() const { return centroids_; }
  int device() const { return device_; }
  /// The account of the codes, but not of the centroids.
  MemoryBudget& memory() const { return memory_; }
  /// Panels of list l: [panel_begins()[l], panel_begins()[l + 1]), in GPU memory. A panel is four
  /// groups.
  const std::uint32_t* panel_begins() const { return panel_begins_; }

 protected:
  /// `memory`: as for GpuSearchSettings.
  CodesOnGpu(const Lists<Coding>& lists, Resources& resources, std::size_t memory)
      : host_(lists),
        device_(resources.device()),
        memory_(memory == 0 ? resources.memory().left() : memory, &resources.memory()),
        centroids_(lists.centroids, resources, {}) {}

  /// lay_out(arena, stream) takes memory for what the coding has, and queues the copies unless
  /// `stream` is null. Throws Error, which says how much `what` needs, where there is too little
  /// memory.
  template <class LayOut>
  void upload(const std::string& what, const LayOut& lay_out) {
    const CurrentDevice current(device_);
    const Stream stream(device_);
    const auto all = [&](Arena& arena, const Stream* copies) {
      lay_out(arena, copies);
      panel_begins_ = place(arena, panels_of_groups(host_.group_begins), copies);
    };
    Arena measure(nullptr);
    all(measure, nullptr);
    const bool has_centroids = centroids_.count() == 0 || centroids_.is_resident();
    if (!has_centroids || !buffer_.allocate(measure.used(), memory_, device_)) {
      const std::size_t needed = measure.used() + centroids_.count() * centroids_.row_bytes();
      throw Error("this inverted file of " + what + " needs " + std::to_string((needed >> 20) + 1) +
                  " MiB of GPU memory, and room to search; give more, or search it on the CPU");
    }
    Arena arena(buffer_.data());
    all(arena, &stream);
    stream.synchronize();
  }

 private:
  Lists<Coding> host_;
  int device_;
  mutable MemoryBudget memory_;
  GpuRows centroids_;
  AccountedBuffer buffer_;
  const std::uint32_t* panel_begins_ = nullptr;
};

}  // namespace warpdex::vector
