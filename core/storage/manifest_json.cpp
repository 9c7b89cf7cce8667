// Manifests' members to JSON and back.
#include "warpdex/core/storage/manifest_json.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/open_stored.hpp"

namespace warpdex {
namespace {

struct Kind {
  std::string_view name;  ///< empty: no member "kind"
  const char* what;
  const char* command;  ///< that searches it
};
constexpr std::array<Kind, 3> kKinds{
    {{"", "an index of text", "warpdex search"},
     {kVectorsKind, "an index of vectors", "warpdex vector search"},
     {kMetricKind, "a permutation index", "warpdex metric search"}}};

std::string kind_of(const ManifestObject& manifest) {
  return manifest.has("kind") ? manifest.string("kind") : "";
}

std::uint64_t from_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) damaged_manifest("a checksum");
  return value;
}

void write_segment(ManifestWriter& writer, const SegmentInfo& segment) {
  writer.StartObject();
  write_member(writer, "folder", segment.folder);
  writer.Key("sections");
  writer.StartArray();
  for (const SectionInfo& section : segment.sections) {
    writer.StartObject();
    write_member(writer, "name", section.name);
    write_member(writer, "bytes", section.bytes);
    write_member(writer, "checksum", to_hex(section.checksum));
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
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

rapidjson::Document parse_manifest(std::string_view text) {
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

std::vector<ManifestObject> ManifestObject::objects(const char* key) const {
  const rapidjson::Value& value = member(key);
  if (!value.IsArray()) damaged_manifest(key);
  return {value.Begin(), value.End()};
}

void check_kind(const ManifestObject& manifest, std::string_view kind, std::uint64_t version,
                std::uint64_t oldest) {
  if (manifest.string("format") != "warpdex") damaged_manifest("another format");
  if (const std::string found = kind_of(manifest); found != kind) {
    for (const Kind& other : kKinds) {
      if (other.name != found) continue;
      throw FormatError(std::string("this is ") + other.what + "; '" + other.command +
                        "' searches it");
    }
    damaged_manifest("a kind of index that is not known");
  }
  if (const std::uint64_t found = manifest.number("version");
      found > version || found < (oldest == 0 ? version : oldest)) {
    throw FormatError("the index's manifest.json says format version " + std::to_string(found) +
                      ", this program reads version " + std::to_string(version) +
                      "; build the index again");
  }
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
    SegmentInfo info{segment.string("folder"), {}};
    for (const ManifestObject& section : segment.objects("sections")) {
      info.sections.push_back(
          {section.string("name"), section.number("bytes"), from_hex(section.string("checksum"))});
    }
    segments.push_back(std::move(info));
  }
  return segments;
}

}  // namespace warpdex
