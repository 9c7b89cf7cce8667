// Binary codes in the format: of all rows in their order, or of those in lists.
#pragma once

#include <string_view>
#include <vector>

#include "binary/lists/list_codes.hpp"
#include "binary/train.hpp"
#include "format/coding_format.hpp"

namespace warpdex::vector {

template <>
struct CodingFormat<BinaryCoding> {
  static constexpr std::string_view kAll = "xfbq";
  static constexpr std::string_view kLists = "ivf-xfbq";
  static constexpr bool kHasFactors = true;
  static constexpr bool kIsWrittenLast = false;
  static bool has_factors(const BinaryQuantizer& quantizer) { return quantizer.is_corrected; }

  static void check(VectorIndexSettings& settings);
  static void write(const VectorIndexSettings& settings, ManifestWriter& manifest);
  static void read(const ManifestObject& manifest, VectorIndexSettings& settings);
  static void set_rotated(VectorIndexSettings& settings) { settings.binary.is_rotated = true; }

  static BinaryQuantizer open_quantizer(const OpenedSections& sections);
  static void write_quantizer(const BinaryQuantizer& quantizer, const SectionFolder& folder,
                              std::vector<SectionInfo>& sections);
  /// The index's own centre is a section of its own.
  static BinaryQuantizer as_stored(const Lists<BinaryCoding>& lists) {
    BinaryQuantizer quantizer = lists.quantizer;
    if (!lists.centre.empty()) quantizer.centre = {};
    return quantizer;
  }

  static BinaryTraining train(const FlatVectors& rows, const IvfLists& lists,
                              const VectorIndexSettings& settings, BuildSteps& steps) {
    return train_binary_codes(rows, lists, settings.binary, steps);
  }
  /// Checks that the quantizer is finite and its scale above 0, and, where vectors were kept, that
  /// codes and terms are those of the vectors. O(rows * dimension), with a rotation
  /// O(rows * dimension^2).
  static void verify(const VectorSegment& segment, const Lists<BinaryCoding>& codes);
  static void verify(const VectorSegment& segment, const BinaryVectors& codes);
  static void decode(const BinaryQuantizer& quantizer, const std::vector<std::uint8_t>& code,
                     const float* factor, float* out);

  static BinaryVectors open_all(const OpenedSections& sections);
  /// The sections codes, factors, residuals and terms, and those of the quantizer.
  static void build_all(const SegmentJob& job);
  /// The first four.
  static void add_all(const SegmentJob& job, const BinaryVectors& trained);
};

}  // namespace warpdex::vector
