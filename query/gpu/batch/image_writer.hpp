// Writes the pieces of a batch to their places in its image. Internal.
#pragma once

#include <cstdint>

#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/batch_shape.hpp"
#include "gpu/batch/placed_segments.hpp"
#include "gpu/batch/posting_store.hpp"
#include "gpu/batch/query_piece.hpp"

namespace warpdex::gpu {

/// A batch's image: its shape, its parts on the host and on the GPU, and room for `capacity`
/// candidates of each query.
struct ImageTarget {
  BatchShape shape;
  ImageParts host;
  ImageParts device;
  std::uint32_t capacity;
};

/// Writes one piece, query by query; different pieces may be written by different threads.
class ImageWriter {
 public:
  /// Keeps references. If `store` is not empty, it has the lists of all queries of OR. The piece's
  /// block ranges of AND have their places.
  ImageWriter(const PlacedSegments& segments, PostingStore& store, const ImageTarget& target,
              QueryPiece& piece);

  /// Once.
  void write();

 private:
  /// The tables of OR that an entry's lists have rows in; none if it is not an entry of OR.
  struct OrPlace {
    std::uint32_t number = 0;        ///< the entry's, among those of OR
    std::uint32_t tile_row = kNone;  ///< of its first list
    std::uint32_t row_entries = 0;   ///< of each list
  };

  void write_query(const PieceQuery& query);
  const Query* write_entry(const PieceQuery& query, const SegmentRun& run, std::uint32_t segment,
                           std::uint32_t i);
  bool write_lists(const PieceQuery& query, TermSet present, const QueryEntry& entry,
                   std::uint32_t segment, const OrPlace& place);
  void write_packed(const PieceTerm& term, ListSource& source);
  OrPlace place_of(std::uint32_t segment) const;
  Query* place_or(Query& own);

  const PlacedSegments& segments_;
  PostingStore& store_;
  const ImageTarget& target_;
  QueryPiece& piece_;
  BatchShape next_;  ///< where what comes next goes
  std::uint32_t row_shift_;
  bool are_sources_;
  std::uint32_t next_and_ = 0;  ///< of the piece's entries of AND
  std::uint32_t next_fallback_ = 0;
  std::uint32_t first_list_ = 0;  ///< of the entry that was written last
  bool are_stored_ = false;       ///< its lists
};

}  // namespace warpdex::gpu
