// The manifest to JSON and back.
#include "format/manifest.hpp"

#include <array>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"

namespace warpdex::vector {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::array<const char*, 3> kIdKinds{"rows", "numbers", "texts"};

IdKind read_id_kind(const std::string& name) {
  for (std::size_t i = 0; i < kIdKinds.size(); ++i) {
    if (name == kIdKinds[i]) return static_cast<IdKind>(i);
  }
  damaged_manifest("the kind of ids");
}

VectorIndexSettings read_settings(const ManifestObject& reader) try {
  VectorIndexSettings settings;
  settings.index = index_kind_from_name(reader.string("index"));
  settings.metric = metric_from_name(reader.string("metric"));
  settings.store = store_from_name(reader.string("store"));
  settings.dimension = reader.number("dimension");
  if (settings.dimension == 0 || settings.dimension > kMaxDimension) damaged_manifest("dimension");
  return settings;
} catch (const UsageError&) {
  damaged_manifest("an index, a metric or a type that this program does not know");
}

}  // namespace

std::string manifest_to_json(const Manifest& manifest) {
  rapidjson::StringBuffer buffer;
  ManifestWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write_member(writer, "format", std::string("warpdex"));
  write_member(writer, "kind", std::string(kVectorsKind));
  write_member(writer, "version", kVersion);
  write_member(writer, "index", std::string(index_kind_name(manifest.settings.index)));
  write_member(writer, "metric", std::string(metric_name(manifest.settings.metric)));
  write_member(writer, "store", std::string(store_name(manifest.settings.store)));
  write_member(writer, "dimension", std::uint64_t{manifest.settings.dimension});
  write_member(writer, "rows", manifest.rows);
  if (manifest.settings.index != IndexKind::kFlat) {
    write_member(writer, "lists", std::uint64_t{manifest.settings.ivf.lists});
  }
  if (manifest.settings.index == IndexKind::kIvfPq) {
    write_member(writer, "bytes", std::uint64_t{manifest.settings.pq.bytes});
    write_member(writer, "bits", std::uint64_t{manifest.settings.pq.bits});
  }
  write_member(writer, "ids", std::string(kIdKinds[static_cast<std::size_t>(manifest.ids)]));
  write_segments(writer, manifest.segments);
  writer.EndObject();
  return with_checksum({buffer.GetString(), buffer.GetSize()});
}

Manifest manifest_from_json(std::string_view text) {
  const rapidjson::Document document = parse_manifest(text);
  const ManifestObject reader(document);
  check_kind(reader, kVectorsKind, kVersion);
  check_manifest_checksum(text);
  Manifest manifest;
  manifest.settings = read_settings(reader);
  manifest.rows = reader.number("rows");
  if (manifest.rows > kMaxRows) damaged_manifest("rows");
  if (manifest.settings.index != IndexKind::kFlat) {
    manifest.settings.ivf.lists = reader.number("lists");
    if (manifest.settings.ivf.lists == 0 || manifest.settings.ivf.lists > manifest.rows) {
      damaged_manifest("lists");
    }
  }
  if (manifest.settings.index == IndexKind::kIvfPq) {
    PqSettings& pq = manifest.settings.pq;
    pq.bits = reader.number("bits");
    if (pq.bits != 8 && pq.bits != 4) damaged_manifest("bits");
    pq.bytes = reader.number("bytes");
    if (pq.bytes == 0 || pq.bytes > max_code_bytes(manifest.settings.dimension, pq.bits)) {
      damaged_manifest("bytes");
    }
  }
  manifest.ids = read_id_kind(reader.string("ids"));
  manifest.segments = read_segments(reader);
  if (manifest.segments.size() != 1) damaged_manifest("the number of segments");
  return manifest;
}

}  // namespace warpdex::vector
