// What the format asks of a coding. The folder of a coding has its own; codings.hpp has all.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "format/manifest.hpp"
#include "format/row_writer.hpp"
#include "lists/build/lists.hpp"
#include "lists/build/steps.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/section_file.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::vector {

/// A segment that is being written from its rows.
struct SegmentJob {
  const WrittenRows& rows;
  const VectorIndexSettings& settings;
  SectionFolder folder;
  BuildSteps& steps;
  std::vector<SectionInfo>& sections;
  /// Rows in their order, their norms and their centre are sections of the segment already.
  bool is_beside_rows = false;
};

/// A segment that is being opened. The first one of the index has what was trained.
struct OpenedSections {
  const SegmentView& own;
  const SegmentView& first;
  const VectorIndexSettings& settings;
  std::size_t rows;
  FlatVectors vectors;  ///< without data where they were not kept
};

/// The section rotation: nothing, or the rows of one.
inline std::span<const float> open_rotation(const OpenedSections& sections) {
  const SectionView& rotation = sections.first.section(section::kRotation);
  const std::size_t dimension = sections.settings.dimension;
  return rotation.as<float>(rotation.bytes().empty() ? 0 : dimension * dimension);
}

/// Whether the codes of an index have terms.
template <class Coding>
bool has_terms(const VectorIndexSettings& settings) {
  if (settings.metric == Metric::kL2) return true;
  return HasProductTerms<Coding> && settings.has_product_terms;
}

/// Has, for every coding:
/// - kAll, kLists: the names of the kinds without and with lists; kAll is empty where there must be
///   lists, and kWithoutLists says so;
/// - kAllAreOneList, if all vectors without lists are stored as one list, whose centroid is amidst
///   them; else, for codes without lists: open_all(sections), build_all(job), add_all(job,
///   trained), and verify() of them;
/// - kVersion, if an older version of the format lacks it; version(settings), if one lacks it with
///   some settings;
/// - check(settings): throws UsageError for settings out of range, and sets defaults;
/// - write(settings, manifest) and read(manifest, settings): what the manifest says of it;
/// - set_rotated(settings): the section of a rotation is not empty.
///
/// For codes in lists:
/// - kHasFactors: whether there is a section of factors; if so, has_factors(quantizer): whether it
///   has one of each vector;
/// - kIsWrittenLast: of a merged segment, whether the quantizer comes after the centroids;
/// - open_quantizer(sections) and write_quantizer(quantizer, folder, sections);
/// - as_stored(lists): their quantizer as write_quantizer() has it;
/// - train(rows, lists, settings, steps), which returns a Coding::Trained;
/// - verify(segment, lists): throws FormatError for what is damaged;
/// - decode(quantizer, code, factor, out): what a code stands for; `factor` is null where there are
///   none; the quantizer is that of the list, if it has of_list();
/// - length_ratio(lists, position), if the sum of the centroid and what a code stands for is
///   multiplied by something.
template <class Coding>
struct CodingFormat;

/// Whether there are codes without lists.
template <class Coding>
concept HasAllCodes = requires(const OpenedSections& sections) {
  CodingFormat<Coding>::open_all(sections);
};

}  // namespace warpdex::vector
