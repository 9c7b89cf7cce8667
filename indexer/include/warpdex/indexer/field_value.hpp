// Values of columns: from JSON, CSV and text, and to bytes and back.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/indexer/index_settings.hpp"

namespace warpdex {

/// A value as the field has it: a whole number for 3.0, milliseconds for "1990-02-28". Throws
/// InputError, which names the field and the value, for one that does not fit the field's type, and
/// for a date that does not exist.
FieldValue value_for(const Field& field, FieldValue given);
/// The same of a text, as in CSV or in a filter: 7, 0.5, 1990-02, true.
FieldValue value_of_text(const Field& field, std::string_view text);
/// Back to a text that value_of_text() takes.
std::string value_text(const Field& field, const FieldValue& value);

/// Puts the values of a column of a document in order. Throws InputError, which names the field,
/// for more than one where it has not `multiple`.
void arrange_values(const Field& field, std::vector<FieldValue>& values);

/// Milliseconds since 1970 of a moment in UTC: 1990, 1990-02, 1990-02-28, 1990-02-28T12:30,
/// …:15, …:15.250; after a time, Z or an offset as +01:00, without one it is UTC. Years are 0000 to
/// 9999. Throws InputError for anything else, and for a moment that does not exist.
std::int64_t parse_date(std::string_view text);
/// "1990-02-28T00:00:00.000Z"; of years outside of 0000 to 9999 the milliseconds.
std::string date_text(std::int64_t milliseconds);

/// Bytes that decode_values() takes.
std::string encode_values(const FieldValues& values);
/// Throws FormatError.
FieldValues decode_values(std::string_view bytes);

}  // namespace warpdex
