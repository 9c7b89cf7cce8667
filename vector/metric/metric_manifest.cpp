// The manifest to JSON and back.
#include "metric/metric_manifest.hpp"

#include <algorithm>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/vector/data/element.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {
namespace {

ObjectSettings read_settings(const ManifestObject& reader) try {
  ObjectSettings settings;
  settings.distance = distance_from_name(reader.string("distance"));
  if (settings.distance == DistanceKind::kLevenshtein && reader.boolean("code_points")) {
    settings.unit = TextUnit::kCodePoints;
  }
  if (is_of_vectors(settings.distance)) {
    settings.dimension = reader.number("dimension");
    if (settings.dimension == 0 || settings.dimension > vector::kMaxDimension) {
      damaged_manifest("dimension");
    }
  }
  return settings;
} catch (const UsageError&) {
  damaged_manifest("a distance that this program does not know");
}

}  // namespace

std::string manifest_to_json(const Manifest& manifest) {
  rapidjson::StringBuffer buffer;
  ManifestWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write_head(writer, kMetricKind);
  const ObjectSettings& settings = manifest.settings;
  write_member(writer, "distance", std::string(distance_name(settings.distance)));
  if (settings.distance == DistanceKind::kLevenshtein) {
    write_member(writer, "code_points", settings.unit == TextUnit::kCodePoints);
  }
  if (is_of_vectors(settings.distance)) {
    write_member(writer, "dimension", std::uint64_t{settings.dimension});
  }
  write_member(writer, "objects", manifest.objects);
  write_member(writer, "permutants", manifest.permutants);
  if (settings.distance == DistanceKind::kJaccard) write_member(writer, "words", manifest.words);
  write_segments(writer, manifest.segments);
  writer.EndObject();
  return with_checksum({buffer.GetString(), buffer.GetSize()});
}

Manifest manifest_from_json(std::string_view text) {
  const rapidjson::Document document = parse_manifest(text);
  const ManifestObject reader(document);
  check_kind(reader, kMetricKind);
  check_manifest_checksum(text);
  Manifest manifest;
  manifest.settings = read_settings(reader);
  manifest.objects = reader.number("objects");
  if (manifest.objects == 0 || manifest.objects > kMaxObjects) damaged_manifest("objects");
  manifest.permutants = reader.number("permutants");
  if (manifest.permutants == 0 ||
      manifest.permutants > std::min<std::uint64_t>(manifest.objects, kMaxPermutants)) {
    damaged_manifest("permutants");
  }
  if (manifest.settings.distance == DistanceKind::kJaccard) {
    manifest.words = reader.number("words");
    if (manifest.words > 0xFFFFFFFFU) damaged_manifest("words");
  }
  manifest.segments = read_segments(reader);
  if (manifest.segments.size() != 1) damaged_manifest("the number of segments");
  return manifest;
}

}  // namespace warpdex::metric
