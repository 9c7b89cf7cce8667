// Rows go into their final sections, or, where those lie in the order of lists or are not kept,
// first into scratch.
#include "warpdex/vector/format/vector_index_writer.hpp"

#include <optional>
#include <string>
#include <vector>

#include "format/list_sections.hpp"
#include "format/manifest.hpp"
#include "format/row_writer.hpp"
#include "format/segments/codings.hpp"
#include "format/segments/segment_codes.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"

namespace warpdex::vector {
struct VectorIndexWriter::State {
  State(const std::filesystem::path& target, const VectorIndexSettings& given)
      : settings(checked_settings(given)),
        replacement(target, kVectorsKind),
        folder(replacement.subfolder(segment_folder(0))) {
    rows.emplace(rows_folder(), settings);
  }

  /// Where rows are written: their final place, unless they are only needed until lists are made.
  const std::filesystem::path& rows_folder() const {
    return stores_rows_in_order(settings) ? folder : replacement.scratch();
  }
  void write_codes(const BuildProgress& progress, const BuildDevice& device);

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

/// Of vectors that lie in lists, or are not kept, nothing of what was written in the order of rows
/// stays but the centre.
void VectorIndexWriter::State::write_codes(const BuildProgress& progress,
                                           const BuildDevice& device) {
  const VectorKind kind = settings.index;
  if (!kind.in_lists && !kind.has_codes()) return;
  if (stores_lists(kind)) {
    if (!kind.in_lists) settings.ivf.lists = 1;
    settings.ivf = settled(settings.ivf, rows->rows());
  }
  const WrittenRows written(rows_folder(), sections, settings, rows->rows());
  if (!stores_rows_in_order(settings)) sections.clear();
  if (kind.has_codes() && !settings.pq.keeps_vectors) {
    sections = {write_section(folder, section::kCentre, written.flat.centre)};
  }
  BuildSteps steps(progress, device);
  build_codes({written, settings, folder, steps, sections});
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
  state.write_codes(progress, device);
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
