// The manifest to JSON and back.
#include "format/manifest.hpp"

#include <rapidjson/writer.h>

#include <algorithm>
#include <array>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/indexer/format/text_fields.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex {
namespace {

constexpr std::uint64_t kOneSegmentVersion = 2;
constexpr std::uint64_t kPlainVersion = 4;  ///< of what needs no newer one
/// Vectors have lists or codes, or the analyzer is none of these.
constexpr std::uint64_t kPartsVersion = 5;
constexpr std::uint64_t kSchemaVersion = 6;         ///< lists have positions, or there is a schema
constexpr std::uint64_t kSomePositionsVersion = 7;  ///< some text fields have positions
constexpr std::uint64_t kNewestVersion = 8;         ///< the schema has vectors
constexpr std::array<std::string_view, 3> kOldAnalyzers = {"english", "standard", "whitespace"};

/// The oldest version that has all that the index has.
std::uint64_t version_for(const IndexSettings& settings) {
  if (!vector_fields(settings.schema).empty()) return kNewestVersion;
  if (settings.positions_by_field) return kSomePositionsVersion;
  if (settings.has_positions || !settings.schema.fields.empty()) return kSchemaVersion;
  const bool has_index = settings.vectors && !settings.vectors->index.is_flat();
  const bool is_old =
      std::ranges::find(kOldAnalyzers, settings.analyzer.name) != kOldAnalyzers.end();
  return has_index || !is_old ? kPartsVersion : kPlainVersion;
}

void write_codec(ManifestWriter& writer, const CodecSettings& codec) {
  writer.Key("codec");
  writer.StartObject();
  write_member(writer, "name", std::string(codec_name(codec.kind)));
  write_member(writer, "pfor_levels", std::uint64_t{codec.pfor_levels});
  write_member(writer, "block_size", std::uint64_t{kBlockSize});
  if (!codec.bit_sets) write_member(writer, "bit_sets", false);
  writer.EndObject();
}

/// A version of 1 is not written: indexes of formats before 4 have no other.
void write_analyzer(ManifestWriter& writer, const AnalyzerSettings& analyzer) {
  if (analyzer.name.starts_with('{')) {
    writer.Key("analyzer");
    writer.RawValue(analyzer.name.data(), analyzer.name.size(), rapidjson::kObjectType);
    return;
  }
  write_member(writer, "analyzer", analyzer.name);
  if (analyzer.version > 1) {
    write_member(writer, "analyzer_version", std::uint64_t{analyzer.version});
  }
}

AnalyzerSettings read_analyzer(const ManifestObject& manifest) {
  const rapidjson::Value& analyzer = manifest.member("analyzer");
  if (analyzer.IsObject()) {
    rapidjson::StringBuffer text;
    rapidjson::Writer<rapidjson::StringBuffer> writer(text);
    analyzer.Accept(writer);
    return {std::string_view(text.GetString(), text.GetSize()), 1};
  }
  const std::string name = manifest.string("analyzer");
  if (!manifest.has("analyzer_version")) return {name, 1};
  const std::uint64_t version = manifest.number("analyzer_version");
  const std::uint32_t newest = newest_analyzer_version(name);
  if (version < 1) damaged_manifest("analyzer_version");
  if (version > newest) {
    throw VersionError("the index was built with version " + std::to_string(version) +
                       " of the analyzer '" + name + "', this program has version " +
                       std::to_string(newest) + "; take a newer one, or build the index again");
  }
  return {name, static_cast<std::uint32_t>(version)};
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

void write_stored_fields(ManifestWriter& writer, const std::vector<std::string>& fields) {
  if (fields.empty()) return;
  writer.Key("stored_fields");
  writer.StartArray();
  for (const std::string& field : fields) {
    writer.String(field.data(), static_cast<rapidjson::SizeType>(field.size()));
  }
  writer.EndArray();
}

std::vector<std::string> read_stored_fields(const ManifestObject& manifest) {
  std::vector<std::string> fields;
  if (!manifest.has("stored_fields")) return fields;
  const rapidjson::Value& names = manifest.member("stored_fields");
  if (!names.IsArray() || names.Empty()) damaged_manifest("stored_fields");
  for (const rapidjson::Value& name : names.GetArray()) {
    if (!name.IsString()) damaged_manifest("stored_fields");
    fields.emplace_back(name.GetString(), name.GetStringLength());
  }
  return fields;
}

void write_schema(ManifestWriter& writer, const Schema& schema) {
  if (schema.fields.empty()) return;
  const std::string json = schema_to_json(schema);
  writer.Key("schema");
  writer.RawValue(json.data(), json.size(), rapidjson::kObjectType);
}

Schema read_schema(const ManifestObject& manifest) try {
  if (!manifest.has("schema")) return {};
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  manifest.member("schema").Accept(writer);
  return parse_schema({text.GetString(), text.GetSize()});
} catch (const UsageError&) {
  damaged_manifest("schema");
}

void write_vector_index(ManifestWriter& writer, const vector::RowIndexSettings& index) {
  writer.Key("index");
  writer.StartObject();
  write_member(writer, "kind", index.kind);
  write_member(writer, "lists", std::uint64_t{index.lists});
  write_member(writer, "train", std::uint64_t{index.train});
  write_member(writer, "pq_bytes", std::uint64_t{index.pq_bytes});
  write_member(writer, "pq_bits", std::uint64_t{index.pq_bits});
  write_member(writer, "bits", std::uint64_t{index.binary_bits});
  write_member(writer, "rotated", index.is_rotated);
  write_member(writer, "corrected", index.is_corrected);
  if (index.clip >= 0) write_member(writer, "clip", index.clip);
  write_member(writer, "seed", index.seed);
  writer.EndObject();
}

void write_vectors(ManifestWriter& writer, const std::optional<vector::RowSettings>& vectors) {
  if (!vectors) return;
  writer.Key("vectors");
  writer.StartObject();
  write_member(writer, "metric", std::string(vector::metric_name(vectors->metric)));
  write_member(writer, "store", std::string(vector::store_name(vectors->store)));
  write_member(writer, "dimension", std::uint64_t{vectors->dimension});
  if (!vectors->index.is_flat()) write_vector_index(writer, vectors->index);
  writer.EndObject();
}

vector::RowIndexSettings read_vector_index(const ManifestObject& vectors) {
  vector::RowIndexSettings index;
  if (!vectors.has("index")) return index;
  const ManifestObject member = vectors.object("index");
  index.kind = member.string("kind");
  index.lists = member.number("lists");
  index.train = member.number("train");
  index.pq_bytes = member.number("pq_bytes");
  index.pq_bits = member.number("pq_bits");
  index.binary_bits = member.number("bits");
  index.is_rotated = member.boolean("rotated");
  index.is_corrected = member.boolean("corrected");
  if (member.has("clip")) index.clip = member.real("clip");
  index.seed = member.number("seed");
  return index;
}

vector::RowSettings read_vectors(const ManifestObject& vectors) try {
  const std::uint64_t dimension = vectors.number("dimension");
  if (dimension < 1 || dimension > vector::kMaxDimension) damaged_manifest("dimension");
  const vector::RowSettings settings{vector::metric_from_name(vectors.string("metric")),
                                     vector::store_from_name(vectors.string("store")), dimension,
                                     read_vector_index(vectors)};
  vector::check_row_settings(settings);
  return settings;
} catch (const UsageError&) {
  damaged_manifest("vectors");
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

NamedCounts read_counts(const ManifestObject& counts) {
  NamedCounts named = named_counts({});
  for (auto& [name, value] : named) value = counts.number(name.c_str());
  return named;
}

std::pair<std::string, std::string> text_count_names(std::size_t field) {
  const std::string number = std::to_string(field);
  return {"documents_" + number, "tokens_" + number};
}

void check_text_counts(const SegmentInfo& segment, std::size_t texts) {
  const std::size_t wanted = texts > 1 ? texts : 0;
  if (texts_of(segment.counts).size() != wanted ||
      (segment.removals && texts_of(segment.removals->counts).size() != wanted)) {
    damaged_manifest("the counts of text fields");
  }
}

void check_counts(const NamedCounts& counts) {
  for (const auto& [name, value] : named_counts({})) {
    if (std::none_of(counts.begin(), counts.end(),
                     [&name = name](const auto& count) { return count.first == name; })) {
      damaged_manifest("no member '" + name + "' in counts");
    }
  }
}

}  // namespace

IndexCounts counts_of(const SegmentInfo& segment) {
  const auto count = [&](std::string_view name) { return count_named(segment.counts, name); };
  return {count("documents"), count("tokens"),          count("terms"),          count("postings"),
          count("blocks"),    count("term_text_bytes"), texts_of(segment.counts)};
}

NamedCounts named_counts(const IndexCounts& counts) {
  NamedCounts named{{"documents", counts.documents}, {"tokens", counts.tokens},
                    {"terms", counts.terms},         {"postings", counts.postings},
                    {"blocks", counts.blocks},       {"term_text_bytes", counts.term_text_bytes}};
  append_texts(counts.texts, named);
  return named;
}

std::vector<TextCounts> texts_of(const NamedCounts& counts) {
  std::vector<TextCounts> texts;
  for (;;) {
    const auto [documents, tokens] = text_count_names(texts.size());
    const bool is_there =
        std::ranges::any_of(counts, [&](const auto& count) { return count.first == documents; });
    if (!is_there) return texts;
    texts.push_back({count_named(counts, documents), count_named(counts, tokens)});
  }
}

void append_texts(const std::vector<TextCounts>& texts, NamedCounts& counts) {
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [documents, tokens] = text_count_names(i);
    counts.emplace_back(documents, texts[i].documents);
    counts.emplace_back(tokens, texts[i].tokens);
  }
}

std::string manifest_to_json(const Manifest& manifest) {
  rapidjson::StringBuffer buffer;
  ManifestWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write_head(writer, kTextKind, version_for(manifest.settings));
  write_codec(writer, manifest.settings.codec);
  write_analyzer(writer, manifest.settings.analyzer);
  write_member(writer, "fields", manifest.settings.fields);
  write_member(writer, "static_scores", manifest.settings.has_static_scores);
  write_impacts(writer, manifest.settings.impacts);
  write_member(writer, "forward", manifest.settings.has_forward);
  if (manifest.settings.has_positions) write_member(writer, "positions", true);
  if (manifest.settings.positions_by_field) write_member(writer, "positions_by_field", true);
  write_stored_fields(writer, manifest.settings.stored_fields);
  write_schema(writer, manifest.settings.schema);
  write_vectors(writer, manifest.settings.vectors);
  write_segments(writer, manifest.stored);
  writer.EndObject();
  return with_checksum({buffer.GetString(), buffer.GetSize()});
}

Manifest manifest_from_json(std::string_view text) {
  const rapidjson::Document document = parse_manifest(text);
  const ManifestObject reader(document);
  check_kind(reader, kTextKind);
  check_manifest_checksum(text);
  const bool has_one_segment = reader.number("version") == kOneSegmentVersion;
  Manifest manifest;
  manifest.settings.codec = read_codec(reader.object("codec"));
  manifest.settings.analyzer = read_analyzer(reader);
  manifest.settings.fields = reader.string("fields");
  manifest.settings.has_static_scores = reader.boolean("static_scores");
  manifest.settings.impacts = read_impacts(reader);
  manifest.stored = read_stored_segments(reader);
  if (!has_one_segment) manifest.settings.has_forward = reader.boolean("forward");
  const auto flag = [&](const char* name) { return reader.has(name) && reader.boolean(name); };
  manifest.settings.has_positions = flag("positions");
  manifest.settings.positions_by_field = flag("positions_by_field");
  manifest.settings.stored_fields = read_stored_fields(reader);
  manifest.settings.schema = read_schema(reader);
  if (reader.has("vectors")) manifest.settings.vectors = read_vectors(reader.object("vectors"));
  if (has_one_segment) {
    if (manifest.stored.segments.size() != 1) damaged_manifest("not one segment");
    manifest.stored.segments[0].counts = read_counts(reader.object("counts"));
  }
  for (const SegmentInfo& segment : manifest.stored.segments) {
    check_counts(segment.counts);
    check_text_counts(segment, text_count(manifest.settings.schema));
  }
  return manifest;
}

}  // namespace warpdex
