// Values of a document's columns to bytes and back. docs/format.md, "Journal".
#include <cstring>

#include "format/varint.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/field_value.hpp"

namespace warpdex {

std::string encode_values(const FieldValues& values) {
  std::vector<std::uint8_t> bytes;
  const auto add_raw = [&](const auto& number) {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(&number);
    bytes.insert(bytes.end(), first, first + sizeof number);
  };
  for (const auto& column : values) {
    append_varint(bytes, column.size());
    for (const FieldValue& value : column) {
      bytes.push_back(static_cast<std::uint8_t>(value.index()));
      if (const auto* text = std::get_if<std::string>(&value)) {
        append_varint(bytes, text->size());
        bytes.insert(bytes.end(), text->begin(), text->end());
      } else if (const auto* is_true = std::get_if<bool>(&value)) {
        bytes.push_back(*is_true ? 1 : 0);
      } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
        add_raw(*number);
      } else {
        add_raw(std::get<double>(value));
      }
    }
  }
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

FieldValues decode_values(std::string_view bytes) {
  const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  ByteCursor from{first, first + bytes.size()};
  const auto raw = [&](auto number) {
    std::memcpy(&number, from.take(sizeof number), sizeof number);
    return number;
  };
  FieldValues values;
  while (from.left() > 0) {
    auto& column = values.emplace_back();
    for (std::uint64_t left = from.varint(); left > 0; --left) {
      switch (from.byte()) {
        case 0: column.emplace_back(from.byte() != 0); break;
        case 1: column.emplace_back(raw(std::int64_t{})); break;
        case 2: column.emplace_back(raw(double{})); break;
        case 3: {
          const std::uint64_t size = from.varint();
          column.emplace_back(std::string(reinterpret_cast<const char*>(from.take(size)), size));
          break;
        }
        default: throw FormatError("a value of a column is of no type");
      }
    }
  }
  return values;
}

}  // namespace warpdex
