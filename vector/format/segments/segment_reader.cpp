// Sections to the view of a segment.
#include "format/segments/segment_reader.hpp"

#include <algorithm>
#include <utility>

#include "format/segments/open_codes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"

namespace warpdex::vector {

SegmentReader::SegmentReader(const Folder& folder, const Manifest& manifest, std::size_t number,
                             const SegmentReader* first)
    : manifest_(manifest),
      sections_(folder, manifest.stored.segments[number]),
      first_(first == nullptr ? sections_ : first->sections_) {
  const SegmentRows& rows = manifest.rows_of[number];
  view_.name = manifest.stored.segments[number].place;
  view_.rows = rows.rows;
  view_.first_row = rows.first_row;
  view_.row_span = rows.row_span;
  open_removed();
  open_kept_rows();
  open_ids();
  OpenedCodes opened =
      open_codes({sections_, first_, manifest_.settings, view_.rows, own_vectors()}, view_.name);
  view_.vectors = opened.vectors;
  group_begins_ = std::move(opened.group_begins);
}

void SegmentReader::open_removed() {
  view_.live_rows = view_.rows;
  const RemovedRows removed = sections_.removed_rows(view_.rows);
  if (removed.none()) return;
  std::vector<std::uint64_t> words(removed.words().begin(), removed.words().end());
  for (std::uint64_t& word : words) word = ~word;
  live_ = RowFilter::of_bits(words, view_.rows);
  view_.live = &*live_;
  view_.live_rows = live_->count();
}

void SegmentReader::open_kept_rows() {
  if (view_.rows == view_.row_span) return;
  view_.kept_rows = section(section::kKeptRows).as<std::uint32_t>(view_.rows);
  const std::span<const std::uint32_t> kept = view_.kept_rows;
  const auto is_not_before = [](std::uint32_t a, std::uint32_t b) { return a >= b; };
  if (std::adjacent_find(kept.begin(), kept.end(), is_not_before) != kept.end() ||
      (!kept.empty() && kept.back() >= view_.row_span)) {
    damaged_segment("the kept rows", view_.name);
  }
}

void SegmentReader::open_ids() {
  if (manifest_.ids == IdKind::kNumbers) {
    view_.id_numbers = section(section::kIdNumbers).as<std::int64_t>(view_.rows);
  } else if (manifest_.ids == IdKind::kTexts) {
    view_.id_offsets = section(section::kIdOffsets).as<std::uint64_t>(view_.rows + 1);
    view_.id_texts = section(section::kIdTexts).bytes();
  }
}

FlatVectors SegmentReader::own_vectors() const {
  const VectorIndexSettings& settings = manifest_.settings;
  const SectionView& section = first_.section(section::kCentre);
  const std::span<const float> centre =
      section.as<float>(section.bytes().empty() ? 0 : settings.dimension);
  if (settings.pq.keeps_vectors) {
    return open_vectors(sections_, settings, view_.rows, centre, section::kVectors,
                        section::kNorms);
  }
  FlatVectors none;
  none.metric = settings.metric;
  none.centre = centre;
  return none;
}

}  // namespace warpdex::vector
