// Sections to views of vectors, lists and codes. Numbers that searches rely on are checked here.
#include "format/segment_reader.hpp"

#include <algorithm>

#include "pq/code_groups.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"

namespace warpdex::vector {

SegmentReader::SegmentReader(const Folder& folder, const Manifest& manifest, std::size_t number,
                             const TrainedSections* trained)
    : manifest_(manifest), sections_(folder, manifest.stored.segments[number]) {
  const SegmentRows& rows = manifest.rows_of[number];
  view_.name = manifest.stored.segments[number].place;
  view_.rows = rows.rows;
  view_.first_row = rows.first_row;
  view_.row_span = rows.row_span;
  if (trained == nullptr) {
    open_trained();
  } else {
    trained_ = *trained;
  }
  open_removed();
  open_kept_rows();
  open_ids();
  const FlatVectors vectors = open_vectors();
  if (manifest.settings.index == IndexKind::kFlat) {
    view_.vectors = vectors;
    return;
  }
  if (manifest.settings.index == IndexKind::kBinary) {
    view_.vectors = open_binary_codes(vectors);
    return;
  }
  const Lists<RowCoding> lists = open_lists(vectors);
  if (manifest.settings.index == IndexKind::kIvfFlat) {
    view_.vectors = lists;
  } else if (manifest.settings.index == IndexKind::kIvfPq) {
    view_.vectors = open_codes(vectors, lists);
  } else {
    view_.vectors = open_list_codes(vectors, lists);
  }
}

void SegmentReader::damaged(const char* what) const {
  throw FormatError(std::string(what) + " of '" + view_.name +
                    "' are damaged; restore the index or build it again");
}

void SegmentReader::open_trained() {
  const VectorIndexSettings& settings = manifest_.settings;
  const SectionView& centre = section(section::kCentre);
  trained_.centre = centre.as<float>(centre.bytes().empty() ? 0 : settings.dimension);
  if (has_lists(settings.index)) open_trained_lists();
  if (has_binary_codes(settings.index)) open_binary_quantizer();
}

std::span<const float> SegmentReader::open_rotation() const {
  const SectionView& rotation = section(section::kRotation);
  const std::size_t dimension = manifest_.settings.dimension;
  return rotation.as<float>(rotation.bytes().empty() ? 0 : dimension * dimension);
}

void SegmentReader::open_binary_quantizer() {
  const VectorIndexSettings& settings = manifest_.settings;
  trained_.binary_quantizer = {settings.dimension,
                               settings.binary.bits,
                               section(section::kCodeScale).as<float>(1).front(),
                               settings.binary.is_corrected,
                               {},
                               open_rotation()};
  // Queries are compared with residuals once the index's own centre is taken from them.
  if (settings.index == IndexKind::kBinary) {
    trained_.binary_quantizer.centre = section(section::kCodeCentre).as<float>(settings.dimension);
  } else if (settings.metric == Metric::kL2) {
    trained_.binary_quantizer.centre = trained_.centre;
  }
}

void SegmentReader::open_trained_lists() {
  const VectorIndexSettings& settings = manifest_.settings;
  const std::size_t lists = settings.ivf.lists;
  const VectorIndexSettings as_rows{.metric = coarse_metric(settings.metric),
                                    .store = Store::kFloat,
                                    .dimension = settings.dimension};
  const std::span<const float> centroids =
      section(section::kCentroids).as<float>(lists * row_stride(as_rows));
  trained_.centroids = {
      as_rows.metric,
      {centroids.data(), Store::kFloat, lists, as_rows.dimension, row_stride(as_rows)},
      {},
      section(section::kCentroidNorms).as<float>(lists)};
  if (settings.index != IndexKind::kIvfPq) return;
  trained_.quantizer = {settings.dimension, settings.pq.bytes, settings.pq.bits};
  trained_.quantizer.codebooks =
      section(section::kCodebooks).as<float>(settings.dimension * trained_.quantizer.codewords());
  trained_.quantizer.rotation = open_rotation();
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
  flat.centre = trained_.centre;
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

/// O(rows + lists).
Lists<RowCoding> SegmentReader::open_lists(const FlatVectors& vectors) const {
  Lists<RowCoding> ivf;
  ivf.vectors = vectors;
  ivf.vectors.row_numbers = section(section::kRowNumbers).as<std::uint32_t>(view_.rows);
  for (const std::uint32_t row : ivf.vectors.row_numbers) {
    if (row >= view_.rows) damaged("the row numbers");
  }
  ivf.begins = section(section::kListBegins).as<std::uint64_t>(manifest_.settings.ivf.lists + 1);
  if (ivf.begins.front() != 0 || ivf.begins.back() != view_.rows ||
      !std::is_sorted(ivf.begins.begin(), ivf.begins.end())) {
    damaged("the lists");
  }
  ivf.centroids = trained_.centroids;
  return ivf;
}

BinaryVectors SegmentReader::open_binary_codes(const FlatVectors& vectors) const {
  BinaryVectors codes;
  codes.metric = manifest_.settings.metric;
  codes.quantizer = trained_.binary_quantizer;
  codes.rows = view_.rows;
  const CodeGroups layout{codes.quantizer.code_bytes()};
  codes.codes =
      section(section::kCodes).as<std::uint8_t>(groups_of(view_.rows) * layout.group_bytes());
  codes.terms = section(section::kTerms).as<float>(codes.metric == Metric::kL2 ? view_.rows : 0);
  const std::size_t corrections = codes.quantizer.is_corrected ? view_.rows : 0;
  codes.factors = section(section::kFactors).as<float>(corrections);
  codes.residuals = section(section::kResiduals).as<float>(corrections);
  codes.vectors = vectors;
  return codes;
}

void SegmentReader::open_code_lists(const FlatVectors& vectors, const Lists<RowCoding>& lists,
                                    std::size_t code_bytes, CodeLists& codes) {
  group_begins_.push_back(0);
  for (std::size_t list = 0; list < lists.lists(); ++list) {
    group_begins_.push_back(group_begins_.back() +
                            groups_of(lists.begins[list + 1] - lists.begins[list]));
  }
  const std::size_t bytes = group_begins_.back() * CodeGroups{code_bytes}.group_bytes();
  codes.metric = manifest_.settings.metric;
  codes.codes = section(section::kCodes).as<std::uint8_t>(bytes);
  codes.terms = section(section::kTerms).as<float>(codes.metric == Metric::kL2 ? view_.rows : 0);
  codes.row_numbers = lists.vectors.row_numbers;
  codes.begins = lists.begins;
  codes.group_begins = group_begins_;
  codes.centroids = trained_.centroids;
  codes.vectors = vectors;
}

Lists<BinaryCoding> SegmentReader::open_list_codes(const FlatVectors& vectors,
                                                   const Lists<RowCoding>& lists) {
  Lists<BinaryCoding> codes;
  codes.quantizer = trained_.binary_quantizer;
  open_code_lists(vectors, lists, codes.quantizer.code_bytes(), codes);
  codes.factors =
      section(section::kFactors).as<float>(codes.quantizer.is_corrected ? view_.rows : 0);
  return codes;
}

Lists<PqCoding> SegmentReader::open_codes(const FlatVectors& vectors,
                                          const Lists<RowCoding>& lists) {
  Lists<PqCoding> codes;
  codes.quantizer = trained_.quantizer;
  codes.centre = trained_.centre;
  open_code_lists(vectors, lists, codes.quantizer.bytes, codes);
  return codes;
}

}  // namespace warpdex::vector
