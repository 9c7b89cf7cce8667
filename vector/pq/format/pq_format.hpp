// Product codes in the format.
#pragma once

#include <string_view>
#include <vector>

#include "format/coding_format.hpp"
#include "pq/lists/list_codes.hpp"

namespace warpdex::vector {

template <>
struct CodingFormat<PqCoding> {
  static constexpr std::string_view kAll = "";
  static constexpr const char* kWithoutLists =
      "codes of a product quantizer need lists; set lists, to kAutoLists say";
  static constexpr std::string_view kLists = "ivf-pq";
  static constexpr bool kHasFactors = false;
  static constexpr bool kIsWrittenLast = true;
  /// Of the format, which has rotations to fewer components.
  static constexpr std::uint64_t kFewerComponentsVersion = 4;

  static void check(VectorIndexSettings& settings);
  static void write(const VectorIndexSettings& settings, ManifestWriter& manifest);
  static void read(const ManifestObject& manifest, VectorIndexSettings& settings);
  static std::uint64_t version(const VectorIndexSettings& settings) {
    return settings.pq.rotated_dimension == 0 ? 0 : kFewerComponentsVersion;
  }
  static void set_rotated(VectorIndexSettings& settings) { settings.pq.is_rotated = true; }

  static ProductQuantizer open_quantizer(const OpenedSections& sections);
  static void write_quantizer(const ProductQuantizer& quantizer, const SectionFolder& folder,
                              std::vector<SectionInfo>& sections);
  static ProductQuantizer as_stored(const Lists<PqCoding>& lists) { return lists.quantizer; }

  static TrainedCodes train(const FlatVectors& rows, const IvfLists& lists,
                            const VectorIndexSettings& settings, BuildSteps& steps) {
    return train_codes(rows, lists, settings.ivf, settings.pq, steps);
  }
  /// Checks that codebooks are finite, that terms are those of the codes, and, where vectors were
  /// kept, that codes are those of the vectors. O(rows * dimension * codewords).
  static void verify(const VectorSegment& segment, const Lists<PqCoding>& codes);
  static void decode(const ProductQuantizer& quantizer, const std::vector<std::uint8_t>& code,
                     const float* factor, float* out);
  /// By which a centroid and what a code stands for are multiplied.
  static float length_ratio(const Lists<PqCoding>& lists, std::size_t position) {
    const bool has_ratios = lists.metric != Metric::kL2 && !lists.terms.empty();
    return has_ratios ? lists.terms[position] : 1;
  }
};

}  // namespace warpdex::vector
