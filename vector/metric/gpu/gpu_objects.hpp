// A space of objects, with its permutations, in GPU memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "metric/gpu/device_objects.hpp"
#include "metric/gpu/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/resources.hpp"

namespace warpdex::metric {

/// The numbers that units of texts have on the GPU: of bytes their own; of code points, numbers in
/// ascending order of those that the objects have.
class Alphabet {
 public:
  /// Of bytes.
  Alphabet() = default;
  /// Of the code points of all texts.
  explicit Alphabet(const TextsView& texts);

  /// Whether a number may need more than a byte.
  bool is_wide() const { return units_ > 256; }
  /// The numbers of a text's units; kUnknownUnit where the objects have none.
  void encode(std::string_view text, std::vector<std::uint32_t>& units) const;

 private:
  std::vector<std::uint32_t> numbers_;  ///< of code points; empty: of bytes
  std::size_t units_ = 256;
};

/// Immutable after construction, but for the account of memory.
class GpuObjects {
 public:
  /// Copies everything to the GPU. `memory`: as in GpuMetricSettings. Throws Error, which says how
  /// much is needed, where there is too little.
  GpuObjects(const ObjectsView& view, std::span<const std::uint32_t> permutants,
             const Permutations& permutations, Resources& resources, std::size_t memory);

  const ObjectsView& host() const { return host_; }
  const Alphabet& alphabet() const { return alphabet_; }
  const DeviceObjects& on_gpu() const { return objects_; }
  const DeviceRanks& ranks() const { return ranks_; }
  /// Numbers of objects, in GPU memory.
  const std::uint32_t* permutants() const { return permutants_; }
  /// All objects in the order in which they are best scanned: texts by length, as threads of a warp
  /// wait for the longest of theirs. Null: by number.
  const std::uint32_t* scan_order() const { return scan_order_; }
  int device() const { return device_; }
  /// The account that all of it, and the scratch memory of searches, count in.
  MemoryBudget& memory() const { return memory_; }

 private:
  struct PackedTexts;
  void upload(const PackedTexts& texts, std::span<const std::uint32_t> permutants,
              const Permutations& permutations);
  void copy_all(Arena& arena, const PackedTexts& texts, std::span<const std::uint32_t> permutants,
                const Permutations& permutations, const Stream* stream);
  PackedTexts pack_texts() const;

  ObjectsView host_;
  int device_;
  mutable MemoryBudget memory_;
  Alphabet alphabet_;
  AccountedBuffer buffer_;
  DeviceObjects objects_;
  DeviceRanks ranks_;
  const std::uint32_t* permutants_ = nullptr;
  const std::uint32_t* scan_order_ = nullptr;
};

}  // namespace warpdex::metric
