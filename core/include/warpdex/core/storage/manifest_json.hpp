// The JSON of manifests: typed members out and in, and the table of segments. Internal.
#pragma once

#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest.hpp"

namespace warpdex {

/// Throws FormatError: the manifest is damaged, in that.
[[noreturn]] void damaged_manifest(const std::string& what);

/// 16 digits.
std::string to_hex(std::uint64_t value);

using ManifestWriter = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void write_member(ManifestWriter& writer, const char* key, const std::string& value);
void write_member(ManifestWriter& writer, const char* key, std::uint64_t value);
void write_member(ManifestWriter& writer, const char* key, double value);
void write_member(ManifestWriter& writer, const char* key, bool value);
/// The member "segments".
void write_segments(ManifestWriter& writer, const std::vector<SegmentInfo>& segments);
/// The members "commit", "next_segment" and "segments".
void write_segments(ManifestWriter& writer, const StoredSegments& stored);

/// Parses a manifest's text. Throws FormatError where it is not JSON.
rapidjson::Document parse_manifest(std::string_view text);

/// Typed access to a JSON object's members; a missing one or another type is damage.
class ManifestObject {
 public:
  /// `value` must outlive it.
  explicit ManifestObject(const rapidjson::Value& value);

  const rapidjson::Value& member(const char* key) const;
  bool has(const char* key) const { return value_.HasMember(key); }
  std::string string(const char* key) const;
  std::uint64_t number(const char* key) const;
  /// A finite number of 0 or more.
  double real(const char* key) const;
  bool boolean(const char* key) const;
  ManifestObject object(const char* key) const { return ManifestObject(member(key)); }
  /// Of all members, in their order.
  std::vector<std::string> names() const;
  /// The elements of the array at `key`, all of them objects.
  std::vector<ManifestObject> objects(const char* key) const;

 private:
  const rapidjson::Value& value_;
};

/// The member "kind" of manifests; an index of text has none.
inline constexpr std::string_view kTextKind = "";
inline constexpr std::string_view kVectorsKind = "vectors";
inline constexpr std::string_view kMetricKind = "metric";

/// The kind that a manifest says. Throws FormatError.
std::string kind_of(const ManifestObject& manifest);
/// What messages call an index of that kind: "an index of text".
std::string kind_in_words(std::string_view kind);

/// The versions of a kind's format that this program reads. It writes the newest, or the
/// oldest that has all that the index has.
struct FormatVersions {
  std::uint64_t oldest;
  std::uint64_t newest;
};

/// Of a kind; a VersionError where it is none of the above.
FormatVersions versions_of(std::string_view kind);

/// Writes the members that a manifest begins with: "format", "kind" if there is one, and "version".
void write_head(ManifestWriter& writer, std::string_view kind, std::uint64_t version);
/// With the newest version of the kind.
inline void write_head(ManifestWriter& writer, std::string_view kind) {
  write_head(writer, kind, versions_of(kind).newest);
}

/// Checks that a manifest is of this kind and of a version that this program reads. Throws
/// FormatError, which for an index of another kind says which help lists the commands for it, and
/// is a VersionError for another version: it ends with `advice`.
void check_kind(const ManifestObject& manifest, std::string_view kind,
                const std::string& advice = "build the index again");

/// Bytes of another version of their format, or of a kind that is not known: nothing is damaged.
class VersionError : public FormatError {
 public:
  using FormatError::FormatError;
};

/// Throws VersionError where `found` is not from `oldest` to `newest`: "WHAT of version 4 of its
/// format, and this program reads versions 2 to 3; use a newer Warpdex, or ADVICE", without the
/// newer Warpdex for an older version.
void check_version(const std::string& what, std::uint64_t found, std::uint64_t oldest,
                   std::uint64_t newest, const std::string& advice);

/// Whether the index at `folder` is of this kind. False where there is no manifest or a damaged
/// one.
bool is_of_kind(const std::filesystem::path& folder, std::string_view kind);

/// The member "segments" of a manifest. Throws FormatError.
std::vector<SegmentInfo> read_segments(const ManifestObject& manifest);
/// The three members of write_segments(); of a manifest without the first two, as its builder would
/// write them. Throws FormatError, also where two segments have one number.
StoredSegments read_stored_segments(const ManifestObject& manifest);

}  // namespace warpdex
