// As a build writes a segment, with what the index was trained to.
#include "format/segments/added_segment.hpp"

#include <utility>

#include "format/manifest.hpp"
#include "format/row_writer.hpp"
#include "format/segments/segment_codes.hpp"

namespace warpdex::vector {
namespace {

std::span<const float> centre_of(const VectorIndex& index) {
  return flat_of(index.segments().front().vectors).centre;
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
  write_codes(progress);
  write_ids(ids, folder_, sections_);
  SegmentInfo info{segment_folder(number_), sections_};
  info.number = number_;
  return info;
}

void AddedSegment::write_codes(const BuildProgress& progress) {
  const VectorIndexSettings& settings = index_.settings();
  if (!settings.index.in_lists && !settings.index.has_codes()) return;
  const WrittenRows written(rows_folder_, sections_, settings, rows(), centre_of(index_));
  if (!stores_rows_in_order(settings)) sections_.clear();
  const BuildDevice on_cpu;
  BuildSteps steps(progress, on_cpu);
  add_codes({written, settings, folder_, steps, sections_}, index_.segments().front().vectors);
}

}  // namespace warpdex::vector
