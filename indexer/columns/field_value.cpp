// Values of columns from what documents say.
#include "warpdex/indexer/field_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex {
namespace {

constexpr double kIntEnd = 9223372036854775808.0;  // 2^63
constexpr double kDoubleEnd = 9007199254740992.0;  // 2^53

std::string given_text(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return "'" + excerpt(*text) + "'";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* number = std::get_if<double>(&value)) return shortest(*number);
  return std::get<bool>(value) ? "true" : "false";
}

[[noreturn]] void fail_value(const Field& field, const std::string& value) {
  constexpr std::string_view kKinds[] = {"",
                                         "a string",
                                         "a whole number of 64 bits",
                                         "a finite number",
                                         "a date, as 1990-02-28, or a number of milliseconds",
                                         "true or false"};
  throw InputError("the field '" + field.name + "' has the value " + value + "; it takes " +
                   std::string(kKinds[static_cast<std::size_t>(field.type)]));
}

std::optional<std::int64_t> whole_number(const FieldValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  const auto* number = std::get_if<double>(&value);
  // What is written of a double at the lower end may have been less.
  if (number == nullptr || !(*number > -kIntEnd && *number < kIntEnd)) return std::nullopt;
  if (*number != std::trunc(*number)) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<double> finite_number(const FieldValue& value) {
  double number = 0;
  if (const auto* whole = std::get_if<std::int64_t>(&value)) {
    number = static_cast<double>(*whole);
  } else if (const auto* real = std::get_if<double>(&value)) {
    number = *real;
  } else {
    return std::nullopt;
  }
  if (!std::isfinite(number)) return std::nullopt;
  return number == 0 ? 0.0 : number;  // not -0
}

template <class T>
std::optional<T> number_of(std::string_view text) {
  T number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Digits, or below 2^53, where doubles hold them all, a number such as "2.0" or "1e15".
std::optional<std::int64_t> whole_number(std::string_view text) {
  if (const auto whole = number_of<std::int64_t>(text)) return whole;
  const auto number = number_of<double>(text);
  if (!number || std::abs(*number) >= kDoubleEnd) return std::nullopt;
  return whole_number(FieldValue(*number));
}

}  // namespace

std::vector<Field> columns_of(const Schema& schema) {
  std::vector<Field> columns;
  for (const Field& field : schema.fields) {
    if (is_column(field.type)) columns.push_back(field);
  }
  return columns;
}

FieldValue value_for(const Field& field, FieldValue given) {
  switch (field.type) {
    case FieldType::kText:
    case FieldType::kVector: break;
    case FieldType::kKeyword:
      if (std::holds_alternative<std::string>(given)) return given;
      break;
    case FieldType::kInt:
      if (const auto number = whole_number(given)) return *number;
      break;
    case FieldType::kFloat:
      if (const auto number = finite_number(given)) return *number;
      break;
    case FieldType::kDate:
      if (const auto* text = std::get_if<std::string>(&given)) try {
          return parse_date(*text);
        } catch (const InputError& error) {
          throw InputError("the field '" + field.name + "': " + error.what());
        }
      if (const auto number = whole_number(given)) return *number;
      break;
    case FieldType::kBool:
      if (std::holds_alternative<bool>(given)) return given;
      break;
  }
  fail_value(field, given_text(given));
}

FieldValue value_of_text(const Field& field, std::string_view text) {
  switch (field.type) {
    case FieldType::kText:
    case FieldType::kVector: break;
    case FieldType::kKeyword: return std::string(text);
    case FieldType::kInt:
      if (const auto whole = whole_number(text)) return *whole;
      break;
    case FieldType::kFloat:
      if (const auto number = number_of<double>(text)) return value_for(field, *number);
      break;
    case FieldType::kDate: {
      // Four digits are a year.
      const auto number = text.size() == 4 ? std::nullopt : number_of<std::int64_t>(text);
      return number ? FieldValue(*number) : value_for(field, std::string(text));
    }
    case FieldType::kBool:
      if (text == "true") return true;
      if (text == "false") return false;
      break;
  }
  fail_value(field, "'" + excerpt(text) + "'");
}

std::string value_text(const Field& field, const FieldValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return shortest(*number);
  if (const auto* is_true = std::get_if<bool>(&value)) return *is_true ? "true" : "false";
  const std::int64_t number = std::get<std::int64_t>(value);
  return field.type == FieldType::kDate ? date_text(number) : std::to_string(number);
}

void arrange_values(const Field& field, std::vector<FieldValue>& values) {
  if (values.size() > 1 && !field.multiple) {
    throw InputError("the field '" + field.name + "' has " + std::to_string(values.size()) +
                     " values, and the schema allows one; make it 'multiple' there");
  }
  std::ranges::sort(values);
  if (field.type != FieldType::kKeyword && field.type != FieldType::kBool) return;
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace warpdex
