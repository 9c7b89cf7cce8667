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
  [[noreturn]] void damaged(const char* what) const;
  void open_removed();
  void open_kept_rows();
  void open_ids();
  FlatVectors open_vectors() const;
  FlatVectors open_centroids() const;
  /// Row numbers and where lists begin, which lie among the vectors of rows, or beside codes.
  void open_lists(std::span<const std::uint32_t>& row_numbers,
                  std::span<const std::uint64_t>& begins) const;
  template <class Coding>
  Lists<Coding> open_list_codes();

  const Manifest& manifest_;
  SegmentView sections_;
  const SegmentView& first_;  ///< has what was trained
  VectorSegment view_;
  std::optional<RowFilter> live_;
  std::vector<std::uint64_t> group_begins_;
};

}  // namespace warpdex::vector
