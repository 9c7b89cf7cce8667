// A set of document ids, or a map from them to values, in about 23 (27) bytes an id.
//
// Ids are held as 128-bit hashes (XXH3): among 10^9 ids, two that differ collide with a chance of
// one in 10^21.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "format/memory_region.hpp"

namespace warpdex::build {

/// What stands for an id.
struct IdHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const IdHash&) const = default;
};

/// The hash of an id; never all zero.
IdHash hash_id(std::string_view id);

/// Ids, each with a value if the table was made so. Amortised O(1). Split into parts that grow one
/// by one, so that growing never holds two copies of the whole.
class IdTable {
 public:
  explicit IdTable(bool with_values) : with_values_(with_values) {}

  /// Adds an id; false, and no change, if it is there already.
  bool insert(const IdHash& id, float value = 0);

  /// The id's value (0 in a table without values), or nothing.
  std::optional<float> find(const IdHash& id) const;

  std::uint64_t size() const { return size_; }
  std::uint64_t memory() const { return memory_; }

 private:
  struct Part {
    MemoryRegion id_memory;  // all zero: free
    MemoryRegion value_memory;
    std::size_t capacity = 0;
    std::size_t used = 0;

    IdHash* ids() { return reinterpret_cast<IdHash*>(id_memory.data()); }
    const IdHash* ids() const { return reinterpret_cast<const IdHash*>(id_memory.data()); }
    float* values() { return reinterpret_cast<float*>(value_memory.data()); }
    const float* values() const { return reinterpret_cast<const float*>(value_memory.data()); }
  };

  static std::size_t place_of(const Part& part, const IdHash& id);
  Part& part_of(const IdHash& id) { return parts_[id.high >> 58]; }
  const Part& part_of(const IdHash& id) const { return parts_[id.high >> 58]; }
  void grow(Part& part);

  bool with_values_;
  std::array<Part, 64> parts_;
  std::uint64_t size_ = 0;
  std::uint64_t memory_ = 0;
};

}  // namespace warpdex::build
