// Opens a segment of an index of vectors.
#pragma once

#include <optional>
#include <vector>

#include "format/manifest.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/vector/format/vector_segment.hpp"

namespace warpdex::vector {

/// What all segments share: the sections that only the first one has.
struct TrainedSections {
  std::span<const float> centre = {};
  FlatVectors centroids = {};
  ProductQuantizer quantizer = {};
  BinaryQuantizer binary_quantizer = {};
};

/// Maps a segment, and keeps what its view refers to. Stays where it is.
class SegmentReader {
 public:
  /// `trained` is null for the first segment, whose own is trained(). O(rows) for inverted files,
  /// since searches rely on the numbers of rows. Throws FormatError, IoError.
  SegmentReader(const Folder& folder, const Manifest& manifest, std::size_t number,
                const TrainedSections* trained);
  SegmentReader(const SegmentReader&) = delete;
  SegmentReader& operator=(const SegmentReader&) = delete;

  const VectorSegment& view() const { return view_; }
  const TrainedSections& trained() const { return trained_; }
  const SegmentView& sections() const { return sections_; }

 private:
  const SectionView& section(std::string_view name) const { return sections_.section(name); }
  [[noreturn]] void damaged(const char* what) const;
  void open_trained();
  void open_trained_lists();
  void open_binary_quantizer();
  std::span<const float> open_rotation() const;
  void open_removed();
  void open_kept_rows();
  void open_ids();
  FlatVectors open_vectors() const;
  Lists<RowCoding> open_lists(const FlatVectors& vectors) const;
  BinaryVectors open_binary_codes(const FlatVectors& vectors) const;
  Lists<PqCoding> open_codes(const FlatVectors& vectors, const Lists<RowCoding>& lists);
  Lists<BinaryCoding> open_list_codes(const FlatVectors& vectors, const Lists<RowCoding>& lists);
  void open_code_lists(const FlatVectors& vectors, const Lists<RowCoding>& lists,
                       std::size_t code_bytes, CodeLists& codes);

  const Manifest& manifest_;
  SegmentView sections_;
  TrainedSections trained_;
  VectorSegment view_;
  std::optional<RowFilter> live_;
  std::vector<std::uint64_t> group_begins_;
};

}  // namespace warpdex::vector
