// One pass over the index's ids, with a table of those that are looked for.
#include "warpdex/vector/format/id_rows.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace warpdex::vector {
namespace {

std::optional<std::int64_t> to_number(const VectorIds& ids, std::uint64_t index) {
  if (!ids.are_texts()) return ids.numbers()[index];
  const std::string_view text = ids.text(index);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Sets rows[i] for the i-th id that is looked for: key_of(i) is that id, if the index can have it,
/// and key_at(segment, place) one of the index's.
template <class Key, class KeyOf, class KeyAt>
void find_rows(const VectorIndex& index, const KeyOf& key_of, const KeyAt& key_at,
               std::vector<std::int64_t>& rows) {
  std::unordered_map<Key, std::int64_t> row_of;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const std::optional<Key> key = key_of(i)) row_of.emplace(*key, -1);
  }
  for (const VectorSegment& segment : index.segments()) {
    for (std::size_t place = 0; place < segment.rows; ++place) {
      if (!segment.is_live(place)) continue;
      const auto found = row_of.find(key_at(segment, place));
      if (found != row_of.end()) found->second = static_cast<std::int64_t>(segment.row(place));
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const std::optional<Key> key = key_of(i)) rows[i] = row_of.at(*key);
  }
}

}  // namespace

std::vector<std::int64_t> rows_of_ids(const VectorIndex& index, const VectorIds& ids) {
  std::vector<std::int64_t> rows(ids.size(), -1);
  const auto number = [&](std::size_t i) { return to_number(ids, i); };
  const auto text = [&](std::size_t i) { return std::optional<std::string>(ids.written(i)); };
  switch (index.id_kind()) {
    case IdKind::kRows:
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::optional<std::int64_t> row = number(i);
        if (row && *row >= 0 && index.is_live(static_cast<std::size_t>(*row))) rows[i] = *row;
      }
      break;
    case IdKind::kNumbers:
      find_rows<std::int64_t>(
          index, number,
          [](const VectorSegment& segment, std::size_t place) { return segment.id_numbers[place]; },
          rows);
      break;
    case IdKind::kTexts:
      find_rows<std::string>(
          index, text,
          [](const VectorSegment& segment, std::size_t place) { return segment.id_text(place); },
          rows);
      break;
  }
  return rows;
}

}  // namespace warpdex::vector
