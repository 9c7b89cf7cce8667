// Random numbers as a function of what they are for, not of when they are drawn: so that any
// thread, and any machine, draws the same for the same list and document.
#pragma once

#include <cstdint>

namespace warpdex::generate {

/// A bijection of 64 bits in which every bit of the input moves about half of those of the output.
constexpr std::uint64_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93;
  return x ^ x >> 32;
}

/// What a number is drawn for; two purposes never share numbers.
enum class Purpose : std::uint64_t {
  kHostSize = 1,
  kSectionSize,
  kHostLength,
  kSectionLength,
  kDocumentLength,
  kTopicInHost,
  kTopicInSection,
  kTopicInDocument,
  kTermInHost,
  kTermInSection,
  kTermInDocument,
  kTermPlacement,
  kSample,
  kQuery,
  kQueryWeight,
  kPhrase,
  kColumn,
  kPosition,
  kTitleLength,
  kTermInTitle,
};

/// The key of one stream of numbers.
constexpr std::uint64_t stream_key(std::uint64_t seed, Purpose purpose, std::uint64_t which = 0) {
  return mixed(mixed(mixed(seed + 0x9E3779B97F4A7C15) + static_cast<std::uint64_t>(purpose)) +
               which);
}

/// The number of a stream at `place`, which may be any 64 bits.
constexpr std::uint64_t number_at(std::uint64_t key, std::uint64_t place) {
  return mixed(key + place * 0x9E3779B97F4A7C15);
}

/// 53 bits of a number as a fraction in [0, 1).
constexpr double fraction(std::uint64_t number) {
  return static_cast<double>(number >> 11) * (1.0 / 9007199254740992.0);
}

/// Some bits of a number, to [0, count); `count` is below 2^32.
constexpr std::uint32_t below(std::uint64_t number, std::uint32_t count) {
  return static_cast<std::uint32_t>((number >> 32) * count >> 32);
}

/// The numbers of a stream, one after another.
class CounterRandom {
 public:
  explicit CounterRandom(std::uint64_t key) : key_(key) {}
  std::uint64_t next() { return number_at(key_, place_++); }
  double next_fraction() { return fraction(next()); }
  std::uint32_t next_below(std::uint32_t count) { return below(next(), count); }

 private:
  std::uint64_t key_;
  std::uint64_t place_ = 0;
};

}  // namespace warpdex::generate
