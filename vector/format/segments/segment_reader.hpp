// Opens a segment of an index of vectors.
#pragma once

#include <optional>
#include <vector>

#include "format/manifest.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/vector/format/vector_segment.hpp"

namespace warpdex::vector {

/// Maps a segment, and keeps what its view refers to. Stays where it is.
class SegmentReader {
 public:
  /// `first` is null for the first segment, which has what all share; else it must outlive this.
  /// O(rows) for lists, since searches rely on the numbers of rows. Throws FormatError, IoError.
  SegmentReader(const Folder& folder, const Manifest& manifest, std::size_t number,
                const SegmentReader* first);
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  const VectorSegment& view() const { return view_; }
  const SegmentView& sections() const { return sections_; }

 private:
  const SectionView& section(std::string_view name) const { return sections_.section(name); }
  void open_removed();
  void open_kept_rows();
  void open_ids();
  /// Without data where they were not kept.
  FlatVectors own_vectors() const;

  const Manifest& manifest_;
  SegmentView sections_;
  const SegmentView& first_;  ///< has what was trained
  VectorSegment view_;
  std::optional<RowFilter> live_;
  std::vector<std::uint64_t> group_begins_;
};

}  // namespace warpdex::vector
