// Writes the sections of rows and of their ids. Numbers are written as they are, texts one after
// the other, with a table of where they begin.
#include "format/row_writer.hpp"

#include <cmath>
#include <string>

#include "format/manifest.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

/// Rows whose mean becomes the centre. Any point is right, one amidst the vectors is fast.
constexpr std::size_t kCentreBytes = 16 << 20;
/// Lists and codes take vectors of at most this length. Then squared distances are finite floats,
/// and no two vectors are further apart than k-means takes.

[[noreturn]] void refuse_component(std::size_t row, std::size_t column, const std::string& what) {
  throw InputError("row " + std::to_string(row) + ", column " + std::to_string(column) +
                   " (counted from 0) " + what);
}

}  // namespace

RowWriter::RowWriter(const std::filesystem::path& folder, const VectorIndexSettings& settings)
    : settings_(settings),
      folder_(folder),
      vectors_(folder, section::kVectors),
      norms_(folder, section::kNorms) {}

RowWriter::RowWriter(const std::filesystem::path& folder, const VectorIndexSettings& settings,
                     std::span<const float> centre)
    : RowWriter(folder, settings) {
  writes_centre_ = false;
  has_centre_ = true;
  centre_.assign(centre.begin(), centre.end());
}

RowWriter::RowWriter(SegmentFiles& files, const VectorIndexSettings& settings,
                     std::string_view prefix)
    : settings_(settings),
      vectors_(files, std::string(prefix).append(section::kVectors)),
      norms_(files, std::string(prefix).append(section::kNorms)) {
  centre_section_.emplace(files, std::string(prefix).append(section::kCentre));
}

void RowWriter::add(std::span<const float> rows) {
  const std::size_t dimension = settings_.dimension;
  if (rows.size() % dimension != 0) {
    throw UsageError("rows of " + std::to_string(dimension) + " components cannot be " +
                     std::to_string(rows.size()) + " numbers");
  }
  for (; !rows.empty(); rows = rows.subspan(dimension)) {
    const std::span<const float> row = rows.first(dimension);
    if (rows_ == kMaxRows) {
      throw InputError("an index holds at most " + std::to_string(kMaxRows) +
                       " vectors; split the collection");
    }
    for (std::size_t c = 0; c < dimension; ++c) {
      if (!std::isfinite(row[c])) refuse_component(rows_, c, "is no finite number");
    }
    const std::span<const float> stored = stored_form(row);
    if (settings_.index != VectorKind{}) check_length(stored);
    add_as_stored(stored);
  }
}

void RowWriter::check_length(std::span<const float> row) const {
  double squared = 0;
  for (const float component : row) squared += double{component} * double{component};
  if (squared <= kMaxTrainedLength * kMaxTrainedLength) return;
  throw InputError("row " + std::to_string(rows_) +
                   " (counted from 0) is longer than 1e17, which is the most that lists and codes "
                   "take; scale the vectors down, or build a flat index");
}

void RowWriter::add_as_stored(std::span<const float> row) {
  ++rows_;
  if (has_centre_) {
    write_row(row);
    return;
  }
  held_back_.insert(held_back_.end(), row.begin(), row.end());
  if (held_back_.size() * sizeof(float) >= kCentreBytes) write_first_rows();
}

/// The row as floats that have the values which are stored.
std::span<const float> RowWriter::stored_form(std::span<const float> row) {
  floats_.assign(row.begin(), row.end());
  if (settings_.metric == Metric::kCosine) normalize(floats_);
  if (settings_.store == Store::kFloat) return floats_;
  halves_.resize(row.size());
  to_half(floats_, halves_.data());
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (!is_finite_half(halves_[c])) {
      refuse_component(rows_, c, "is too large for a half (65504 at most); store floats");
    }
  }
  to_float(halves_, floats_.data());
  return floats_;
}

void RowWriter::write_first_rows() {
  const std::size_t dimension = settings_.dimension;
  const std::size_t count = held_back_.size() / dimension;
  if (settings_.metric == Metric::kL2 && count > 0) {
    std::vector<double> sums(dimension);
    for (std::size_t i = 0; i < held_back_.size(); ++i) {
      sums[i % dimension] += double{held_back_[i]};
    }
    for (const double sum : sums) {
      centre_.push_back(static_cast<float>(sum / static_cast<double>(count)));
    }
  }
  has_centre_ = true;
  for (std::size_t i = 0; i < count; ++i) {
    write_row(std::span<const float>(held_back_).subspan(i * dimension, dimension));
  }
  held_back_ = {};
}

void RowWriter::write_row(std::span<const float> row) {
  norms_.append_value(row_norm(settings_.metric, row, centre_));
  const std::size_t padding = row_stride(settings_) - row.size();
  if (settings_.store == Store::kFloat) {
    append_all(vectors_, row);
    for (std::size_t i = 0; i < padding; ++i) vectors_.append_value(0.0F);
    return;
  }
  halves_.resize(row.size());
  to_half(row, halves_.data());
  append_all(vectors_, std::span<const std::uint16_t>(halves_));
  for (std::size_t i = 0; i < padding; ++i) vectors_.append_value(std::uint16_t{0});
}

void RowWriter::write_rest() {
  if (!has_centre_) write_first_rows();
  append_all(*centre_section_, std::span<const float>(centre_));
}

std::vector<SectionInfo> RowWriter::finish() {
  if (!has_centre_) write_first_rows();
  std::vector<SectionInfo> sections;
  sections.push_back(vectors_.finish());
  sections.push_back(norms_.finish());
  if (!writes_centre_) return sections;
  SectionWriter centre(folder_, section::kCentre);
  append_all(centre, std::span<const float>(centre_));
  sections.push_back(centre.finish());
  return sections;
}

WrittenRows::WrittenRows(const std::filesystem::path& folder,
                         const std::vector<SectionInfo>& sections,
                         const VectorIndexSettings& settings, std::size_t count,
                         std::span<const float> centre) {
  const std::optional<Folder> files = Folder::find(folder);
  vectors_section = SectionView(*files, sections[0]);
  norms_section = SectionView(*files, sections[1]);
  flat.metric = settings.metric;
  flat.vectors = {vectors_section.bytes().data(), settings.store, count, settings.dimension,
                  row_stride(settings)};
  flat.norms = norms_section.as<float>(count);
  flat.centre = centre;
  if (sections.size() < 3) return;
  centre_section = SectionView(*files, sections[2]);
  flat.centre = centre_section.as<float>(centre_section.bytes().size() / sizeof(float));
}

void write_ids(const VectorIds& ids, const std::filesystem::path& folder,
               std::vector<SectionInfo>& sections) {
  if (!ids.are_given()) return;
  if (!ids.are_texts()) {
    SectionWriter numbers(folder, section::kIdNumbers);
    append_all(numbers, ids.numbers());
    sections.push_back(numbers.finish());
    return;
  }
  SectionWriter offsets(folder, section::kIdOffsets);
  SectionWriter texts(folder, section::kIdTexts);
  offsets.append_value(texts.size());
  for (std::uint64_t row = 0; row < ids.size(); ++row) {
    const std::string_view text = ids.text(row);
    texts.append({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    offsets.append_value(texts.size());
  }
  sections.push_back(offsets.finish());
  sections.push_back(texts.finish());
}

}  // namespace warpdex::vector
