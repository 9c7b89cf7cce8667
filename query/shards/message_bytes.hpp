// How messages are written and read: numbers of fixed size, little-endian; texts and lists behind
// their counts; a header in front. Internal.
//
//   u32 magic, u16 version, u16 kind, u64 bytes of the body, u64 checksum, body
//
// The checksum (XXH3) is of the 16 bytes before it, then of the body.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "warpdex/query/shards/messages.hpp"

namespace warpdex::shards {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::uint32_t kMagic = 0x4D585057;  // "WPXM"
inline constexpr std::size_t kHeaderBytes = 24;

/// Throws FormatError: "a message between parts is damaged (" and what it says.
[[noreturn]] void fail_message(std::string_view what);

class MessageWriter {
 public:
  explicit MessageWriter(MessageKind kind);

  template <class Number>
  void number(Number value) {
    static_assert(std::is_arithmetic_v<Number>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Enum>
  void choice(Enum value) {
    number(static_cast<std::uint8_t>(value));
  }
  void count(std::size_t value) { number(static_cast<std::uint32_t>(value)); }
  void flag(bool value) { number(static_cast<std::uint8_t>(value)); }
  void text(std::string_view value) {
    count(value.size());
    bytes_.append(value);
  }

  /// The whole message. Throws UsageError where it is larger than kMaxMessageBytes.
  std::string finish();

 private:
  std::string bytes_;
};

/// Reads the body of a message, and never past its end. Throws FormatError.
class MessageReader {
 public:
  /// Checks the header and the checksum. `bytes` outlive the reader.
  MessageReader(std::string_view bytes, MessageKind kind);

  template <class Number>
  Number number() {
    static_assert(std::is_arithmetic_v<Number>);
    Number value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  /// A finite number that is 0 or more.
  float score();
  bool flag();
  /// An enumerator up to `last`.
  template <class Enum>
  Enum choice(Enum last) {
    const auto value = number<std::uint8_t>();
    if (value > static_cast<std::uint8_t>(last)) fail_message("an unknown choice");
    return static_cast<Enum>(value);
  }
  /// A count of things of `bytes_each` bytes or more, which the bytes that are left can hold.
  std::size_t count(std::size_t bytes_each, std::size_t max = kMaxMessageBytes);
  std::string_view text(std::size_t max = kMaxMessageBytes) { return take(count(1, max)); }

  /// Throws unless all was read.
  void finish() const;

 private:
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) fail_message("it ends too early");
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

}  // namespace warpdex::shards
