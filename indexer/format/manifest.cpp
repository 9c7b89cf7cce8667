// The manifest to JSON and back.
#include "format/manifest.hpp"

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"

namespace warpdex {
namespace {

void write_codec(ManifestWriter& writer, const CodecSettings& codec) {
  writer.Key("codec");
  writer.StartObject();
  write_member(writer, "name", std::string(codec_name(codec.kind)));
  write_member(writer, "pfor_levels", std::uint64_t{codec.pfor_levels});
  write_member(writer, "block_size", std::uint64_t{kBlockSize});
  if (!codec.bit_sets) write_member(writer, "bit_sets", false);
  writer.EndObject();
}

void write_impacts(ManifestWriter& writer, const std::optional<ImpactSettings>& impacts) {
  writer.Key("impacts");
  if (!impacts) {
    writer.Null();
    return;
  }
  writer.StartObject();
  if (impacts->source == ImpactSource::kBm25) {
    write_member(writer, "k1", impacts->k1);
    write_member(writer, "b", impacts->b);
  } else {
    const bool whole = impacts->source == ImpactSource::kWholeWeights;
    write_member(writer, "weights", std::string(whole ? "whole" : "quantised"));
  }
  write_member(writer, "largest", impacts->largest);
  writer.EndObject();
}

void write_counts(ManifestWriter& writer, const IndexCounts& counts) {
  writer.Key("counts");
  writer.StartObject();
  write_member(writer, "documents", counts.documents);
  write_member(writer, "tokens", counts.tokens);
  write_member(writer, "terms", counts.terms);
  write_member(writer, "postings", counts.postings);
  write_member(writer, "blocks", counts.blocks);
  write_member(writer, "term_text_bytes", counts.term_text_bytes);
  writer.EndObject();
}

CodecKind read_codec_kind(const ManifestObject& codec) try {
  return codec_from_name(codec.string("name"));
} catch (const UsageError&) {
  damaged_manifest("a codec that this program does not know");
}

CodecSettings read_codec(const ManifestObject& codec) {
  CodecSettings settings;
  settings.kind = read_codec_kind(codec);
  const std::uint64_t levels = codec.number("pfor_levels");
  if (levels > kMaxPforLevels) damaged_manifest("pfor_levels");
  settings.pfor_levels = static_cast<std::uint8_t>(levels);
  if (codec.number("block_size") != kBlockSize) damaged_manifest("block_size");
  if (codec.has("bit_sets")) settings.bit_sets = codec.boolean("bit_sets");
  return settings;
}

std::optional<ImpactSettings> read_impacts(const ManifestObject& manifest) {
  if (manifest.member("impacts").IsNull()) return std::nullopt;
  const ManifestObject impacts = manifest.object("impacts");
  if (impacts.has("weights")) {
    const std::string kind = impacts.string("weights");
    if (kind != "whole" && kind != "quantised") damaged_manifest("weights");
    return ImpactSettings{
        .largest = impacts.real("largest"),
        .source = kind == "whole" ? ImpactSource::kWholeWeights : ImpactSource::kQuantisedWeights};
  }
  return ImpactSettings{impacts.real("k1"), impacts.real("b"), impacts.real("largest")};
}

}  // namespace

std::string manifest_to_json(const Manifest& manifest) {
  rapidjson::StringBuffer buffer;
  ManifestWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write_member(writer, "format", std::string("warpdex"));
  write_member(writer, "version", std::uint64_t{kFormatVersion});
  write_codec(writer, manifest.settings.codec);
  write_member(writer, "analyzer", manifest.settings.analyzer);
  write_member(writer, "fields", manifest.settings.fields);
  write_member(writer, "static_scores", manifest.settings.has_static_scores);
  write_impacts(writer, manifest.settings.impacts);
  write_counts(writer, manifest.counts);
  write_segments(writer, manifest.segments);
  writer.EndObject();
  return with_checksum({buffer.GetString(), buffer.GetSize()});
}

Manifest manifest_from_json(std::string_view text) {
  const rapidjson::Document document = parse_manifest(text);
  const ManifestObject reader(document);
  check_kind(reader, "", kFormatVersion);
  check_manifest_checksum(text);
  Manifest manifest;
  manifest.settings.codec = read_codec(reader.object("codec"));
  manifest.settings.analyzer = reader.string("analyzer");
  manifest.settings.fields = reader.string("fields");
  manifest.settings.has_static_scores = reader.boolean("static_scores");
  manifest.settings.impacts = read_impacts(reader);
  const ManifestObject counts = reader.object("counts");
  manifest.counts = {counts.number("documents"), counts.number("tokens"),
                     counts.number("terms"),     counts.number("postings"),
                     counts.number("blocks"),    counts.number("term_text_bytes")};
  manifest.segments = read_segments(reader);
  return manifest;
}

}  // namespace warpdex
