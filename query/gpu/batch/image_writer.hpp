// Copies the pieces of a batch to their places in its image. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/batch_shape.hpp"
#include "gpu/batch/placed_segments.hpp"
#include "gpu/batch/posting_store.hpp"
#include "gpu/batch/query_piece.hpp"
#include "gpu/batch/segment_plans.hpp"

namespace warpdex::gpu {

/// For all pieces of a batch; different pieces may be written by different threads.
class ImageWriter {
 public:
  /// A batch's image: its shape, its parts on the host and on the GPU, and room for `capacity`
  /// candidates of each query.
  struct Target {
    BatchShape shape;
    ImageParts host;
    ImageParts device;
    std::uint32_t capacity;
  };

  /// Keeps references. If `store` is not empty, it has the lists of all queries of OR.
  ImageWriter(const PlacedSegments& segments, const SegmentPlans& plans, PostingStore& store,
              const Target& target)
      : segments_(segments), plans_(plans), store_(store), target_(target) {}

  /// Writes a piece, once. Its block ranges of AND have their places.
  void write(QueryPiece& piece) const;

 private:
  void place_stored(QueryPiece& piece) const;
  void write_lists(const QueryPiece& piece) const;
  void write_queries(const QueryPiece& piece) const;
  void write_or(const QueryPiece& piece) const;
  void write_table_ranges(const QueryPiece& piece) const;
  void write_and_ranges(QueryPiece& piece) const;
  void place(const Query& from, const QueryPiece& piece, Query& to) const;

  const PlacedSegments& segments_;
  const SegmentPlans& plans_;
  PostingStore& store_;
  const Target& target_;
};

}  // namespace warpdex::gpu
