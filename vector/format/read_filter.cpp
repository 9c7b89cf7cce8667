// Ids or bits to a set of rows.
#include "warpdex/vector/format/read_filter.hpp"

#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/vector/data/vector_reader.hpp"
#include "warpdex/vector/format/id_rows.hpp"

namespace warpdex::vector {
namespace {

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

/// Texts come from lines, each with an id.
std::string place_of(const VectorIds& ids, std::size_t i) {
  return ids.are_texts() ? "line " + std::to_string(i + 1) : "row " + std::to_string(i);
}

}  // namespace

RowFilter filter_of_ids(const VectorIndex& index, const VectorIds& ids, UnknownIds* unknown) {
  const std::vector<std::int64_t> rows = rows_of_ids(index, ids);
  RowFilter filter(index.rows());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] >= 0) {
      filter.add(static_cast<std::size_t>(rows[i]));
    } else if (unknown != nullptr && ++unknown->count == 1) {
      unknown->first = ids.written(i);
      unknown->first_place = place_of(ids, i);
    }
  }
  return filter;
}

RowFilter read_filter(const VectorIndex& index, const std::string& path, UnknownIds* unknown) {
  if (path.ends_with(".npy") || path.ends_with(".NPY")) {
    const std::unique_ptr<VectorReader> reader = open_vectors(path, Role::kNeighbors);
    if (reader->element() == Element::kBool) return read_bits(index, *reader);
  }
  return filter_of_ids(index, read_id_set(path), unknown);
}

}  // namespace warpdex::vector
