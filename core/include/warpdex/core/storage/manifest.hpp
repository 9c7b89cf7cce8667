// What the manifests of all stored indexes share: their name, how they start, the table of segments
// and sections, and the checksum at their end. docs/format.md, "Manifest".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

inline constexpr std::string_view kManifestName = "manifest.json";
/// What every manifest starts with, of any version.
inline constexpr std::string_view kManifestSignature = "{\n  \"format\": \"warpdex\",";

/// Whole numbers by their names, which the owner of a stored folder gives a meaning.
using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;

/// The count of that name, or 0.
std::uint64_t count_named(const NamedCounts& counts, std::string_view name);

/// The packed file that says which rows (documents, vectors) of a segment were removed, and what
/// else changed with them. Each change of it is a new file.
struct RemovalsInfo {
  std::string file;                   ///< removals_file()
  std::vector<SectionInfo> sections;  ///< the first one: kRemovedRows
  NamedCounts counts;                 ///< of what was removed
};

/// A segment: its sections are the files of a folder within the stored folder, or, of a small
/// segment, parts of one packed file.
struct SegmentInfo {
  std::string place;  ///< the name of the folder or file
  std::vector<SectionInfo> sections;
  bool is_packed = false;
  std::uint64_t number = 0;  ///< no other segment of the stored folder ever had it
  NamedCounts counts{};      ///< of what the segment holds
  std::optional<RemovalsInfo> removals{};
};

/// The segments of a stored folder that changes by commits.
struct StoredSegments {
  std::uint64_t commit = 0;        ///< how often it was changed since it was built
  std::uint64_t next_segment = 0;  ///< the number of the next new segment
  std::vector<SegmentInfo> segments;
};

/// "segment-N", a folder.
std::string segment_folder(std::uint64_t number);
/// "segment-N.packed".
std::string segment_file(std::uint64_t number);
/// "segment-N.removed-C", written by commit C.
std::string removals_file(std::uint64_t number, std::uint64_t commit);

/// The files of a segment, as paths within the stored folder.
std::vector<std::string> files_of(const SegmentInfo& segment);

/// Adds the last member, a checksum of all before it, to a JSON object that is indented by 2.
std::string with_checksum(std::string json);

/// Throws FormatError unless the text ends with the right checksum.
void check_manifest_checksum(std::string_view text);

}  // namespace warpdex
