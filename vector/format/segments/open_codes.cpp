// Lists are the same for all codings; their quantizers and codes are the codings' own.
#include "format/segments/open_codes.hpp"

#include <algorithm>

#include "format/segments/codings.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {
namespace {

FlatVectors open_centroids(const OpenedSections& sections) {
  const VectorIndexSettings& settings = sections.settings;
  const std::size_t lists = settings.ivf.lists;
  const VectorIndexSettings as_rows{.metric = coarse_metric(settings.metric),
                                    .store = Store::kFloat,
                                    .dimension = settings.dimension};
  return open_vectors(sections.first, as_rows, lists, {}, section::kCentroids,
                      section::kCentroidNorms);
}

/// Row numbers and where lists begin, which lie among the vectors of rows, or beside codes.
/// O(rows + lists).
void open_list_rows(const OpenedSections& sections, const std::string& name,
                    std::span<const std::uint32_t>& row_numbers,
                    std::span<const std::uint64_t>& begins) {
  row_numbers = sections.own.section(section::kRowNumbers).as<std::uint32_t>(sections.rows);
  for (const std::uint32_t row : row_numbers) {
    if (row >= sections.rows) damaged_segment("the row numbers", name);
  }
  begins =
      sections.own.section(section::kListBegins).as<std::uint64_t>(sections.settings.ivf.lists + 1);
  if (begins.front() != 0 || begins.back() != sections.rows ||
      !std::is_sorted(begins.begin(), begins.end())) {
    damaged_segment("the lists", name);
  }
}

template <class Coding>
void open_list_codes(const OpenedSections& sections, std::vector<std::uint64_t>& group_begins,
                     Lists<Coding>& opened) {
  const VectorIndexSettings& settings = sections.settings;
  opened.metric = settings.metric;
  opened.centre = opened.vectors.centre;
  opened.quantizer = CodingFormat<Coding>::open_quantizer(sections);
  group_begins.push_back(0);
  for (std::size_t list = 0; list < opened.lists(); ++list) {
    group_begins.push_back(group_begins.back() +
                           groups_of(opened.begins[list + 1] - opened.begins[list]));
  }
  opened.group_begins = group_begins;
  const CodeGroups layout{opened.quantizer.code_bytes()};
  opened.codes = sections.own.section(section::kCodes)
                     .as<std::uint8_t>(group_begins.back() * layout.group_bytes());
  const std::size_t terms = has_terms<Coding>(settings) ? sections.rows : 0;
  opened.terms = sections.own.section(section::kTerms).as<float>(terms);
  if constexpr (CodingFormat<Coding>::kHasFactors) {
    const bool has_factors = CodingFormat<Coding>::has_factors(opened.quantizer);
    opened.factors =
        sections.own.section(section::kFactors).as<float>(has_factors ? sections.rows : 0);
  }
}

}  // namespace

void damaged_segment(const char* what, const std::string& name) {
  throw FormatError(std::string(what) + " of '" + name +
                    "' are damaged; restore the index or build it again");
}

FlatVectors open_vectors(const SegmentView& segment, const VectorIndexSettings& settings,
                         std::size_t rows, std::span<const float> centre, std::string_view vectors,
                         std::string_view norms) {
  const std::size_t stride = row_stride(settings);
  const SectionView& components = segment.section(vectors);
  if (settings.store == Store::kFloat) {
    components.as<float>(rows * stride);
  } else {
    components.as<std::uint16_t>(rows * stride);
  }
  return {settings.metric,
          {components.bytes().data(), settings.store, rows, settings.dimension, stride},
          centre,
          segment.section(norms).as<float>(rows)};
}

OpenedCodes open_codes(const OpenedSections& sections, const std::string& name) {
  OpenedCodes opened;
  const VectorKind kind = sections.settings.index;
  with_coding(kind.coding, [&]<class Coding>(Coding) {
    if (stores_lists(kind)) {
      Lists<Coding> lists;
      lists.vectors = sections.vectors;
      lists.centroids = open_centroids(sections);
      if constexpr (HasCodes<Coding>) {
        open_list_rows(sections, name, lists.row_numbers, lists.begins);
        open_list_codes(sections, opened.group_begins, lists);
      } else {
        open_list_rows(sections, name, lists.vectors.row_numbers, lists.begins);
      }
      opened.vectors = lists;
    } else if constexpr (HasAllCodes<Coding>) {
      opened.vectors = CodingFormat<Coding>::open_all(sections);
    } else {
      opened.vectors = sections.vectors;
    }
  });
  return opened;
}

}  // namespace warpdex::vector
