// Manifests' members to JSON and back.
#include "warpdex/core/storage/manifest_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <set>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/json_numbers.hpp"
#include "warpdex/core/storage/open_stored.hpp"

namespace warpdex {
namespace {

struct Kind {
  std::string_view name;
  const char* what;
  const char* help;  ///< the command line that lists its commands
  FormatVersions versions;
};
constexpr std::array<Kind, 3> kKinds{
    {{kTextKind, "an index of text", "warpdex --help", {2, 8}},
     {kVectorsKind, "an index of vectors", "warpdex vector --help", {1, 4}},
     {kMetricKind, "a permutation index", "warpdex metric --help", {1, 1}}}};

/// Bytes of an unknown kind in a message.
constexpr std::size_t kShownKind = 40;

const Kind& known_kind(std::string_view name) {
  for (const Kind& known : kKinds) {
    if (known.name == name) return known;
  }
  throw VersionError("the index's manifest.json says that it is of a kind that is not known, '" +
                     std::string(name.substr(0, kShownKind)) +
                     "'; use a newer Warpdex, or restore the file if it is damaged");
}

std::uint64_t from_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) damaged_manifest("a checksum");
  return value;
}

void write_sections(ManifestWriter& writer, const std::vector<SectionInfo>& sections) {
  writer.Key("sections");
  writer.StartArray();
  for (const SectionInfo& section : sections) {
    writer.StartObject();
    write_member(writer, "name", section.name);
    write_member(writer, "bytes", section.bytes);
    write_member(writer, "checksum", to_hex(section.checksum));
    writer.EndObject();
  }
  writer.EndArray();
}

void write_counts(ManifestWriter& writer, const NamedCounts& counts) {
  if (counts.empty()) return;
  writer.Key("counts");
  writer.StartObject();
  for (const auto& [name, value] : counts) write_member(writer, name.c_str(), value);
  writer.EndObject();
}

void write_segment(ManifestWriter& writer, const SegmentInfo& segment) {
  writer.StartObject();
  if (segment.number > 0) write_member(writer, "number", segment.number);
  write_member(writer, segment.is_packed ? "file" : "folder", segment.place);
  write_counts(writer, segment.counts);
  write_sections(writer, segment.sections);
  if (segment.removals) {
    writer.Key("removed");
    writer.StartObject();
    write_member(writer, "file", segment.removals->file);
    write_counts(writer, segment.removals->counts);
    write_sections(writer, segment.removals->sections);
    writer.EndObject();
  }
  writer.EndObject();
}

/// Names that a manifest gives must not lead out of the stored folder.
std::string read_name(const ManifestObject& object, const char* key) {
  std::string name = object.string(key);
  if (name.empty() || name == "." || name == ".." || name.find('/') != std::string::npos) {
    damaged_manifest(key);
  }
  return name;
}

std::vector<SectionInfo> read_sections(const ManifestObject& object) {
  std::vector<SectionInfo> sections;
  for (const ManifestObject& section : object.objects("sections")) {
    sections.push_back({read_name(section, "name"), section.number("bytes"),
                        from_hex(section.string("checksum"))});
  }
  return sections;
}

NamedCounts read_counts(const ManifestObject& object) {
  NamedCounts counts;
  if (!object.has("counts")) return counts;
  const ManifestObject members = object.object("counts");
  for (const std::string& name : members.names()) {
    counts.emplace_back(name, members.number(name.c_str()));
  }
  return counts;
}

SegmentInfo read_segment(const ManifestObject& segment) {
  SegmentInfo info;
  info.is_packed = segment.has("file");
  info.place = read_name(segment, info.is_packed ? "file" : "folder");
  info.sections = read_sections(segment);
  if (segment.has("number")) info.number = segment.number("number");
  info.counts = read_counts(segment);
  if (segment.has("removed")) {
    const ManifestObject removed = segment.object("removed");
    info.removals = {read_name(removed, "file"), read_sections(removed), read_counts(removed)};
  }
  return info;
}

}  // namespace

void damaged_manifest(const std::string& what) {
  throw FormatError("the index's manifest.json is damaged (" + what +
                    "); restore it or build the index again");
}

std::string to_hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

