// JSON output, by RapidJSON.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "warpdex/query/json_text.hpp"

namespace warpdex::tools {

/// A RapidJSON writer with its buffer, and shorter names for members. Names and texts may hold any
/// bytes (json_text()). No object may have two members of one name: many parsers refuse that.
class JsonWriter {
 public:
  JsonWriter() : writer_(buffer_) {}

  void begin_object() { writer_.StartObject(); }
  void begin_object(std::string_view name) {
    key(name);
    writer_.StartObject();
  }
  void end_object() { writer_.EndObject(); }
  void begin_array(std::string_view name) {
    key(name);
    writer_.StartArray();
  }
  void end_array() { writer_.EndArray(); }

  void member(std::string_view name, std::string_view value) {
    key(name);
    text(value);
  }
  void member(std::string_view name, const char* value) { member(name, std::string_view(value)); }
  void member(std::string_view name, std::uint64_t value) {
    key(name);
    writer_.Uint64(value);
  }
  void member(std::string_view name, bool value) {
    key(name);
    writer_.Bool(value);
  }
  /// By the fewest digits that give the float back: 0.9, and not 0.899999976. Finite.
  void member(std::string_view name, float value) {
    key(name);
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value);
    writer_.RawValue(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()),
                     rapidjson::kNumberType);
  }
  /// For what JSON has no number for.
  void null_member(std::string_view name) {
    key(name);
    writer_.Null();
  }
  /// Not NaN and not infinite: JSON has no such numbers.
  void member(std::string_view name, double value) {
    key(name);
    writer_.Double(value);
  }
  /// An element of an array.
  void value(std::string_view element) { text(element); }
  /// Likewise; not NaN and not infinite.
  void value(double element) { writer_.Double(element); }
  /// What has been written since the last take().
  std::string take() {
    std::string bytes(buffer_.GetString(), buffer_.GetSize());
    buffer_.Clear();
    return bytes;
  }

 private:
  void key(std::string_view name) {
    const std::string written = json_text(name);
    writer_.Key(written.data(), static_cast<rapidjson::SizeType>(written.size()));
  }
  void text(std::string_view value) {
    const std::string written = json_text(value);
    writer_.String(written.data(), static_cast<rapidjson::SizeType>(written.size()));
  }

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_;
};

}  // namespace warpdex::tools
