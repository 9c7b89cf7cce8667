// The manifest of a permutation index, and the names of its sections.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/vector/metric/objects.hpp"

namespace warpdex::metric {

namespace section {
inline constexpr std::string_view kPermutants = "permutants";
inline constexpr std::string_view kPermutations = "permutations";
inline constexpr std::string_view kTextOffsets = "text_offsets";
inline constexpr std::string_view kTexts = "texts";
inline constexpr std::string_view kSetBegins = "set_begins";
inline constexpr std::string_view kSetWords = "set_words";
inline constexpr std::string_view kWordOffsets = "word_offsets";
inline constexpr std::string_view kWords = "words";
inline constexpr std::string_view kVectors = "vectors";
}  // namespace section

inline constexpr const char* kSegmentFolder = "segment-0";

struct Manifest {
  ObjectSettings settings;
  std::uint64_t objects = 0;
  std::uint64_t permutants = 0;
  std::uint64_t words = 0;  ///< of kJaccard: distinct ones
  std::vector<SegmentInfo> segments;
};

std::string manifest_to_json(const Manifest& manifest);

/// Throws FormatError for what is damaged, of another version, or another kind of index.
Manifest manifest_from_json(std::string_view text);

}  // namespace warpdex::metric
