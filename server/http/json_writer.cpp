#include "http/json_writer.hpp"

#include "warpdex/core/number_text.hpp"

namespace warpdex::server {

void JsonWriter::real(float number) {
  if (!std::isfinite(number)) return null();
  const std::string digits = shortest(number);
  writer_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
}

void JsonWriter::real(double number) {
  if (!std::isfinite(number)) return null();
  const std::string digits = shortest(number);
  writer_.RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
}

}  // namespace warpdex::server
