// Rows to pieces, places and positions.
#include "search/row_places.hpp"

#include <algorithm>
#include <string>

#include "warpdex/core/error.hpp"

namespace warpdex::vector {

void RowPlaces::add(const VectorSegment& segment, std::span<const std::uint32_t> row_numbers) {
  Piece piece{segment, std::vector<std::uint32_t>(row_numbers.size())};
  for (std::size_t i = 0; i < row_numbers.size(); ++i) {
    piece.positions[row_numbers[i]] = static_cast<std::uint32_t>(i);
  }
  pieces_.push_back(std::move(piece));
}

std::optional<RowPlaces::Found> RowPlaces::find(std::size_t row) const {
  const auto after = std::upper_bound(
      pieces_.begin(), pieces_.end(), row,
      [](std::size_t r, const Piece& piece) { return r < piece.segment.first_row; });
  if (after == pieces_.begin()) return std::nullopt;
  const Piece& piece = *(after - 1);
  const std::optional<std::size_t> place = piece.segment.place(row);
  if (!place) return std::nullopt;
  return Found{static_cast<std::size_t>(after - 1 - pieces_.begin()), *place,
               piece.positions.empty() ? *place : piece.positions[*place]};
}

RowPlaces::Found RowPlaces::find_stored(std::size_t row) const {
  if (const std::optional<Found> found = find(row)) return *found;
  throw UsageError("there is no row " + std::to_string(row) + " in the index");
}

bool RowPlaces::is_live(std::size_t row) const {
  const std::optional<Found> found = find(row);
  return found && segment(found->piece).is_live(found->place);
}

}  // namespace warpdex::vector
