// Each check is one loop without branches, which compilers vectorise, over pieces; a piece that has
// something is gone through value by value.
#include "data/value_checks.hpp"

#include <algorithm>
#include <bit>

namespace warpdex::vector {
namespace {

constexpr std::size_t kPiece = 1024;

/// The first value for which `bad` is not 0.
template <class T, class Bad>
std::size_t find_bad(std::span<const T> values, const Bad& bad) {
  for (std::size_t begin = 0; begin < values.size(); begin += kPiece) {
    const auto piece = values.subspan(begin, std::min(kPiece, values.size() - begin));
    std::uint32_t any = 0;
    for (const T value : piece) any |= bad(value);
    if (any == 0) continue;
    std::size_t i = 0;
    while (bad(piece[i]) == 0) ++i;
    return begin + i;
  }
  return values.size();
}

}  // namespace

std::size_t find_not_finite(std::span<const float> values, bool allow_infinite) {
  const std::uint32_t limit = allow_infinite ? 0x7F80'0001 : 0x7F80'0000;
  return find_bad(values, [limit](float value) {
    return std::uint32_t{(std::bit_cast<std::uint32_t>(value) & 0x7FFF'FFFF) >= limit};
  });
}

std::size_t find_not_finite(std::span<const std::uint16_t> halves, bool allow_infinite) {
  const std::uint32_t limit = allow_infinite ? 0x7C01 : 0x7C00;
  return find_bad(halves,
                  [limit](std::uint16_t half) { return std::uint32_t{(half & 0x7FFFU) >= limit}; });
}

std::size_t find_no_bool(std::span<const std::uint8_t> bytes) {
  return find_bad(bytes, [](std::uint8_t byte) { return std::uint32_t{byte > 1}; });
}

}  // namespace warpdex::vector
