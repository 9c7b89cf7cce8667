// Writes JSON into one string, by RapidJSON.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "warpdex/query/json_text.hpp"

namespace warpdex::server {

/// Names are ASCII literals. Texts that are not UTF-8 are written by json_text().
class JsonWriter {
 public:
  void begin_object() { writer_.StartObject(); }
  void begin_object(std::string_view name) {
    key(name);
    writer_.StartObject();
  }
  void end_object() { writer_.EndObject(); }
  void begin_array() { writer_.StartArray(); }
  void begin_array(std::string_view name) {
    key(name);
    writer_.StartArray();
  }
  void end_array() { writer_.EndArray(); }

  void key(std::string_view name) {
    writer_.Key(name.data(), static_cast<rapidjson::SizeType>(name.size()));
  }
  template <class T>
  void member(std::string_view name, const T& given) {
    key(name);
    value(given);
  }

  void value(std::string_view text) {
    const std::string written = json_text(text);
    writer_.String(written.data(), static_cast<rapidjson::SizeType>(written.size()));
  }
  void value(const char* text) { value(std::string_view(text)); }
  void value(const std::string& text) { value(std::string_view(text)); }
  /// Whole numbers; floats by 9 digits at most and doubles by 17, null where they are not finite.
  template <class T>
  requires std::is_arithmetic_v<T>
  void value(T number) {
    if constexpr (std::is_same_v<T, bool>) {
      writer_.Bool(number);
    } else if constexpr (std::is_floating_point_v<T>) {
      real(number);
    } else if constexpr (std::is_signed_v<T>) {
      writer_.Int64(number);
    } else {
      writer_.Uint64(number);
    }
  }
  void null() { writer_.Null(); }
  /// JSON that is written already.
  void raw(std::string_view json) {
    writer_.RawValue(json.data(), json.size(), rapidjson::kObjectType);
  }

  /// What has been written; the writer is empty then.
  std::string take() {
    std::string bytes(buffer_.GetString(), buffer_.GetSize());
    buffer_.Clear();
    writer_.Reset(buffer_);
    return bytes;
  }

 private:
  void real(float number);
  void real(double number);

  rapidjson::StringBuffer buffer_;
  rapidjson::Writer<rapidjson::StringBuffer> writer_{buffer_};
};

}  // namespace warpdex::server
