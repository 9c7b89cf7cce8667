// A segment of an index: vectors that were added in one commit, or that a merge put together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "warpdex/vector/codings/searched_vectors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// A view of a segment in an index that is open. Its vectors are numbered by *places* from 0; their
/// rows in the index ascend with them. Owns nothing.
struct VectorSegment {
  std::string name;         ///< for messages
  SearchedVectors vectors;  ///< of which row r is the vector at place r
  std::size_t rows = 0;     ///< vectors that are stored, removed ones too
  std::size_t live_rows = 0;
  /// The rows of the index that the segment stands for: `row_span` of them from `first_row` on.
  std::size_t first_row = 0;
  std::size_t row_span = 0;
  /// The row of each place, less first_row, if a merge left rows out; empty: all rows are there.
  std::span<const std::uint32_t> kept_rows = {};
  /// The places that were not removed; null: none was.
  const RowFilter* live = nullptr;
  /// The ids, by place, if they are numbers; if they are texts, where each begins, and the texts.
  std::span<const std::int64_t> id_numbers = {};
  std::span<const std::uint64_t> id_offsets = {};
  std::span<const std::uint8_t> id_texts = {};

  /// The row of the index at a place.
  std::size_t row(std::size_t place) const {
    return first_row + (kept_rows.empty() ? place : kept_rows[place]);
  }
  /// Whether all rows that it stands for are stored and live.
  bool is_whole() const { return live == nullptr && rows == row_span; }
  bool is_live(std::size_t place) const { return live == nullptr || live->contains(place); }
  /// The place of a row of the index, if it is stored here. O(log rows).
  std::optional<std::size_t> place(std::size_t row) const;
  /// The text of the id at a place. Only of ids that are texts. Throws FormatError where the table
  /// of ids is damaged.
  std::string id_text(std::size_t place) const;
};

}  // namespace warpdex::vector
