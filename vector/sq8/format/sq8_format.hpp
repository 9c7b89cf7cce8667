// Codes of a byte a component in the format.
#pragma once

#include <string_view>
#include <vector>

#include "format/coding_format.hpp"
#include "sq8/lists/list_codes.hpp"

namespace warpdex::vector {

template <>
struct CodingFormat<Sq8Coding> {
  static constexpr std::string_view kAll = "sq8";
  static constexpr std::string_view kLists = "ivf-sq8";
  static constexpr std::uint64_t kVersion = 3;
  static constexpr bool kAllAreOneList = true;
  static constexpr bool kHasFactors = false;
  static constexpr bool kIsWrittenLast = false;

  static void check(VectorIndexSettings& settings);
  static void write(const VectorIndexSettings& /*settings*/, ManifestWriter& /*manifest*/) {}
  static void read(const ManifestObject& /*manifest*/, VectorIndexSettings& /*settings*/) {}
  static void set_rotated(VectorIndexSettings& /*settings*/) {}

  static Sq8Quantizer open_quantizer(const OpenedSections& sections);
  static void write_quantizer(const Sq8Quantizer& quantizer, const SectionFolder& folder,
                              std::vector<SectionInfo>& sections);
  static Sq8Quantizer as_stored(const Lists<Sq8Coding>& lists) { return lists.quantizer; }

  static Sq8Training train(const FlatVectors& rows, const IvfLists& lists,
                           const VectorIndexSettings& settings, BuildSteps& steps) {
    return train_scales(rows, lists, settings.ivf.threads, steps);
  }
  /// Checks scales, that terms are those of codes, and, where vectors were kept, that codes are
  /// those of the vectors. O(rows * dimension).
  static void verify(const VectorSegment& segment, const Lists<Sq8Coding>& codes);
  static void decode(const Sq8Quantizer& quantizer, const std::vector<std::uint8_t>& code,
                     const float* factor, float* out);
};

}  // namespace warpdex::vector
