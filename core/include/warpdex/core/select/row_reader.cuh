// Reads a run of a row by 16-byte loads, wherever the row starts.
#pragma once

#include "warpdex/core/select/packed.cuh"

namespace warpdex {

/// Columns [begin, end) of a row, as vectors of 16 bytes at addresses that are multiples of 16: the
/// first and the last may reach beyond the run, and are then loaded key by key.
template <typename Key>
class RowReader {
 public:
  static constexpr int kKeysPerVector = static_cast<int>(sizeof(uint4) / sizeof(Key));

  __device__ RowReader(const Key* row, std::uint32_t begin, std::uint32_t end)
      : keys_(row + begin), begin_(begin), length_(end - begin) {
    lead_ = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(keys_) % sizeof(uint4) /
                                       sizeof(Key));
  }

  /// Vectors of the run.
  __device__ std::uint32_t vectors() const {
    return (lead_ + length_ + kKeysPerVector - 1) / kKeysPerVector;
  }

  /// Vector `index`; keys outside of the run are 0, and so are vectors.
  __device__ uint4 load(std::uint32_t index) const {
    const std::uint32_t first = index * kKeysPerVector - lead_;  // wraps before the run
    if (first < length_ && length_ - first >= kKeysPerVector) {
      return *reinterpret_cast<const uint4*>(keys_ + first);
    }
    uint4 vector = make_uint4(0, 0, 0, 0);
    if (index >= vectors()) return vector;
#pragma unroll
    for (int i = 0; i < kKeysPerVector; ++i) {
      if (first + i < length_) set(vector, i, keys_[first + i]);
    }
    return vector;
  }

  /// The place in the run of key `i` of a vector; length() or more where it is outside.
  __device__ std::uint32_t place(std::uint32_t index, int i) const {
    return index * kKeysPerVector - lead_ + static_cast<std::uint32_t>(i);
  }
  __device__ std::uint32_t length() const { return length_; }
  /// The row's column at a place, and its key.
  __device__ std::uint32_t column(std::uint32_t place) const { return begin_ + place; }
  __device__ Key key(std::uint32_t place) const { return keys_[place]; }

  /// Key `i` of a vector; `i` is known when compiling.
  static __device__ Key get(const uint4& vector, int i) {
    const std::uint32_t word = word_of(vector, i * static_cast<int>(sizeof(Key)) / 4);
    if constexpr (sizeof(Key) == 4) {
      return from_bits(word);
    } else {
      return from_bits(i % 2 == 0 ? word & 0xFFFFU : word >> 16);
    }
  }

 private:
  static __device__ std::uint32_t word_of(const uint4& vector, int word) {
    return word == 0 ? vector.x : word == 1 ? vector.y : word == 2 ? vector.z : vector.w;
  }
  static __device__ Key from_bits(std::uint32_t bits) {
    if constexpr (std::is_same_v<Key, float>) {
      return __uint_as_float(bits);
    } else {
      return Key{static_cast<decltype(bits_type(Key{}))>(bits)};
    }
  }
  static __device__ std::uint32_t to_bits(Key key) {
    if constexpr (std::is_same_v<Key, float>) {
      return __float_as_uint(key);
    } else if constexpr (std::is_same_v<Key, Half>) {
      return key.bits;
    } else {
      return key;
    }
  }
  static std::uint16_t bits_type(Half);
  static std::uint16_t bits_type(std::uint16_t);
  static std::uint32_t bits_type(std::uint32_t);
  static float bits_type(float);

  static __device__ void set(uint4& vector, int i, Key key) {
    const int word = i * static_cast<int>(sizeof(Key)) / 4;
    const std::uint32_t bits = to_bits(key) << (sizeof(Key) == 2 && i % 2 == 1 ? 16 : 0);
    if (word == 0) vector.x |= bits;
    if (word == 1) vector.y |= bits;
    if (word == 2) vector.z |= bits;
    if (word == 3) vector.w |= bits;
  }

  const Key* keys_;
  std::uint32_t begin_;
  std::uint32_t length_;
  std::uint32_t lead_;  ///< keys from the first vector's start to the run's
};

}  // namespace warpdex
