// The search of one segment of an index, by the rows that the index gives its vectors.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "warpdex/vector/format/vector_segment.hpp"
#include "warpdex/vector/searcher/vector_searcher.hpp"

namespace warpdex::vector {

/// Rows are those of the segment in the index, less its first. Never answers with what was removed,
/// or with rows that a merge left out.
class SegmentRowsSearcher final : public VectorSearcher {
 public:
  /// `searcher` is of the segment's vectors. What `segment` refers to must outlive this.
  SegmentRowsSearcher(const VectorSegment& segment, std::unique_ptr<VectorSearcher> searcher)
      : segment_(segment), searcher_(std::move(searcher)) {}

  Metric metric() const override { return searcher_->metric(); }
  std::size_t dimension() const override { return searcher_->dimension(); }
  std::size_t rows() const override { return segment_.row_span; }

  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options = {}) const override;
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options = {}) const override;

  GpuFigures figures() const override { return searcher_->figures(); }
  bool is_resident() const override { return searcher_->is_resident(); }

 private:
  /// The places that `filter`, which may be null, allows and that were not removed; null: all.
  /// `own` holds them where they must be made.
  const RowFilter* filter_of_places(const RowFilter* filter, std::optional<RowFilter>& own) const;
  template <class Answers>
  void name_rows(Answers& answers) const;

  VectorSegment segment_;
  std::unique_ptr<VectorSearcher> searcher_;
};

}  // namespace warpdex::vector
