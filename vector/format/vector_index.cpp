// Opens an index of vectors.
#include "warpdex/vector/format/vector_index.hpp"

#include <algorithm>
#include <array>

#include "format/manifest.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/segment_view.hpp"

namespace warpdex::vector {

struct VectorIndex::State {
  State(const std::filesystem::path& path, const Folder& opened);

  const SectionView& view(std::string_view name) const { return segment.section(name); }
  void open_lists();

  std::filesystem::path folder;
  Manifest manifest;
  SegmentView segment;
  FlatVectors flat;
  IvfVectors ivf;
  std::span<const std::int64_t> id_numbers;
  std::span<const std::uint64_t> id_offsets;
  std::span<const std::uint8_t> id_texts;
};

namespace {

constexpr std::array<IndexKind, 2> kIndexKinds{IndexKind::kFlat, IndexKind::kIvfFlat};

Manifest read_manifest(const Folder& folder) {
  const MappedFile file = map_manifest(folder);
  return manifest_from_json(
      {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
}

}  // namespace

std::string_view index_kind_name(IndexKind kind) {
  return kind == IndexKind::kFlat ? "flat" : "ivf-flat";
}

IndexKind index_kind_from_name(std::string_view name) {
  for (const IndexKind kind : kIndexKinds) {
    if (index_kind_name(kind) == name) return kind;
  }
  throw UsageError("there is no type of index '" + std::string(name) +
                   "'; choose flat or ivf-flat");
}

VectorIndex::State::State(const std::filesystem::path& path, const Folder& opened)
    : folder(path), manifest(read_manifest(opened)), segment(opened, manifest.segments.front()) {
  const VectorIndexSettings& settings = manifest.settings;
  const std::size_t stride = row_stride(settings);
  const SectionView& vectors = view(section::kVectors);
  if (settings.store == Store::kFloat) {
    vectors.as<float>(manifest.rows * stride);
  } else {
    vectors.as<std::uint16_t>(manifest.rows * stride);
  }
  flat.metric = settings.metric;
  flat.vectors = {vectors.bytes().data(), settings.store, manifest.rows, settings.dimension,
                  stride};
  flat.norms = view(section::kNorms).as<float>(manifest.rows);
  const SectionView& centre = view(section::kCentre);
  flat.centre = centre.as<float>(centre.bytes().empty() ? 0 : settings.dimension);
  if (settings.index == IndexKind::kIvfFlat) open_lists();
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
  flat.row_numbers = view(section::kRowNumbers).as<std::uint32_t>(manifest.rows);
  for (const std::uint32_t row : flat.row_numbers) {
    if (row >= manifest.rows) damaged("the row numbers");
  }
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
const FlatVectors& VectorIndex::flat() const { return state_->flat; }
const IvfVectors& VectorIndex::ivf() const {
  if (settings().index == IndexKind::kIvfFlat) return state_->ivf;
  throw UsageError("the index at '" + state_->folder.string() + "' is no inverted file");
}
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
