// Writes, opens and checks the vectors of a segment that holds other data too.
#include "warpdex/vector/format/row_sections.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "format/manifest.hpp"
#include "format/row_writer.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex::vector {
namespace {

VectorIndexSettings checked_rows(const RowSettings& settings) {
  if (settings.dimension < 1 || settings.dimension > kMaxDimension) {
    throw UsageError("vectors have 1 to " + std::to_string(kMaxDimension) + " components, not " +
                     std::to_string(settings.dimension));
  }
  return index_settings(settings);
}

}  // namespace

struct RowSections::State {
  RowWriter writer;
  std::vector<float> row;  ///< that is copied
};

RowSections::RowSections(SegmentFiles& files, const RowSettings& settings, std::string_view prefix)
    : state_(new State{RowWriter(files, checked_rows(settings), prefix),
                       std::vector<float>(settings.dimension)}) {}
RowSections::~RowSections() = default;

void RowSections::add(std::span<const float> row) {
  if (row.size() != state_->row.size()) {
    throw UsageError("a vector has " + std::to_string(row.size()) +
                     " components, and the index takes " + std::to_string(state_->row.size()));
  }
  state_->writer.add(row);
}

void RowSections::copy(const VectorView& from, std::size_t row) {
  copy_row(from, row, state_->row.data());
  state_->writer.add_as_stored(state_->row);
}

void RowSections::finish() { state_->writer.write_rest(); }
std::size_t RowSections::rows() const { return state_->writer.rows(); }
std::uint64_t RowSections::memory() const { return state_->writer.memory(); }

FlatVectors open_row_sections(const SegmentView& segment, const RowSettings& settings,
                              std::size_t rows) {
  const std::size_t stride = row_stride(checked_rows(settings));
  const SectionView& vectors = segment.section(section::kVectors);
  if (settings.store == Store::kFloat) {
    vectors.as<float>(rows * stride);
  } else {
    vectors.as<std::uint16_t>(rows * stride);
  }
  const SectionView& centre = segment.section(section::kCentre);
  return {settings.metric,
          {vectors.bytes().data(), settings.store, rows, settings.dimension, stride},
          centre.as<float>(centre.bytes().empty() ? 0 : settings.dimension),
          segment.section(section::kNorms).as<float>(rows)};
}

void check_row_sections(const FlatVectors& flat) {
  const auto is_finite = [](float value) { return std::isfinite(value); };
  if (!std::all_of(flat.centre.begin(), flat.centre.end(), is_finite)) {
    throw FormatError("the centre of the vectors is not finite");
  }
  std::vector<float> row(flat.vectors.dimension);
  for (std::size_t i = 0; i < flat.vectors.rows; ++i) {
    copy_row(flat.vectors, i, row.data());
    if (!std::all_of(row.begin(), row.end(), is_finite) ||
        flat.norms[i] != row_norm(flat.metric, row, flat.centre)) {
      throw FormatError("the vector of document " + std::to_string(i) +
                        " is not finite or not of its norm");
    }
  }
}

}  // namespace warpdex::vector
