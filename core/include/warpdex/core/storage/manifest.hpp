// What the manifests of all stored indexes share: their name, how they start, the table of segments
// and sections, and the checksum at their end. docs/format.md, "Manifest".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

inline constexpr std::string_view kManifestName = "manifest.json";
/// What every manifest starts with, of any version.
inline constexpr std::string_view kManifestSignature = "{\n  \"format\": \"warpdex\",";

/// A folder of section files within the stored folder.
struct SegmentInfo {
  std::string folder;
  std::vector<SectionInfo> sections;
};

/// Adds the last member, a checksum of all before it, to a JSON object that is indented by 2.
std::string with_checksum(std::string json);

/// Throws FormatError unless the text ends with the right checksum.
void check_manifest_checksum(std::string_view text);

}  // namespace warpdex
