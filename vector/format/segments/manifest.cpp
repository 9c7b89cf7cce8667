// The manifest to JSON and back.
#include "format/manifest.hpp"

#include <algorithm>
#include <array>

#include "format/segments/codings.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/open_stored.hpp"

namespace warpdex::vector {
namespace {

constexpr std::uint64_t kOneSegmentVersion = 1;  ///< has one segment, of all rows
constexpr std::uint64_t kFirstVersion = 2;       ///< of what needs no newer one
constexpr std::uint64_t kProductTermsVersion = 3;
constexpr const char* kRows = "rows";
constexpr const char* kFirstRow = "first_row";
constexpr std::array<const char*, 3> kIdKinds{"rows", "numbers", "texts"};

IdKind read_id_kind(const std::string& name) {
  for (std::size_t i = 0; i < kIdKinds.size(); ++i) {
    if (name == kIdKinds[i]) return static_cast<IdKind>(i);
  }
  damaged_manifest("the kind of ids");
}

VectorIndexSettings read_settings(const ManifestObject& reader) try {
  VectorIndexSettings settings;
  settings.index = vector_kind(reader.string("index"));
  settings.metric = metric_from_name(reader.string("metric"));
  settings.store = store_from_name(reader.string("store"));
  settings.dimension = reader.number("dimension");
  if (settings.dimension == 0 || settings.dimension > kMaxDimension) damaged_manifest("dimension");
  return settings;
} catch (const UsageError&) {
  damaged_manifest("an index, a metric or a type that this program does not know");
}

void read_coding(const ManifestObject& reader, VectorIndexSettings& settings) {
  if (settings.index.in_lists) {
    settings.ivf.lists = reader.number("lists");
    if (settings.ivf.lists == 0 || settings.ivf.lists > kMaxRows) damaged_manifest("lists");
  } else if (stores_lists(settings.index)) {
    settings.ivf.lists = 1;
  }
  with_coding(settings.index.coding,
              [&]<class Coding>(Coding) { CodingFormat<Coding>::read(reader, settings); });
}

/// The oldest version that has all that the index has.
std::uint64_t version_of(const VectorIndexSettings& settings) {
  std::uint64_t version = kFirstVersion;
  with_coding(settings.index.coding, [&]<class Coding>(Coding) {
    if constexpr (requires { CodingFormat<Coding>::kVersion; }) {
      version = CodingFormat<Coding>::kVersion;
    }
    const bool has_products = HasProductTerms<Coding> && settings.metric != Metric::kL2;
    if (has_products && has_terms<Coding>(settings)) version = kProductTermsVersion;
    if constexpr (requires { CodingFormat<Coding>::version(settings); }) {
      version = std::max(version, CodingFormat<Coding>::version(settings));
    }
  });
  return version;
}

/// Segments follow each other, and each has no more rows than it stands for.
std::vector<SegmentRows> read_rows(const StoredSegments& stored, std::uint64_t rows,
                                   std::uint64_t version) {
  if (stored.segments.empty()) damaged_manifest("no segment");
  if (version == kOneSegmentVersion) {
    if (stored.segments.size() != 1) damaged_manifest("the number of segments");
    return {{rows, 0, rows}};
  }
  std::vector<SegmentRows> all;
  for (const SegmentInfo& segment : stored.segments) {
    all.push_back({count_named(segment.counts, kRows), count_named(segment.counts, kFirstRow), 0});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::size_t end = i + 1 < all.size() ? all[i + 1].first_row : rows;
    if (all[i].first_row > end || all[i].rows > end - all[i].first_row) {
      damaged_manifest("the rows of a segment");
    }
    all[i].row_span = end - all[i].first_row;
  }
  if (all.front().first_row != 0) damaged_manifest("the first row");
  return all;
}

/// The sections of the first segment say how it was built.
void find_sections(const SegmentInfo& first, VectorIndexSettings& settings) {
  settings.pq.keeps_vectors = false;
  for (const SectionInfo& info : first.sections) {
    if (info.name == section::kVectors) settings.pq.keeps_vectors = true;
    if (info.name != section::kRotation || info.bytes == 0) continue;
    with_coding(settings.index.coding,
                [&]<class Coding>(Coding) { CodingFormat<Coding>::set_rotated(settings); });
  }
}

}  // namespace

std::string manifest_to_json(const Manifest& manifest) {
  rapidjson::StringBuffer buffer;
  ManifestWriter writer(buffer);
  writer.SetIndent(' ', 2);
  writer.StartObject();
  write_head(writer, kVectorsKind, version_of(manifest.settings));
  write_member(writer, "index", std::string(vector_kind_name(manifest.settings.index)));
  write_member(writer, "metric", std::string(metric_name(manifest.settings.metric)));
  write_member(writer, "store", std::string(store_name(manifest.settings.store)));
  write_member(writer, "dimension", std::uint64_t{manifest.settings.dimension});
  write_member(writer, "rows", manifest.rows);
  if (manifest.settings.index.in_lists) {
    write_member(writer, "lists", std::uint64_t{manifest.settings.ivf.lists});
  }
  with_coding(manifest.settings.index.coding, [&]<class Coding>(Coding) {
    CodingFormat<Coding>::write(manifest.settings, writer);
  });
  write_member(writer, "ids", std::string(kIdKinds[static_cast<std::size_t>(manifest.ids)]));
  StoredSegments stored = manifest.stored;
  for (std::size_t i = 0; i < stored.segments.size(); ++i) {
    stored.segments[i].counts = {{kRows, manifest.rows_of[i].rows},
                                 {kFirstRow, manifest.rows_of[i].first_row}};
  }
  write_segments(writer, stored);
  writer.EndObject();
  return with_checksum({buffer.GetString(), buffer.GetSize()});
}

Manifest manifest_from_json(std::string_view text) {
  const rapidjson::Document document = parse_manifest(text);
  const ManifestObject reader(document);
  check_kind(reader, kVectorsKind);
  check_manifest_checksum(text);
  Manifest manifest;
  manifest.settings = read_settings(reader);
  manifest.settings.has_product_terms = reader.number("version") >= kProductTermsVersion;
  manifest.rows = reader.number("rows");
  if (manifest.rows > kMaxRows) damaged_manifest("rows");
  read_coding(reader, manifest.settings);
  manifest.ids = read_id_kind(reader.string("ids"));
  manifest.stored = read_stored_segments(reader);
  manifest.rows_of = read_rows(manifest.stored, manifest.rows, reader.number("version"));
  if (manifest.settings.index.has_codes()) {
    find_sections(manifest.stored.segments.front(), manifest.settings);
  }
  return manifest;
}

Manifest read_manifest(const Folder& folder) {
  const MappedFile file = map_manifest(folder);
  return manifest_from_json(
      {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
}

Manifest read_manifest(const std::filesystem::path& folder) {
  return read_manifest(find_stored(folder));
}

}  // namespace warpdex::vector
