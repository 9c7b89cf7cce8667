// Packs values of one width; unpacking is the kernels' part.
#include "warpdex/codecs/bits.hpp"

namespace warpdex {

void pack(std::span<const std::uint32_t> values, std::uint32_t width,
          std::vector<std::uint8_t>& bytes) {
  if (width == 0) return;
  const std::size_t start = bytes.size();
  const std::size_t size = bytes_for_bits(std::uint64_t{values.size()} * width);
  bytes.resize(start + size + sizeof(std::uint64_t));  // room for whole words, cut off below
  std::uint8_t* to = bytes.data() + start;
  std::uint64_t waiting = 0;
  std::uint32_t filled = 0;
  const std::uint64_t mask = low_mask(width);
  for (const std::uint32_t value : values) {
    waiting |= (value & mask) << filled;
    filled += width;
    if (filled < 32) continue;
    std::memcpy(to, &waiting, 4);
    to += 4;
    waiting >>= 32;
    filled -= 32;
  }
  std::memcpy(to, &waiting, sizeof waiting);
  bytes.resize(start + size);
}

}  // namespace warpdex
