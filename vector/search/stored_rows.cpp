// Vectors at the places of rows.
#include "warpdex/vector/search/stored_rows.hpp"

#include "distance/distance_kernels.hpp"
#include "flat/canonical_distances.hpp"
#include "flat/order_key.hpp"
#include "search/row_places.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

StoredRows::StoredRows(const FlatVectors& vectors)
    : metric_(vectors.metric),
      dimension_(vectors.vectors.dimension),
      rows_(vectors.vectors.rows),
      live_rows_(rows_),
      places_(std::make_shared<RowPlaces>()) {
  VectorSegment all;
  all.vectors = vectors;
  all.rows = all.live_rows = all.row_span = rows_;
  add(all);
}

StoredRows::StoredRows(const VectorIndex& index)
    : metric_(index.settings().metric),
      dimension_(index.settings().dimension),
      rows_(index.rows()),
      live_rows_(index.live_rows()),
      places_(std::make_shared<RowPlaces>()) {
  if (!index.settings().pq.keeps_vectors) {
    throw UsageError("the index at '" + index.folder().string() +
                     "' keeps no vectors, only codes; build it again with its vectors");
  }
  for (const VectorSegment& segment : index.segments()) add(segment);
}

void StoredRows::add(const VectorSegment& segment) {
  pieces_.push_back(flat_of(segment.vectors));
  places_->add(segment, pieces_.back().row_numbers);
}

void StoredRows::set_metric(Metric metric) {
  metric_ = metric;
  for (FlatVectors& piece : pieces_) piece.metric = metric;
}

bool StoredRows::is_live(std::size_t row) const { return places_->is_live(row); }

void StoredRows::copy(std::size_t row, float* out) const {
  const RowPlaces::Found found = places_->find_stored(row);
  copy_row(pieces_[found.piece].vectors, found.position, out);
}

std::uint64_t StoredRows::key(const float* query, std::size_t row) const {
  const RowPlaces::Found found = places_->find_stored(row);
  float value = 0;
  CanonicalDistances(pieces_[found.piece], distance_kernels())
      .distances(query, found.position, 1, &value);
  return order_key(value, static_cast<std::uint32_t>(row));
}

}  // namespace warpdex::vector
