// Opens an index of vectors.
#include "warpdex/vector/format/vector_index.hpp"

#include <algorithm>
#include <array>

#include "format/manifest.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/segment_view.hpp"

namespace warpdex::vector {

struct VectorIndex::State {
  State(const std::filesystem::path& path, const Folder& opened);

  const SectionView& view(std::string_view name) const { return segment.section(name); }
  bool has(std::string_view name) const;
  void open_vectors();
  void open_lists();
  void open_codes();
  void open_ids();

  std::filesystem::path folder;
  Manifest manifest;
  SegmentView segment;
  FlatVectors flat;
  IvfVectors ivf;
  IvfPqVectors ivf_pq;
  std::vector<std::uint64_t> group_begins;
  std::span<const std::int64_t> id_numbers;
  std::span<const std::uint64_t> id_offsets;
  std::span<const std::uint8_t> id_texts;
};

namespace {

constexpr std::array<std::string_view, 3> kIndexKinds{"flat", "ivf-flat", "ivf-pq"};

Manifest read_manifest(const Folder& folder) {
  const MappedFile file = map_manifest(folder);
  return manifest_from_json(
      {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
}

}  // namespace

std::string_view index_kind_name(IndexKind kind) {
  return kIndexKinds[static_cast<std::size_t>(kind)];
}

IndexKind index_kind_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kIndexKinds.size(); ++i) {
    if (kIndexKinds[i] == name) return static_cast<IndexKind>(i);
  }
  throw UsageError("there is no type of index '" + std::string(name) +
                   "'; choose flat, ivf-flat or ivf-pq");
}

VectorIndex::State::State(const std::filesystem::path& path, const Folder& opened)
    : folder(path), manifest(read_manifest(opened)), segment(opened, manifest.segments.front()) {
  flat.metric = manifest.settings.metric;
  const SectionView& centre = view(section::kCentre);
  flat.centre = centre.as<float>(centre.bytes().empty() ? 0 : manifest.settings.dimension);
  const bool has_codes = manifest.settings.index == IndexKind::kIvfPq;
  manifest.settings.pq.keeps_vectors = !has_codes || has(section::kVectors);
  if (manifest.settings.pq.keeps_vectors) open_vectors();
  if (manifest.settings.index != IndexKind::kFlat) open_lists();
  if (has_codes) open_codes();
  open_ids();
}

void VectorIndex::State::open_vectors() {
  const VectorIndexSettings& settings = manifest.settings;
  const std::size_t stride = row_stride(settings);
  const SectionView& vectors = view(section::kVectors);
  if (settings.store == Store::kFloat) {
    vectors.as<float>(manifest.rows * stride);
  } else {
    vectors.as<std::uint16_t>(manifest.rows * stride);
  }
  flat.vectors = {vectors.bytes().data(), settings.store, manifest.rows, settings.dimension,
                  stride};
  flat.norms = view(section::kNorms).as<float>(manifest.rows);
}

void VectorIndex::State::open_ids() {
  if (manifest.ids == IdKind::kNumbers) {
    id_numbers = view(section::kIdNumbers).as<std::int64_t>(manifest.rows);
  } else if (manifest.ids == IdKind::kTexts) {
    id_offsets = view(section::kIdOffsets).as<std::uint64_t>(manifest.rows + 1);
    id_texts = view(section::kIdTexts).bytes();
  }
}

/// Searches rely on these numbers, so they are checked here: O(rows + lists).
void VectorIndex::State::open_lists() {
  const auto damaged = [&](const char* what) {
    throw FormatError(std::string(what) + " of the index at '" + folder.string() +
                      "' are damaged; build it again");
  };
  const std::size_t lists = manifest.settings.ivf.lists;
  const auto rows = view(section::kRowNumbers).as<std::uint32_t>(manifest.rows);
  for (const std::uint32_t row : rows) {
    if (row >= manifest.rows) damaged("the row numbers");
  }
  if (manifest.settings.index == IndexKind::kIvfFlat) flat.row_numbers = rows;
  ivf.vectors = flat;
  ivf.begins = view(section::kListBegins).as<std::uint64_t>(lists + 1);
  if (ivf.begins.front() != 0 || ivf.begins.back() != manifest.rows ||
      !std::is_sorted(ivf.begins.begin(), ivf.begins.end())) {
    damaged("the lists");
  }
  const VectorIndexSettings as_rows{.metric = coarse_metric(manifest.settings.metric),
                                    .store = Store::kFloat,
                                    .dimension = manifest.settings.dimension};
  const std::span<const float> centroids =
      view(section::kCentroids).as<float>(lists * row_stride(as_rows));
  ivf.centroids = {as_rows.metric,
                   {centroids.data(), Store::kFloat, lists, as_rows.dimension, row_stride(as_rows)},
                   {},
                   view(section::kCentroidNorms).as<float>(lists)};
}

void VectorIndex::State::open_codes() {
  const VectorIndexSettings& settings = manifest.settings;
  group_begins.push_back(0);
  for (std::size_t list = 0; list + 1 < ivf.begins.size(); ++list) {
    group_begins.push_back(group_begins.back() +
                           groups_of(ivf.begins[list + 1] - ivf.begins[list]));
  }
  ProductQuantizer quantizer{settings.dimension, settings.pq.bytes, settings.pq.bits};
  quantizer.codebooks =
      view(section::kCodebooks).as<float>(settings.dimension * quantizer.codewords());
  const SectionView& rotation = view(section::kRotation);
  manifest.settings.pq.is_rotated = !rotation.bytes().empty();
  quantizer.rotation = rotation.as<float>(
      settings.pq.is_rotated ? settings.dimension * settings.dimension : std::size_t{0});
  const CodeGroups layout{settings.pq.bytes};
  ivf_pq.metric = settings.metric;
  ivf_pq.quantizer = quantizer;
  ivf_pq.codes = view(section::kCodes).as<std::uint8_t>(group_begins.back() * layout.group_bytes());
  ivf_pq.terms =
      view(section::kTerms).as<float>(settings.metric == Metric::kL2 ? manifest.rows : 0);
  ivf_pq.row_numbers = view(section::kRowNumbers).as<std::uint32_t>(manifest.rows);
  ivf_pq.begins = ivf.begins;
  ivf_pq.group_begins = group_begins;
  ivf_pq.centre = flat.centre;
  ivf_pq.centroids = ivf.centroids;
  ivf_pq.vectors = flat;
}

bool VectorIndex::State::has(std::string_view name) const {
  const std::vector<SectionInfo>& sections = manifest.segments.front().sections;
  return std::any_of(sections.begin(), sections.end(),
                     [name](const SectionInfo& info) { return info.name == name; });
}

VectorIndex VectorIndex::open(const std::filesystem::path& folder) {
  return open_stored(folder, [&](const Folder& opened) {
    return VectorIndex(std::make_unique<State>(folder, opened));
  });
}

VectorIndex::VectorIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
VectorIndex::~VectorIndex() = default;
VectorIndex::VectorIndex(VectorIndex&&) noexcept = default;
VectorIndex& VectorIndex::operator=(VectorIndex&&) noexcept = default;

const VectorIndexSettings& VectorIndex::settings() const { return state_->manifest.settings; }
std::size_t VectorIndex::rows() const { return state_->manifest.rows; }
const std::filesystem::path& VectorIndex::folder() const { return state_->folder; }
const FlatVectors& VectorIndex::flat() const {
  if (settings().pq.keeps_vectors) return state_->flat;
  throw UsageError("the index at '" + state_->folder.string() +
                   "' keeps no vectors, only codes; build it again with its vectors");
}
const IvfVectors& VectorIndex::ivf() const {
  if (settings().index == IndexKind::kIvfFlat) return state_->ivf;
  throw UsageError("the index at '" + state_->folder.string() +
                   "' is no inverted file of whole vectors");
}
const IvfPqVectors& VectorIndex::ivf_pq() const {
  if (settings().index == IndexKind::kIvfPq) return state_->ivf_pq;
  throw UsageError("the index at '" + state_->folder.string() + "' is no inverted file of codes");
}
std::span<const std::uint64_t> VectorIndex::list_begins() const { return state_->ivf.begins; }
IdKind VectorIndex::id_kind() const { return state_->manifest.ids; }
std::span<const std::int64_t> VectorIndex::id_numbers() const { return state_->id_numbers; }

std::string VectorIndex::id(std::size_t row) const {
  if (row >= rows()) {
    throw UsageError("there is no row " + std::to_string(row) + " in an index of " +
                     std::to_string(rows()));
  }
  switch (id_kind()) {
    case IdKind::kRows: return std::to_string(row);
    case IdKind::kNumbers: return std::to_string(state_->id_numbers[row]);
    case IdKind::kTexts: break;
  }
  const std::uint64_t begin = state_->id_offsets[row];
  const std::uint64_t end = state_->id_offsets[row + 1];
  if (begin > end || end > state_->id_texts.size()) {
    throw FormatError("the ids of the index at '" + state_->folder.string() +
                      "' are damaged; build it again");
  }
  return {reinterpret_cast<const char*>(state_->id_texts.data()) + begin, end - begin};
}

const std::vector<SectionInfo>& VectorIndex::section_infos() const {
  return state_->segment.infos();
}

bool VectorIndex::section_intact(std::size_t section) const {
  return state_->segment.sections()[section].intact();
}

}  // namespace warpdex::vector
