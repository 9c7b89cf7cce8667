// Writes the slices of a batch to their places in its image. Internal.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/batch/batch_image.hpp"
#include "gpu/batch/placed_segments.hpp"
#include "gpu/batch/posting_store.hpp"
#include "gpu/batch/query_slice.hpp"
#include "gpu/layout/batch_shape.hpp"

namespace warpdex::gpu {

/// A batch's image: its shape, its parts on the host and on the GPU, and room for `capacity`
/// candidates of each query.
struct ImageTarget {
  BatchShape shape;
  ImageParts host;
  ImageParts device;
  std::uint32_t capacity;
};

/// Writes one slice, query by query; different slices may be written by different threads. In large
/// batches it leaves the lists to the GPU, and in small ones it makes them itself.
class ImageWriter {
 public:
  /// Keeps references. If `store` is not empty, it has the lists of all queries of OR. The slice's
  /// block ranges of AND have their places.
  ImageWriter(const PlacedSegments& segments, PostingStore& store, const ImageTarget& target,
              QuerySlice& slice);

  /// Once.
  void write();

 private:
  void write_rows();
  void write_query(const SliceQuery& query);
  void write_entry(const SliceQuery& query, const SegmentRun& run, std::uint32_t i);
  void write_uses(const SliceQuery& query, const SegmentRun& run, const QueryEntry& entry,
                  bool is_or);
  bool may_read_stored(const SliceQuery& query, std::size_t lists) const;
  void place_and(const QueryEntry& entry);
  void place_or(const SegmentRun& run);
  void make_lists(const SliceQuery& query, const SegmentRun& run);
  void make_queries() const;
  ListSource place_packed(const std::uint32_t* packed, ListSource source);

  const PlacedSegments& segments_;
  PostingStore& store_;
  const ImageTarget& target_;
  QuerySlice& slice_;
  BatchShape next_;             ///< where what comes next goes
  std::uint32_t next_raw_;      ///< raw list of the image
  std::uint32_t next_and_ = 0;  ///< of the slice's entries of AND
  std::uint32_t next_fallback_ = 0;
  EntrySource entry_{};            ///< that was written last
  std::uint32_t first_list_ = 0;   ///< its lists
  bool are_stored_ = false;        ///< OR may read them decoded
  ListUse* uses_ = nullptr;        ///< their uses: in the image, or:
  std::vector<ListUse> own_uses_;  ///< where the image has lists
};

}  // namespace warpdex::gpu
