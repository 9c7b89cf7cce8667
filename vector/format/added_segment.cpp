// As a build writes a segment, with what the index was trained to.
#include "format/added_segment.hpp"

#include <utility>

#include "format/binary_layout.hpp"
#include "format/id_sections.hpp"
#include "format/ivf_binary_layout.hpp"
#include "format/ivf_layout.hpp"
#include "format/ivf_lists.hpp"
#include "format/ivf_pq_layout.hpp"
#include "format/manifest.hpp"
#include "format/written_rows.hpp"
#include "lists/build/steps.hpp"

namespace warpdex::vector {
namespace {

std::span<const float> centre_of(const VectorIndex& index) {
  return flat_of(index.segments().front().vectors).centre;
}

Matrix<float> to_matrix(const VectorView& rows) {
  Matrix<float> matrix{rows.rows, rows.dimension, std::vector<float>(rows.rows * rows.dimension)};
  for (std::size_t i = 0; i < rows.rows; ++i) copy_row(rows, i, matrix.row(i).data());
  return matrix;
}

}  // namespace

AddedSegment::AddedSegment(const VectorIndex& index, ReplacementFolder& folder,
                           std::uint64_t number)
    : index_(index),
      number_(number),
      folder_(folder.subfolder(segment_folder(number))),
      rows_folder_(stores_rows_in_order(index.settings()) ? folder_ : folder.scratch()),
      rows_(rows_folder_, index.settings(), centre_of(index)) {}

SegmentInfo AddedSegment::finish(const VectorIds& ids, const BuildProgress& progress) {
  sections_ = rows_.finish();
  if (has_lists(index_.settings().index)) write_lists(progress);
  if (index_.settings().index == IndexKind::kBinary) write_binary_codes(progress);
  write_ids(ids, folder_, sections_);
  SegmentInfo info{segment_folder(number_), sections_};
  info.number = number_;
  return info;
}

void AddedSegment::write_binary_codes(const BuildProgress& progress) {
  const VectorIndexSettings& settings = index_.settings();
  const WrittenRows written(rows_folder_, sections_, settings, rows(), centre_of(index_));
  if (!stores_rows_in_order(settings)) sections_.clear();
  const BuildDevice on_cpu;
  BuildSteps steps(progress, on_cpu);
  write_row_codes(written.flat,
                  std::get<BinaryVectors>(index_.segments().front().vectors).quantizer, 0, folder_,
                  steps, sections_);
}

void AddedSegment::write_lists(const BuildProgress& progress) {
  const VectorIndexSettings& settings = index_.settings();
  const WrittenRows written(rows_folder_, sections_, settings, rows(), centre_of(index_));
  if (!stores_rows_in_order(settings)) sections_.clear();
  const SearchedVectors& first = index_.segments().front().vectors;
  const BuildDevice on_cpu;
  BuildSteps steps(progress, on_cpu);
  const IvfLists lists =
      assign_to_lists(written.flat, to_matrix(centroids_of(first).vectors), 0, steps);
  if (const auto* const codes = std::get_if<Lists<PqCoding>>(&first)) {
    write_codes(written.flat, lists, codes->quantizer, 0, folder_, steps, sections_);
  } else if (const auto* const bits = std::get_if<Lists<BinaryCoding>>(&first)) {
    write_list_codes(written.flat, lists, bits->quantizer, 0, folder_, steps, sections_);
  } else {
    write_in_lists(written, lists.members, folder_, progress, sections_);
  }
  write_members(lists.members, folder_, sections_);
}

}  // namespace warpdex::vector
