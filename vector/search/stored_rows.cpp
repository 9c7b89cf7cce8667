// Rows to pieces, places and positions.
#include "warpdex/vector/search/stored_rows.hpp"

#include <algorithm>
#include <string>

#include "distance/distance_kernels.hpp"
#include "flat/canonical_distances.hpp"
#include "flat/order_key.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

StoredRows::StoredRows(const FlatVectors& vectors)
    : metric_(vectors.metric),
      dimension_(vectors.vectors.dimension),
      rows_(vectors.vectors.rows),
      live_rows_(rows_) {
  VectorSegment all;
  all.vectors = vectors;
  all.rows = all.live_rows = all.row_span = rows_;
  add(all);
}

StoredRows::StoredRows(const VectorIndex& index)
    : metric_(index.settings().metric),
      dimension_(index.settings().dimension),
      rows_(index.rows()),
      live_rows_(index.live_rows()) {
  if (!index.settings().pq.keeps_vectors) {
    throw UsageError("the index at '" + index.folder().string() +
                     "' keeps no vectors, only codes; build it again with its vectors");
  }
  for (const VectorSegment& segment : index.segments()) add(segment);
}

void StoredRows::add(const VectorSegment& segment) {
  Piece piece{flat_of(segment.vectors), segment, {}};
  piece.positions.resize(piece.vectors.row_numbers.size());
  for (std::size_t i = 0; i < piece.positions.size(); ++i) {
    piece.positions[piece.vectors.row_numbers[i]] = static_cast<std::uint32_t>(i);
  }
  pieces_.push_back(std::move(piece));
}

void StoredRows::set_metric(Metric metric) {
  metric_ = metric;
  for (Piece& piece : pieces_) piece.vectors.metric = metric;
}

std::optional<StoredRows::Found> StoredRows::find(std::size_t row) const {
  const auto after = std::upper_bound(
      pieces_.begin(), pieces_.end(), row,
      [](std::size_t r, const Piece& piece) { return r < piece.segment.first_row; });
  if (after == pieces_.begin()) return std::nullopt;
  const Piece& piece = *(after - 1);
  const std::optional<std::size_t> place = piece.segment.place(row);
  if (!place) return std::nullopt;
  return Found{&piece, *place};
}

StoredRows::Found StoredRows::find_stored(std::size_t row) const {
  if (const std::optional<Found> found = find(row)) return *found;
  throw UsageError("there is no row " + std::to_string(row) + " in an index of " +
                   std::to_string(rows_));
}

std::size_t StoredRows::position(const Found& found) {
  return found.piece->positions.empty() ? found.place : found.piece->positions[found.place];
}

bool StoredRows::is_live(std::size_t row) const {
  const std::optional<Found> found = find(row);
  return found && found->piece->segment.is_live(found->place);
}

void StoredRows::copy(std::size_t row, float* out) const {
  const Found found = find_stored(row);
  copy_row(found.piece->vectors.vectors, position(found), out);
}

std::uint64_t StoredRows::key(const float* query, std::size_t row) const {
  const Found found = find_stored(row);
  float value = 0;
  CanonicalDistances(found.piece->vectors, distance_kernels())
      .distances(query, position(found), 1, &value);
  return order_key(value, static_cast<std::uint32_t>(row));
}

}  // namespace warpdex::vector
