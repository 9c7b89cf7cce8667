// A key's code and an id in one whole number: comparing two such numbers is the selection contract
// (better key first, ties to the smaller id), and no two entries of a row are equal.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/warp.cuh"
#include "warpdex/core/select/key_code.cuh"

namespace warpdex {

using Packed32 = unsigned long long;               // 32-bit ids
__extension__ using Packed64 = unsigned __int128;  // 64-bit ids

template <typename Packed>
struct PackedRules;
template <>
struct PackedRules<Packed32> {
  using Id = std::uint32_t;
  static constexpr int kIdBits = 32;
};
template <>
struct PackedRules<Packed64> {
  using Id = std::uint64_t;
  static constexpr int kIdBits = 64;
};

/// The packed type for ids of a type.
template <typename Id>
using PackedFor = std::conditional_t<sizeof(Id) == 8, Packed64, Packed32>;

/// Stands for no entry; worse than every entry.
template <typename Packed>
__host__ __device__ constexpr Packed missing_entry() {
  return ~Packed{0};
}

/// An entry; the missing one if the id is kNoId.
template <typename Packed>
__device__ Packed pack(KeyCode code, typename PackedRules<Packed>::Id id) {
  if (id == kNoId<typename PackedRules<Packed>::Id>) return missing_entry<Packed>();
  return Packed{code} << PackedRules<Packed>::kIdBits | id;
}

template <typename Packed>
__device__ KeyCode code_of_entry(Packed entry) {
  return static_cast<KeyCode>(entry >> PackedRules<Packed>::kIdBits);
}

template <typename Packed>
__device__ typename PackedRules<Packed>::Id id_of_entry(Packed entry) {
  return static_cast<typename PackedRules<Packed>::Id>(entry);
}

/// Takes an entry apart into its key and id of the caller's type.
template <typename Key, typename Id, typename Packed>
__device__ void unpack(Packed entry, std::uint32_t flip, Key& key, Id& id) {
  const auto packed_id = id_of_entry(entry);
  const bool missing = packed_id == kNoId<typename PackedRules<Packed>::Id>;
  key = missing ? missing_key<Key>(flip) : key_of_code<Key>(code_of_entry(entry), flip);
  id = missing ? kNoId<Id> : static_cast<Id>(packed_id);
}

template <typename Packed>
__device__ Packed smaller(Packed a, Packed b) {
  return b < a ? b : a;
}
template <typename Packed>
__device__ Packed larger(Packed a, Packed b) {
  return a < b ? b : a;
}

/// Bits up to the highest one that is set; 0 for 0.
__device__ inline int bit_width(Packed32 value) {
  return 64 - __clzll(static_cast<long long>(value));
}
__device__ inline int bit_width(Packed64 value) {
  const auto high = static_cast<Packed32>(value >> 64);
  return high != 0 ? 64 + bit_width(high) : bit_width(static_cast<Packed32>(value));
}

__device__ inline KeyCode shuffle_xor(KeyCode value, int lanes) {
  return __shfl_xor_sync(kWholeWarp, value, lanes);
}
__device__ inline Packed32 shuffle_xor(Packed32 value, int lanes) {
  return __shfl_xor_sync(kWholeWarp, value, lanes);
}
__device__ inline Packed64 shuffle_xor(Packed64 value, int lanes) {
  return Packed64{shuffle_xor(static_cast<Packed32>(value >> 64), lanes)} << 64 |
         shuffle_xor(static_cast<Packed32>(value), lanes);
}
__device__ inline Packed32 shuffle(Packed32 value, int lane) {
  return __shfl_sync(kWholeWarp, value, lane);
}
__device__ inline Packed64 shuffle(Packed64 value, int lane) {
  return Packed64{shuffle(static_cast<Packed32>(value >> 64), lane)} << 64 |
         shuffle(static_cast<Packed32>(value), lane);
}

}  // namespace warpdex
