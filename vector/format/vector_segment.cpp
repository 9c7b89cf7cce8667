// Places, rows and ids of a segment.
#include "warpdex/vector/format/vector_segment.hpp"

#include <algorithm>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {

std::optional<std::size_t> VectorSegment::place(std::size_t row) const {
  if (row < first_row || row - first_row >= row_span) return std::nullopt;
  const std::size_t kept = row - first_row;
  if (rows == row_span) return kept;
  const auto found = std::lower_bound(kept_rows.begin(), kept_rows.end(), kept);
  if (found == kept_rows.end() || *found != kept) return std::nullopt;
  return static_cast<std::size_t>(found - kept_rows.begin());
}

std::string VectorSegment::id_text(std::size_t place) const {
  const std::uint64_t begin = id_offsets[place];
  const std::uint64_t end = id_offsets[place + 1];
  if (begin > end || end > id_texts.size()) {
    throw FormatError("the ids of '" + name + "' are damaged; build the index again");
  }
  return {reinterpret_cast<const char*>(id_texts.data()) + begin, end - begin};
}

}  // namespace warpdex::vector
