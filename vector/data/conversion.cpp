// Conversions go through the widest type of their kind, a block at a time: float, or int64.
#include "warpdex/vector/data/conversion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kBlock = 2048;

bool is_real(Element element) {
  return element == Element::kFloat32 || element == Element::kFloat16;
}

template <class Wide, class T>
void widen(const void* values, std::size_t begin, std::size_t count, Wide* out) {
  std::copy_n(static_cast<const T*>(values) + begin, count, out);
}

void load(Element from, const void* values, std::size_t begin, std::size_t count, float* out) {
  if (from == Element::kFloat32) return widen<float, float>(values, begin, count, out);
  to_float({static_cast<const std::uint16_t*>(values) + begin, count}, out);
}

void load(Element from, const void* values, std::size_t begin, std::size_t count,
          std::int64_t* out) {
  switch (from) {
    case Element::kInt8: return widen<std::int64_t, std::int8_t>(values, begin, count, out);
    case Element::kInt32: return widen<std::int64_t, std::int32_t>(values, begin, count, out);
    case Element::kInt64: return widen<std::int64_t, std::int64_t>(values, begin, count, out);
    default: return widen<std::int64_t, std::uint8_t>(values, begin, count, out);
  }
}

/// Whether a whole number of [low, high] equals `value`, which may be NaN.
template <class Wide>
bool fits(Wide value, std::int64_t low, std::int64_t high) {
  if constexpr (std::is_same_v<Wide, std::int64_t>) {
    return value >= low && value <= high;
  } else {
    // -low and high + 1 are powers of two, so floats hold them; or 0 and 2, for bool.
    return value >= static_cast<float>(low) &&
           value < static_cast<float>(static_cast<double>(high) + 1) && std::trunc(value) == value;
  }
}

template <class T, class Wide>
std::size_t store_whole(std::span<const Wide> values, std::size_t begin, void* out,
                        std::int64_t high = std::numeric_limits<T>::max()) {
  auto* const to = static_cast<T*>(out) + begin;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!fits(values[i], std::numeric_limits<T>::min(), high)) return i;
    to[i] = static_cast<T>(values[i]);
  }
  return values.size();
}

std::size_t store_float(std::span<const float> values, std::size_t begin, void* out) {
  std::copy(values.begin(), values.end(), static_cast<float*>(out) + begin);
  return values.size();
}

/// Whole numbers must come back.
std::size_t store_float(std::span<const std::int64_t> values, std::size_t begin, void* out) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<float>(values[i]);
    if (static_cast<double>(value) >= 0x1p63 || static_cast<std::int64_t>(value) != values[i]) {
      return i;
    }
    static_cast<float*>(out)[begin + i] = value;
  }
  return values.size();
}

std::size_t store_half(std::span<const float> values, std::size_t begin, void* out) {
  auto* const to = static_cast<std::uint16_t*>(out) + begin;
  to_half(values, to);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!is_finite_half(to[i]) && std::isfinite(values[i])) return i;
  }
  return values.size();
}

std::size_t store_half(std::span<const std::int64_t> values, std::size_t begin, void* out) {
  std::array<float, kBlock> floats;
  std::array<float, kBlock> back;
  const std::size_t exact = store_float(values, 0, floats.data());
  const std::size_t small = store_half(std::span(floats).first(exact), begin, out);
  to_float({static_cast<const std::uint16_t*>(out) + begin, small}, back.data());
  return static_cast<std::size_t>(
      std::mismatch(back.begin(), back.begin() + static_cast<std::ptrdiff_t>(small), floats.begin())
          .first -
      back.begin());
}

template <class Wide>
std::size_t store(std::span<const Wide> values, Element to, std::size_t begin, void* out) {
  switch (to) {
    case Element::kFloat32: return store_float(values, begin, out);
    case Element::kFloat16: return store_half(values, begin, out);
    case Element::kInt8: return store_whole<std::int8_t>(values, begin, out);
    case Element::kUint8: return store_whole<std::uint8_t>(values, begin, out);
    case Element::kInt32: return store_whole<std::int32_t>(values, begin, out);
    case Element::kInt64: return store_whole<std::int64_t>(values, begin, out);
    case Element::kBool: break;
  }
  return store_whole<std::uint8_t>(values, begin, out, 1);
}

template <class Wide>
std::size_t convert_through(Element from, const void* values, std::size_t count, Element to,
                            void* out) {
  std::array<Wide, kBlock> block;
  for (std::size_t begin = 0; begin < count; begin += kBlock) {
    const std::size_t size = std::min(kBlock, count - begin);
    load(from, values, begin, size, block.data());
    const std::size_t stored = store(std::span<const Wide>(block.data(), size), to, begin, out);
    if (stored < size) return begin + stored;
  }
  return count;
}

}  // namespace

std::size_t convert_values(Element from, const void* values, std::size_t count, Element to,
                           void* out) {
  if (from == to) {
    std::memcpy(out, values, count * element_bytes(from));
    return count;
  }
  if (is_real(from)) return convert_through<float>(from, values, count, to, out);
  return convert_through<std::int64_t>(from, values, count, to, out);
}

std::string value_text(Element element, const void* values, std::size_t index) {
  std::array<char, 32> digits;
  std::to_chars_result end{};
  if (is_real(element)) {
    float value = 0;
    load(element, values, index, 1, &value);
    end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  } else {
    std::int64_t value = 0;
    load(element, values, index, 1, &value);
    end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  }
  return {digits.data(), end.ptr};
}

}  // namespace warpdex::vector
