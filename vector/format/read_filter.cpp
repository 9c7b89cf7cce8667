// Ids to rows, by one pass over the index's ids.
#include "warpdex/vector/format/read_filter.hpp"

#include <charconv>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/vector_reader.hpp"

namespace warpdex::vector {
namespace {

[[noreturn]] void refuse_id(const std::string& id) {
  throw InputError("the filter has the id '" + id + "', which the index does not have");
}

std::int64_t to_number(const VectorIds& ids, std::uint64_t index) {
  if (!ids.are_texts()) return ids.numbers()[index];
  const std::string_view text = ids.text(index);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) refuse_id(std::string(text));
  return number;
}

RowFilter filter_of_row_numbers(const VectorIndex& index, const VectorIds& ids) {
  RowFilter filter(index.rows());
  for (std::uint64_t i = 0; i < ids.size(); ++i) {
    const std::int64_t row = to_number(ids, i);
    if (row < 0 || static_cast<std::uint64_t>(row) >= index.rows()) refuse_id(ids.written(i));
    filter.add(static_cast<std::size_t>(row));
  }
  return filter;
}

/// `wanted` has the ids that are looked for; id_of(row) is the index's.
template <class Id, class IdOf>
RowFilter filter_of_found(const VectorIndex& index, std::unordered_map<Id, bool> wanted,
                          const IdOf& id_of) {
  RowFilter filter(index.rows());
  for (std::size_t row = 0; row < index.rows(); ++row) {
    const auto found = wanted.find(id_of(row));
    if (found == wanted.end()) continue;
    found->second = true;
    filter.add(row);
  }
  for (const auto& [id, was_found] : wanted) {
    if (was_found) continue;
    if constexpr (std::is_same_v<Id, std::string>) {
      refuse_id(id);
    } else {
      refuse_id(std::to_string(id));
    }
  }
  return filter;
}

RowFilter read_bits(const VectorIndex& index, VectorReader& reader) {
  const std::uint64_t bits = reader.rows() * reader.dimension();
  if (bits != index.rows()) {
    throw InputError("the filter '" + reader.name() + "' has " + std::to_string(bits) +
                     " values, the index " + std::to_string(index.rows()) +
                     " rows; give one for each row");
  }
  std::vector<std::uint8_t> values(bits);
  reader.read_raw(reader.rows(), values.data());
  RowFilter filter(index.rows());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (values[row] != 0) filter.add(row);
  }
  return filter;
}

}  // namespace

RowFilter filter_of_ids(const VectorIndex& index, const VectorIds& ids) {
  if (index.id_kind() == IdKind::kRows) return filter_of_row_numbers(index, ids);
  if (index.id_kind() == IdKind::kNumbers) {
    std::unordered_map<std::int64_t, bool> wanted;
    for (std::uint64_t i = 0; i < ids.size(); ++i) wanted.emplace(to_number(ids, i), false);
    return filter_of_found(index, std::move(wanted),
                           [&](std::size_t row) { return index.id_numbers()[row]; });
  }
  std::unordered_map<std::string, bool> wanted;
  for (std::uint64_t i = 0; i < ids.size(); ++i) wanted.emplace(ids.written(i), false);
  return filter_of_found(index, std::move(wanted), [&](std::size_t row) { return index.id(row); });
}

RowFilter read_filter(const VectorIndex& index, const std::string& path) {
  if (path.ends_with(".npy") || path.ends_with(".NPY")) {
    const std::unique_ptr<VectorReader> reader = open_vectors(path, Role::kNeighbors);
    if (reader->element() == Element::kBool) return read_bits(index, *reader);
  }
  return filter_of_ids(index, read_id_set(path));
}

}  // namespace warpdex::vector
