// Rows go into their final sections, or, where those lie in the order of lists or are not kept,
// first into scratch.
#include "warpdex/vector/format/vector_index_writer.hpp"

#include <optional>
#include <string>
#include <vector>

#include "binary/train.hpp"
#include "format/binary_layout.hpp"
#include "format/id_sections.hpp"
#include "format/ivf_binary_layout.hpp"
#include "format/ivf_layout.hpp"
#include "format/ivf_lists.hpp"
#include "format/ivf_pq_layout.hpp"
#include "format/manifest.hpp"
#include "format/row_writer.hpp"
#include "pq/list_codes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"

namespace warpdex::vector {
namespace {

VectorIndexSettings checked(const VectorIndexSettings& settings) {
  if (settings.dimension == 0 || settings.dimension > kMaxDimension) {
    throw UsageError("vectors have from 1 to " + std::to_string(kMaxDimension) +
                     " components, not " + std::to_string(settings.dimension));
  }
  check_codes(settings.dimension, settings.index == IndexKind::kIvfPq
                                      ? settings.pq
                                      : PqSettings{.bits = settings.pq.bits});
  if (has_binary_codes(settings.index)) check_binary(settings.binary);
  return settings;
}

}  // namespace

struct VectorIndexWriter::State {
  State(const std::filesystem::path& target, const VectorIndexSettings& given)
      : settings(checked(given)),
        replacement(target, kVectorsKind),
        folder(replacement.subfolder(segment_folder(0))) {
    if (settings.pq.bytes == 0) settings.pq.bytes = default_code_bytes(settings.dimension);
    rows.emplace(rows_folder(), settings);
  }

  /// Where rows are written: their final place, unless they are only needed until lists are made.
  const std::filesystem::path& rows_folder() const {
    return stores_rows_in_order(settings) ? folder : replacement.scratch();
  }
  void write_lists(const BuildProgress& progress, const BuildDevice& device);
  void write_binary_codes(const BuildProgress& progress, const BuildDevice& device);
  /// What was written of rows; of codes alone, only the centre stays.
  WrittenRows take_rows();

  VectorIndexSettings settings;
  ReplacementFolder replacement;
  std::filesystem::path folder;
  std::optional<RowWriter> rows;
  std::vector<SectionInfo> sections;
};

VectorIndexWriter::VectorIndexWriter(const std::filesystem::path& target,
                                     const VectorIndexSettings& settings)
    : state_(std::make_unique<State>(target, settings)) {}
VectorIndexWriter::~VectorIndexWriter() = default;

std::size_t VectorIndexWriter::rows() const { return state_->rows->rows(); }

void VectorIndexWriter::add(std::span<const float> rows) { state_->rows->add(rows); }

WrittenRows VectorIndexWriter::State::take_rows() {
  WrittenRows written(rows_folder(), sections, settings, rows->rows());
  if (has_codes(settings.index) && !settings.pq.keeps_vectors) {
    sections = {write_section(folder, section::kCentre, written.flat.centre)};
  }
  return written;
}

void VectorIndexWriter::State::write_binary_codes(const BuildProgress& progress,
                                                  const BuildDevice& device) {
  if (rows->rows() == 0) {
    throw UsageError("codes are trained on the vectors; give one or more, or build a flat index");
  }
  const WrittenRows written = take_rows();
  for (SectionInfo& info : write_binary(written.flat, settings, folder, progress, device)) {
    sections.push_back(std::move(info));
  }
}

void VectorIndexWriter::State::write_lists(const BuildProgress& progress,
                                           const BuildDevice& device) {
  settings.ivf = settled(settings.ivf, rows->rows());
  const WrittenRows written = take_rows();
  if (settings.index == IndexKind::kIvfFlat) {
    sections = write_ivf(written, settings, folder, progress, device);
    return;
  }
  const auto write = settings.index == IndexKind::kIvfPq ? write_ivf_pq : write_ivf_binary;
  for (SectionInfo& info : write(written, settings, folder, progress, device)) {
    sections.push_back(std::move(info));
  }
}

std::vector<std::string> VectorIndexWriter::commit(const VectorIds& ids,
                                                   const BuildProgress& progress,
                                                   const BuildDevice& device) {
  State& state = *state_;
  if (ids.are_given() && ids.size() != rows()) {
    throw InputError("there are " + std::to_string(ids.size()) + " ids for " +
                     std::to_string(rows()) + " vectors; give as many");
  }
  state.sections = state.rows->finish();
  if (has_lists(state.settings.index)) state.write_lists(progress, device);
  if (state.settings.index == IndexKind::kBinary) state.write_binary_codes(progress, device);
  write_ids(ids, state.folder, state.sections);
  Manifest manifest;
  manifest.settings = state.settings;
  manifest.rows = rows();
  if (ids.are_given()) manifest.ids = ids.are_texts() ? IdKind::kTexts : IdKind::kNumbers;
  manifest.stored.next_segment = 1;
  manifest.stored.segments.push_back({segment_folder(0), state.sections});
  manifest.rows_of.push_back({rows(), 0, rows()});
  return state.replacement.commit(manifest_to_json(manifest));
}

}  // namespace warpdex::vector
