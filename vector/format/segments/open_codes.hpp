// From sections of lists and codes to what searchers read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/coding_format.hpp"
#include "warpdex/vector/codings/searched_vectors.hpp"

namespace warpdex::vector {

struct OpenedCodes {
  SearchedVectors vectors;
  std::vector<std::uint64_t> group_begins;  ///< which `vectors` refer to
};

/// Numbers that searches rely on are checked. `sections.vectors` are whole vectors: in the order of
/// lists where these have no codes, else in the order of rows. `name`, of the segment, is for
/// messages. O(rows) for lists. Throws FormatError where sections are missing, of another size, or
/// damaged.
OpenedCodes open_codes(const OpenedSections& sections, const std::string& name);

/// Throws the FormatError that says so.
[[noreturn]] void damaged_segment(const char* what, const std::string& name);

/// Whole vectors whose sections have those names. Throws FormatError for other sizes.
FlatVectors open_vectors(const SegmentView& segment, const VectorIndexSettings& settings,
                         std::size_t rows, std::span<const float> centre, std::string_view vectors,
                         std::string_view norms);

}  // namespace warpdex::vector
