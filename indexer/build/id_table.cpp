// Hash tables of ids, in parts that grow one at a time.
#include "build/id_table.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace warpdex::build {
namespace {

constexpr std::size_t kFirstCapacity = 256;

// Maps a hash evenly to [0, capacity), whatever the capacity.
std::size_t scale(std::uint64_t hash, std::size_t capacity) {
  return static_cast<std::size_t>((static_cast<unsigned __int128>(hash) * capacity) >> 64);
}

}  // namespace

IdHash hash_id(std::string_view id) {
  const XXH128_hash_t hash = XXH3_128bits(id.data(), id.size());
  return {hash.low64 == 0 ? 1 : hash.low64, hash.high64};
}

// Where the id is, or where it would go.
std::size_t IdTable::place_of(const Part& part, const IdHash& id) {
  std::size_t place = scale(id.low, part.capacity);
  while (part.ids()[place] != IdHash{} && part.ids()[place] != id) {
    if (++place == part.capacity) place = 0;
  }
  return place;
}

bool IdTable::insert(const IdHash& id, float value) {
  Part& part = part_of(id);
  if (5 * (part.used + 1) > 4 * part.capacity) grow(part);
  const std::size_t place = place_of(part, id);
  if (part.ids()[place] == id) return false;
  part.ids()[place] = id;
  if (with_values_) part.values()[place] = value;
  ++part.used;
  ++size_;
  return true;
}

std::optional<float> IdTable::find(const IdHash& id) const {
  const Part& part = part_of(id);
  if (part.capacity == 0) return std::nullopt;
  const std::size_t place = place_of(part, id);
  if (part.ids()[place] != id) return std::nullopt;
  return with_values_ ? part.values()[place] : 0;
}

void IdTable::grow(Part& part) {
  const std::size_t capacity = std::max(kFirstCapacity, part.capacity + part.capacity / 4);
  Part larger{MemoryRegion(capacity * sizeof(IdHash)),
              MemoryRegion(with_values_ ? capacity * sizeof(float) : 0), capacity, part.used};
  for (std::size_t i = 0; i < part.capacity; ++i) {
    if (part.ids()[i] == IdHash{}) continue;
    const std::size_t place = place_of(larger, part.ids()[i]);
    larger.ids()[place] = part.ids()[i];
    if (with_values_) larger.values()[place] = part.values()[i];
  }
  const std::size_t entry = sizeof(IdHash) + (with_values_ ? sizeof(float) : 0);
  memory_ += (capacity - part.capacity) * entry;
  part = std::move(larger);
}

}  // namespace warpdex::build
