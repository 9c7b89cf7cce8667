// Finds the values of columns among the members that are collected.
#include "readers/column_members.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include "readers/json_lines.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/indexer/readers/text_checks.hpp"

namespace warpdex::json {
namespace {

FieldValue number_of(std::string_view text) {
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  const auto read = std::from_chars(text.data(), end, whole);
  if (read.ec == std::errc() && read.ptr == end) return whole;
  double number = 0;
  if (std::from_chars(text.data(), end, number).ec == std::errc::result_out_of_range &&
      text.find("e-") == std::string_view::npos && text.find("E-") == std::string_view::npos) {
    number = std::numeric_limits<double>::infinity();
  }
  return number;
}

FieldValue value_of(const Field& field, const Item& item, const RawRecord& record) {
  switch (item.kind) {
    case Kind::kString:
      check_escapes(record, {item.value});
      return value_for(field, std::string(item.value));
    case Kind::kInteger:
    case Kind::kNumber:
      return field.type == FieldType::kInt ? value_of_text(field, item.value)
                                           : value_for(field, number_of(item.value));
    case Kind::kBoolean: return value_for(field, item.value == "true");
    default: break;
  }
  throw InputError("the field '" + field.name + "' has a value that is " + kind_name(item.kind) +
                   "; values are strings, numbers, true or false");
}

}  // namespace

ColumnMembers::ColumnMembers(std::vector<Field> columns, std::vector<Member>& wanted)
    : columns_(std::move(columns)) {
  for (const Field& field : columns_) {
    const auto known = std::ranges::find(wanted, std::string_view(field.name), &Member::name);
    places_.push_back(static_cast<std::size_t>(known - wanted.begin()));
    if (known == wanted.end()) wanted.push_back({.name = field.name});
    wanted[places_.back()].wants_items = true;
  }
}

FieldValues ColumnMembers::values(std::span<const Member> members, const RawRecord& record) const {
  FieldValues values(columns_.size());
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Member& member = members[places_[i]];
    if (member.kind == Kind::kMissing) continue;
    try {
      if (member.kind == Kind::kArray) {
        for (const Item& item : member.items) {
          values[i].push_back(value_of(columns_[i], item, record));
        }
      } else {
        values[i].push_back(value_of(columns_[i], {member.kind, member.value}, record));
      }
      arrange_values(columns_[i], values[i]);
    } catch (const BadDocument&) {
      throw;
    } catch (const InputError& error) {
      fail_document(record.location, error.what());
    }
  }
  return values;
}

}  // namespace warpdex::json
