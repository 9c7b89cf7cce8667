// Writes the sections of an index of vectors.
#include "warpdex/vector/format/vector_index_writer.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "format/manifest.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

/// Rows whose mean becomes the centre. Any point is right, one amidst the vectors is fast.
constexpr std::size_t kCentreBytes = 16 << 20;

VectorIndexSettings checked(const VectorIndexSettings& settings) {
  if (settings.dimension == 0 || settings.dimension > kMaxDimension) {
    throw UsageError("vectors have from 1 to " + std::to_string(kMaxDimension) +
                     " components, not " + std::to_string(settings.dimension));
  }
  return settings;
}

[[noreturn]] void refuse_component(std::size_t row, std::size_t column, const std::string& what) {
  throw InputError("row " + std::to_string(row) + ", column " + std::to_string(column) +
                   " (counted from 0) " + what);
}

template <class T>
void append_all(SectionWriter& writer, std::span<const T> values) {
  writer.append({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
}

}  // namespace

struct VectorIndexWriter::State {
  State(const std::filesystem::path& target, const VectorIndexSettings& given)
      : settings(checked(given)),
        replacement(target),
        folder(replacement.subfolder(kSegmentFolder)) {}

  void write_first_rows();
  void write_row(std::span<const float> row);
  std::span<const float> stored_form(std::span<const float> row);
  void finish(SectionWriter& writer) { sections.push_back(writer.finish()); }
  void write_ids(const VectorIds& ids);

  VectorIndexSettings settings;
  ReplacementFolder replacement;
  std::filesystem::path folder;
  SectionWriter vectors{folder, section::kVectors};
  SectionWriter norms{folder, section::kNorms};
  std::size_t rows = 0;
  bool has_centre = false;       ///< so far the first rows are held back
  std::vector<float> held_back;  ///< the first rows
  std::vector<float> centre;     ///< for kL2
  std::vector<float> row_floats;
  std::vector<std::uint16_t> row_halves;
  std::vector<SectionInfo> sections;
};

VectorIndexWriter::VectorIndexWriter(const std::filesystem::path& target,
                                     const VectorIndexSettings& settings)
    : state_(std::make_unique<State>(target, settings)) {}
VectorIndexWriter::~VectorIndexWriter() = default;

std::size_t VectorIndexWriter::rows() const { return state_->rows; }

void VectorIndexWriter::add(std::span<const float> rows) {
  State& state = *state_;
  const std::size_t dimension = state.settings.dimension;
  if (rows.size() % dimension != 0) {
    throw UsageError("rows of " + std::to_string(dimension) + " components cannot be " +
                     std::to_string(rows.size()) + " numbers");
  }
  for (; !rows.empty(); rows = rows.subspan(dimension)) {
    const std::span<const float> row = rows.first(dimension);
    if (state.rows == kMaxRows) {
      throw InputError("an index holds at most " + std::to_string(kMaxRows) +
                       " vectors; split the collection");
    }
    for (std::size_t c = 0; c < dimension; ++c) {
      if (!std::isfinite(row[c])) refuse_component(state.rows, c, "is no finite number");
    }
    const std::span<const float> stored = state.stored_form(row);
    ++state.rows;
    if (state.has_centre) {
      state.write_row(stored);
      continue;
    }
    state.held_back.insert(state.held_back.end(), stored.begin(), stored.end());
    if (state.held_back.size() * sizeof(float) >= kCentreBytes) state.write_first_rows();
  }
}

/// The row as floats that have the values which are stored.
std::span<const float> VectorIndexWriter::State::stored_form(std::span<const float> row) {
  row_floats.assign(row.begin(), row.end());
  if (settings.metric == Metric::kCosine) normalize(row_floats);
  if (settings.store == Store::kFloat) return row_floats;
  row_halves.resize(row.size());
  to_half(row_floats, row_halves.data());
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (!is_finite_half(row_halves[c])) {
      refuse_component(rows, c, "is too large for a half (65504 at most); store floats");
    }
  }
  to_float(row_halves, row_floats.data());
  return row_floats;
}

void VectorIndexWriter::State::write_first_rows() {
  const std::size_t dimension = settings.dimension;
  const std::size_t count = held_back.size() / dimension;
  if (settings.metric == Metric::kL2 && count > 0) {
    std::vector<double> sums(dimension);
    for (std::size_t i = 0; i < held_back.size(); ++i) sums[i % dimension] += double{held_back[i]};
    for (const double sum : sums) {
      centre.push_back(static_cast<float>(sum / static_cast<double>(count)));
    }
  }
  has_centre = true;
  for (std::size_t i = 0; i < count; ++i) {
    write_row(std::span<const float>(held_back).subspan(i * dimension, dimension));
  }
  held_back = {};
}

void VectorIndexWriter::State::write_row(std::span<const float> row) {
  norms.append_value(row_norm(settings.metric, row, centre));
  const std::size_t padding = row_stride(settings) - row.size();
  if (settings.store == Store::kFloat) {
    append_all(vectors, row);
    for (std::size_t i = 0; i < padding; ++i) vectors.append_value(0.0F);
    return;
  }
  row_halves.resize(row.size());
  to_half(row, row_halves.data());
  append_all(vectors, std::span<const std::uint16_t>(row_halves));
  for (std::size_t i = 0; i < padding; ++i) vectors.append_value(std::uint16_t{0});
}

void VectorIndexWriter::State::write_ids(const VectorIds& ids) {
  if (ids.size() == 0) return;
  if (!ids.are_texts()) {
    SectionWriter numbers(folder, section::kIdNumbers);
    append_all(numbers, ids.numbers());
    finish(numbers);
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
  finish(offsets);
  finish(texts);
}

void VectorIndexWriter::commit(const VectorIds& ids) {
  State& state = *state_;
  if (ids.size() != 0 && ids.size() != state.rows) {
    throw InputError("there are " + std::to_string(ids.size()) + " ids for " +
                     std::to_string(state.rows) + " vectors; give as many");
  }
  if (!state.has_centre) state.write_first_rows();
  state.finish(state.vectors);
  state.finish(state.norms);
  SectionWriter centre(state.folder, section::kCentre);
  append_all(centre, std::span<const float>(state.centre));
  state.finish(centre);
  state.write_ids(ids);
  Manifest manifest;
  manifest.settings = state.settings;
  manifest.rows = state.rows;
  if (ids.size() != 0) manifest.ids = ids.are_texts() ? IdKind::kTexts : IdKind::kNumbers;
  manifest.segments.push_back({kSegmentFolder, state.sections});
  state.replacement.commit(manifest_to_json(manifest));
}

}  // namespace warpdex::vector