void write_member(ManifestWriter& writer, const char* key, const std::string& value) {
  writer.Key(key);
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void write_member(ManifestWriter& writer, const char* key, std::uint64_t value) {
  writer.Key(key);
  writer.Uint64(value);
}

void write_member(ManifestWriter& writer, const char* key, double value) {
  writer.Key(key);
  writer.Double(value);
}

void write_member(ManifestWriter& writer, const char* key, bool value) {
  writer.Key(key);
  writer.Bool(value);
}

void write_segments(ManifestWriter& writer, const std::vector<SegmentInfo>& segments) {
  writer.Key("segments");
  writer.StartArray();
  for (const SegmentInfo& segment : segments) write_segment(writer, segment);
  writer.EndArray();
}

void write_segments(ManifestWriter& writer, const StoredSegments& stored) {
  write_member(writer, "commit", stored.commit);
  write_member(writer, "next_segment", stored.next_segment);
  write_segments(writer, stored.segments);
}

rapidjson::Document parse_manifest(std::string_view text) {
  if (has_long_exponent(text)) damaged_manifest("a number");
  rapidjson::Document document;
  // Not by recursion: damage could nest deeper than the stack.
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(text.data(),
                                                                                      text.size());
  if (document.HasParseError()) damaged_manifest("not JSON");
  return document;
}

ManifestObject::ManifestObject(const rapidjson::Value& value) : value_(value) {
  if (!value.IsObject()) damaged_manifest("not an object");
}

const rapidjson::Value& ManifestObject::member(const char* key) const {
  const auto found = value_.FindMember(key);
  if (found == value_.MemberEnd()) damaged_manifest(std::string("no member '") + key + "'");
  return found->value;
}

std::string ManifestObject::string(const char* key) const {
  const rapidjson::Value& value = member(key);
  if (!value.IsString()) damaged_manifest(key);
  return {value.GetString(), value.GetStringLength()};
}

std::uint64_t ManifestObject::number(const char* key) const {
  const rapidjson::Value& value = member(key);
  if (!value.IsUint64()) damaged_manifest(key);
  return value.GetUint64();
}

double ManifestObject::real(const char* key) const {
  const rapidjson::Value& value = member(key);
  if (!value.IsNumber() || !std::isfinite(value.GetDouble()) || value.GetDouble() < 0) {
    damaged_manifest(key);
  }
  return value.GetDouble();
}

bool ManifestObject::boolean(const char* key) const {
  const rapidjson::Value& value = member(key);
  if (!value.IsBool()) damaged_manifest(key);
  return value.GetBool();
}

std::vector<std::string> ManifestObject::names() const {
  std::vector<std::string> names;
  for (const auto& member : value_.GetObject()) {
    names.emplace_back(member.name.GetString(), member.name.GetStringLength());
  }
  return names;
}

std::vector<ManifestObject> ManifestObject::objects(const char* key) const {
  const rapidjson::Value& value = member(key);
  if (!value.IsArray()) damaged_manifest(key);
  return {value.Begin(), value.End()};
}

std::string kind_of(const ManifestObject& manifest) {
  return manifest.has("kind") ? manifest.string("kind") : std::string(kTextKind);
}

std::string kind_in_words(std::string_view kind) {
  for (const Kind& known : kKinds) {
    if (known.name == kind) return known.what;
  }
  return "an index of a kind that is not known";
}

FormatVersions versions_of(std::string_view kind) { return known_kind(kind).versions; }

void write_head(ManifestWriter& writer, std::string_view kind, std::uint64_t version) {
  write_member(writer, "format", std::string("warpdex"));
  if (kind != kTextKind) write_member(writer, "kind", std::string(kind));
  write_member(writer, "version", version);
}

void check_kind(const ManifestObject& manifest, std::string_view kind, const std::string& advice) {
  if (manifest.string("format") != "warpdex") damaged_manifest("another format");
  const Kind& found = known_kind(kind_of(manifest));
  if (found.name != kind) {
    throw FormatError(std::string("this is ") + found.what + "; '" + found.help +
                      "' lists the commands for it");
  }
  check_version("the index's manifest.json is", manifest.number("version"), found.versions.oldest,
                found.versions.newest, advice);
}

void check_version(const std::string& what, std::uint64_t found, std::uint64_t oldest,
                   std::uint64_t newest, const std::string& advice) {
  if (found >= oldest && found <= newest) return;
  const std::string reads =
      oldest == newest ? "version " + std::to_string(newest)
                       : "versions " + std::to_string(oldest) + " to " + std::to_string(newest);
  throw VersionError(what + " of version " + std::to_string(found) +
                     " of its format, and this program reads " + reads + "; " +
                     (found > newest ? "use a newer Warpdex, or " : "") + advice);
}

bool is_of_kind(const std::filesystem::path& folder, std::string_view kind) try {
  const MappedFile manifest = map_manifest(find_stored(folder));
  const rapidjson::Document document = parse_manifest(
      {reinterpret_cast<const char*>(manifest.bytes().data()), manifest.bytes().size()});
  return kind_of(ManifestObject(document)) == kind;
} catch (const Error&) {
  return false;
}

std::vector<SegmentInfo> read_segments(const ManifestObject& manifest) {
  std::vector<SegmentInfo> segments;
  for (const ManifestObject& segment : manifest.objects("segments")) {
    segments.push_back(read_segment(segment));
  }
  return segments;
}

StoredSegments read_stored_segments(const ManifestObject& manifest) {
  StoredSegments stored;
  stored.segments = read_segments(manifest);
  if (manifest.has("commit")) stored.commit = manifest.number("commit");
  std::set<std::uint64_t> numbers;
  for (const SegmentInfo& segment : stored.segments) {
    if (!numbers.insert(segment.number).second) damaged_manifest("two segments of one number");
  }
  stored.next_segment = numbers.empty() ? 0 : *numbers.rbegin() + 1;
  if (manifest.has("next_segment")) {
    if (manifest.number("next_segment") < stored.next_segment) damaged_manifest("next_segment");
    stored.next_segment = manifest.number("next_segment");
  }
  return stored;
}

}  // namespace warpdex
