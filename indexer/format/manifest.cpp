// The manifest to JSON and back, with its checksum.
#include "warpdex/indexer/format/manifest.hpp"

#include <rapidjson/document.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::string_view kChecksumKey = ",\n  \"checksum\": \"";
constexpr std::string_view kChecksumEnd = "\"\n}\n";

[[noreturn]] void damaged(const std::string& what) {
  throw FormatError("the index's manifest.json is damaged (" + what +
                    "); restore it or build the index again");
}

std::string to_hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

std::uint64_t from_hex(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) damaged("a checksum");
  return value;
}

std::uint64_t checksum_of(std::string_view text) {
  return checksum({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

using Writer = rapidjson::PrettyWriter<rapidjson::StringBuffer>;

void write(Writer& writer, const char* key, const std::string& value) {
  writer.Key(key);
  writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void write(Writer& writer, const char* key, std::uint64_t value) {
  writer.Key(key);
  writer.Uint64(value);
}

void write(Writer& writer, const char* key, double value) {
  writer.Key(key);
  writer.Double(value);
}

void write_impacts(Writer& writer, const std::optional<ImpactSettings>& impacts) {
  writer.Key("impacts");
  if (!impacts) {
    writer.Null();
    return;
  }
  writer.StartObject();
  write(writer, "k1", impacts->k1);
  write(writer, "b", impacts->b);
  write(writer, "largest", impacts->largest);
  writer.EndObject();
}

void write_segment(Writer& writer, const SegmentInfo& segment) {
  writer.StartObject();
  write(writer, "folder", segment.folder);
  writer.Key("sections");
  writer.StartArray();
  for (const SectionInfo& section : segment.sections) {
    writer.StartObject();
    write(writer, "name", section.name);
    write(writer, "bytes", section.bytes);
    write(writer, "checksum", to_hex(section.checksum));
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

/// Typed access to a JSON object's members; a missing one or another type is damage.
class Reader {
 public:
  explicit Reader(const rapidjson::Value& value) : value_(value) {
    if (!value.IsObject()) damaged("not an object");
  }
  const rapidjson::Value& member(const char* key) const {
    const auto found = value_.FindMember(key);
    if (found == value_.MemberEnd()) damaged(std::string("no member '") + key + "'");
    return found->value;
  }
  bool has(const char* key) const { return value_.HasMember(key); }
  std::string string(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsString()) damaged(key);
    return {value.GetString(), value.GetStringLength()};
  }
  std::uint64_t number(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsUint64()) damaged(key);
    return value.GetUint64();
  }
  /// A finite number of 0 or more.
  double real(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsNumber() || !std::isfinite(value.GetDouble()) || value.GetDouble() < 0) {
      damaged(key);
    }
    return value.GetDouble();
  }
  bool boolean(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsBool()) damaged(key);
    return value.GetBool();
  }
  Reader object(const char* key) const { return Reader(member(key)); }
  auto array(const char* key) const {
    const rapidjson::Value& value = member(key);
    if (!value.IsArray()) damaged(key);
    return value.GetArray();
  }

 private:
  const rapidjson::Value& value_;
};

/// The text without its last member, after that member's checksum proved right.
void check_checksum(std::string_view text) {
  const std::size_t key = text.rfind(kChecksumKey);
  if (key == std::string_view::npos || !text.ends_with(kChecksumEnd)) damaged("no checksum");
  const std::string_view hex = text.substr(
      key + kChecksumKey.size(), text.size() - key - kChecksumKey.size() - kChecksumEnd.size());
  if (hex != to_hex(checksum_of(text.substr(0, key)))) damaged("its checksum does not match");
}

CodecKind read_codec_kind(const Reader& codec) try {
  return codec_from_name(codec.string("name"));
} catch (const UsageError&) {
  damaged("a codec that this program does not know");
}

std::optional<ImpactSettings> read_impacts(const Reader& reader) {
  if (reader.member("impacts").IsNull()) return std::nullopt;
  const Reader impacts = reader.object("impacts");
  return ImpactSettings{impacts.real("k1"), impacts.real("b"), impacts.real("largest")};
}

SegmentInfo read_segment(const Reader& reader) {
  SegmentInfo segment{reader.string("folder"), {}};
  for (const auto& value : reader.array("sections")) {
    const Reader section(value);
    segment.sections.push_back(
        {section.string("name"), section.number("bytes"), from_hex(section.string("checksum"))});
  }
  return segment;
}

}  // namespace

std::string manifest_to_json(const Manifest& manifest) {
  rapidjson::StringBuffer buffer;
  Writer writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write(writer, "format", std::string("warpdex"));
  write(writer, "version", std::uint64_t{kFormatVersion});
  writer.Key("codec");
  writer.StartObject();
  write(writer, "name", std::string(codec_name(manifest.settings.codec.kind)));
  write(writer, "pfor_levels", std::uint64_t{manifest.settings.codec.pfor_levels});
  write(writer, "block_size", std::uint64_t{kBlockSize});
  if (!manifest.settings.codec.bit_sets) {
    writer.Key("bit_sets");
    writer.Bool(false);
  }
  writer.EndObject();
  write(writer, "analyzer", manifest.settings.analyzer);
  write(writer, "fields", manifest.settings.fields);
  writer.Key("static_scores");
  writer.Bool(manifest.settings.has_static_scores);
  write_impacts(writer, manifest.settings.impacts);
  writer.Key("counts");
  writer.StartObject();
  write(writer, "documents", manifest.counts.documents);
  write(writer, "tokens", manifest.counts.tokens);
  write(writer, "terms", manifest.counts.terms);
  write(writer, "postings", manifest.counts.postings);
  write(writer, "blocks", manifest.counts.blocks);
  write(writer, "term_text_bytes", manifest.counts.term_text_bytes);
  writer.EndObject();
  writer.Key("segments");
  writer.StartArray();
  for (const SegmentInfo& segment : manifest.segments) write_segment(writer, segment);
  writer.EndArray();
  writer.EndObject();

  std::string text(buffer.GetString(), buffer.GetSize());
  text.resize(text.size() - 2);  // the closing "\n}" returns after the checksum
  const std::string hex = to_hex(checksum_of(text));
  return text.append(kChecksumKey).append(hex).append(kChecksumEnd);
}

Manifest manifest_from_json(std::string_view text) {
  rapidjson::Document document;
  // Not by recursion: damage could nest deeper than the stack.
  document.Parse<rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag>(text.data(),
                                                                                      text.size());
  if (document.HasParseError()) damaged("not JSON");
  const Reader reader(document);
  if (reader.string("format") != "warpdex") damaged("another format");
  if (const std::uint64_t version = reader.number("version"); version != kFormatVersion) {
    throw FormatError("the index's manifest.json says format version " + std::to_string(version) +
                      ", this program reads version " + std::to_string(kFormatVersion) +
                      "; build the index again");
  }
  check_checksum(text);
  Manifest manifest;
  const Reader codec = reader.object("codec");
  manifest.settings.codec.kind = read_codec_kind(codec);
  const std::uint64_t levels = codec.number("pfor_levels");
  if (levels > kMaxPforLevels) damaged("pfor_levels");
  manifest.settings.codec.pfor_levels = static_cast<std::uint8_t>(levels);
  if (codec.number("block_size") != kBlockSize) damaged("block_size");
  if (codec.has("bit_sets")) manifest.settings.codec.bit_sets = codec.boolean("bit_sets");
  manifest.settings.analyzer = reader.string("analyzer");
  manifest.settings.fields = reader.string("fields");
  manifest.settings.has_static_scores = reader.boolean("static_scores");
  manifest.settings.impacts = read_impacts(reader);
  const Reader counts = reader.object("counts");
  manifest.counts = {counts.number("documents"), counts.number("tokens"),
                     counts.number("terms"),     counts.number("postings"),
                     counts.number("blocks"),    counts.number("term_text_bytes")};
  for (const auto& segment : reader.array("segments")) {
    manifest.segments.push_back(read_segment(Reader(segment)));
  }
  return manifest;
}

}  // namespace warpdex
