// Bits in bytes: little-endian throughout, bit i of a run of bytes is bit i % 8 of byte i / 8.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

/// For the few functions whose call would cost more than their body.
#define WARPDEX_ALWAYS_INLINE inline __attribute__((always_inline))

namespace warpdex {

static_assert(std::endian::native == std::endian::little, "Warpdex's files are little-endian");

/// Bytes that hold `bits` bits.
constexpr std::uint64_t bytes_for_bits(std::uint64_t bits) { return (bits + 7) / 8; }

/// Bits that `value` needs: 0 for 0, 32 for 2^31 and above.
constexpr std::uint32_t width_of(std::uint32_t value) {
  return static_cast<std::uint32_t>(std::bit_width(value));
}

/// The lowest `width` (0 to 63) bits set.
constexpr std::uint64_t low_mask(std::uint32_t width) { return (std::uint64_t{1} << width) - 1; }

/// Eight bytes from any address.
inline std::uint64_t load64(const std::uint8_t* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// Four bytes from any address.
inline std::uint32_t load32(const std::uint8_t* bytes) {
  std::uint32_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

/// `width` (0 to 57) bits from bit `position` on. Reads 8 bytes.
inline std::uint64_t read_bits(const std::uint8_t* bytes, std::uint64_t position,
                               std::uint32_t width) {
  return (load64(bytes + position / 8) >> (position % 8)) & low_mask(width);
}

/// Appends bits to a vector of bytes. What does not fill a byte waits for finish().
class BitWriter {
 public:
  explicit BitWriter(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  /// Appends the `width` (0 to 32) low bits of `value`, whose other bits are 0.
  void put(std::uint64_t value, std::uint32_t width) {
    waiting_ |= value << filled_;
    filled_ += width;
    if (filled_ >= 32) {
      append(4);
      waiting_ >>= 32;
      filled_ -= 32;
    }
  }

  /// Pads with zeros to a whole byte.
  void finish() {
    append((filled_ + 7) / 8);
    waiting_ = 0;
    filled_ = 0;
  }

 private:
  void append(std::uint32_t count) {
    const auto* from = reinterpret_cast<const std::uint8_t*>(&waiting_);
    bytes_.insert(bytes_.end(), from, from + count);
  }

  std::vector<std::uint8_t>& bytes_;
  std::uint64_t waiting_ = 0;
  std::uint32_t filled_ = 0;
};

/// Appends the `width` low bits of each value, back to back, and pads to a byte.
void pack(std::span<const std::uint32_t> values, std::uint32_t width,
          std::vector<std::uint8_t>& bytes);

}  // namespace warpdex
