// Sections to views of vectors, lists and codes. Numbers that searches rely on are checked here.
#include "format/segments/segment_reader.hpp"

#include <algorithm>

#include "format/segments/codings.hpp"
#include "pq/code_groups.hpp"
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
  const VectorKind kind = manifest.settings.index;
  with_coding(kind.coding, [&]<class Coding>(Coding) {
    if (stores_lists(kind)) {
      view_.vectors = open_list_codes<Coding>();
    } else if constexpr (HasAllCodes<Coding>) {
      view_.vectors = CodingFormat<Coding>::open_all(
          {sections_, first_, manifest_.settings, view_.rows, open_vectors()});
    } else {
      view_.vectors = open_vectors();
    }
  });
}

void SegmentReader::damaged(const char* what) const {
  throw FormatError(std::string(what) + " of '" + view_.name +
                    "' are damaged; restore the index or build it again");
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
    damaged("the kept rows");
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

FlatVectors SegmentReader::open_vectors() const {
  const VectorIndexSettings& settings = manifest_.settings;
  FlatVectors flat;
  flat.metric = settings.metric;
  const SectionView& centre = first_.section(section::kCentre);
  flat.centre = centre.as<float>(centre.bytes().empty() ? 0 : settings.dimension);
  if (!settings.pq.keeps_vectors) return flat;
  const std::size_t stride = row_stride(settings);
  const SectionView& vectors = section(section::kVectors);
  if (settings.store == Store::kFloat) {
    vectors.as<float>(view_.rows * stride);
  } else {
    vectors.as<std::uint16_t>(view_.rows * stride);
  }
  flat.vectors = {vectors.bytes().data(), settings.store, view_.rows, settings.dimension, stride};
  flat.norms = section(section::kNorms).as<float>(view_.rows);
  return flat;
}

FlatVectors SegmentReader::open_centroids() const {
  const VectorIndexSettings& settings = manifest_.settings;
  const std::size_t lists = settings.ivf.lists;
  const VectorIndexSettings as_rows{.metric = coarse_metric(settings.metric),
                                    .store = Store::kFloat,
                                    .dimension = settings.dimension};
  const std::span<const float> centroids =
      first_.section(section::kCentroids).as<float>(lists * row_stride(as_rows));
  return {as_rows.metric,
          {centroids.data(), Store::kFloat, lists, as_rows.dimension, row_stride(as_rows)},
          {},
          first_.section(section::kCentroidNorms).as<float>(lists)};
}

/// O(rows + lists).
void SegmentReader::open_lists(std::span<const std::uint32_t>& row_numbers,
                               std::span<const std::uint64_t>& begins) const {
  row_numbers = section(section::kRowNumbers).as<std::uint32_t>(view_.rows);
  for (const std::uint32_t row : row_numbers) {
    if (row >= view_.rows) damaged("the row numbers");
  }
  begins = section(section::kListBegins).as<std::uint64_t>(manifest_.settings.ivf.lists + 1);
  if (begins.front() != 0 || begins.back() != view_.rows ||
      !std::is_sorted(begins.begin(), begins.end())) {
    damaged("the lists");
  }
}

template <class Coding>
Lists<Coding> SegmentReader::open_list_codes() {
  Lists<Coding> opened;
  opened.vectors = open_vectors();
  opened.centroids = open_centroids();
  if constexpr (!HasCodes<Coding>) {
    open_lists(opened.vectors.row_numbers, opened.begins);
  } else {
    open_lists(opened.row_numbers, opened.begins);
    opened.metric = manifest_.settings.metric;
    opened.centre = opened.vectors.centre;
    opened.quantizer = CodingFormat<Coding>::open_quantizer(
        {sections_, first_, manifest_.settings, view_.rows, opened.vectors});
    group_begins_.push_back(0);
    for (std::size_t list = 0; list < opened.lists(); ++list) {
      group_begins_.push_back(group_begins_.back() +
                              groups_of(opened.begins[list + 1] - opened.begins[list]));
    }
    opened.group_begins = group_begins_;
    const CodeGroups layout{opened.quantizer.code_bytes()};
    opened.codes = section(section::kCodes)
                       .template as<std::uint8_t>(group_begins_.back() * layout.group_bytes());
    const std::size_t terms = has_terms<Coding>(manifest_.settings) ? view_.rows : 0;
    opened.terms = section(section::kTerms).template as<float>(terms);
    if constexpr (CodingFormat<Coding>::kHasFactors) {
      const bool has_factors = CodingFormat<Coding>::has_factors(opened.quantizer);
      opened.factors = section(section::kFactors).template as<float>(has_factors ? view_.rows : 0);
    }
  }
  return opened;
}

}  // namespace warpdex::vector
