// Where the rows of an index lie in its segments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/vector/format/vector_segment.hpp"

namespace warpdex::vector {

/// From a row to its segment, and to its position among the vectors or codes of it.
class RowPlaces {
 public:
  struct Found {
    std::size_t piece;     ///< the segment, in the order in which they were added
    std::size_t place;     ///< as VectorSegment has it
    std::size_t position;  ///< where the vector lies; in lists this is not its place
  };

  /// Adds a segment, after those with smaller rows. `row_numbers` has the place of each position,
  /// or is empty where they are the same. Takes 4 bytes for each of them.
  void add(const VectorSegment& segment, std::span<const std::uint32_t> row_numbers);

  const VectorSegment& segment(std::size_t piece) const { return pieces_[piece].segment; }
  /// Where a row lies, if it is stored. O(log rows).
  std::optional<Found> find(std::size_t row) const;
  /// Likewise; throws UsageError for a row that is not stored.
  Found find_stored(std::size_t row) const;
  /// Whether the row is stored and was not removed.
  bool is_live(std::size_t row) const;

 private:
  struct Piece {
    VectorSegment segment;
    std::vector<std::uint32_t> positions;  ///< of each place; empty: the place itself
  };

  std::vector<Piece> pieces_;
};

}  // namespace warpdex::vector
