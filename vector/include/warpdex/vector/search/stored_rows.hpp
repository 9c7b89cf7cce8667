// The vectors of an index by the numbers of their rows, wherever they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

class RowPlaces;

/// Any number of threads may use it. Takes 4 bytes a row where vectors lie in lists.
class StoredRows {
 public:
  /// Rows of one piece. What `vectors` refers to must outlive it. Not explicit, so that FlatVectors
  /// can be passed where StoredRows are taken.
  StoredRows(const FlatVectors& vectors);  // NOLINT(google-explicit-constructor)
  /// Those of an index, which must outlive it. Throws UsageError where the vectors were not kept.
  explicit StoredRows(const VectorIndex& index);

  Metric metric() const { return metric_; }
  /// As if the vectors were to be compared by another metric.
  void set_metric(Metric metric);
  std::size_t dimension() const { return dimension_; }
  /// Row numbers are below this.
  std::size_t rows() const { return rows_; }
  std::size_t live_rows() const { return live_rows_; }
  /// Whether the row is stored and was not removed.
  bool is_live(std::size_t row) const;

  /// The components of a row that is stored, as floats. Throws UsageError for another.
  void copy(std::size_t row, float* out) const;
  /// The order_key() of a row that is stored, by its canonical distance from a query, which is
  /// padded with zeros to a multiple of 32 floats. Throws likewise.
  std::uint64_t key(const float* query, std::size_t row) const;

 private:
  void add(const VectorSegment& segment);

  Metric metric_;
  std::size_t dimension_;
  std::size_t rows_;
  std::size_t live_rows_;
  std::shared_ptr<RowPlaces> places_;
  std::vector<FlatVectors> pieces_;
};

}  // namespace warpdex::vector
