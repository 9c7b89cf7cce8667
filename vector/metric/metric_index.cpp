// Writes a permutation index, and opens it.
#include "warpdex/vector/metric/metric_index.hpp"

#include <algorithm>

#include "metric/metric_manifest.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/manifest_json.hpp"
#include "warpdex/core/storage/open_stored.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/core/storage/segment_view.hpp"
#include "warpdex/vector/metric/gpu_permutation_builder.hpp"

namespace warpdex::metric {
namespace {

template <class T>
SectionInfo write_section(const std::filesystem::path& folder, std::string_view name,
                          std::span<const T> values) {
  SectionWriter writer(folder, name);
  writer.append({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
  return writer.finish();
}

std::vector<SectionInfo> write_objects(const std::filesystem::path& folder,
                                       const ObjectsView& view) {
  std::vector<SectionInfo> sections;
  if (is_of_vectors(view.settings.distance)) {
    sections.push_back(write_section(folder, section::kVectors, view.vectors));
    return sections;
  }
  sections.push_back(write_section(folder, section::kTextOffsets, view.texts.offsets));
  sections.push_back(write_section(folder, section::kTexts, view.texts.bytes));
  if (view.settings.distance == DistanceKind::kJaccard) {
    sections.push_back(write_section(folder, section::kSetBegins, view.set_begins));
    sections.push_back(write_section(folder, section::kSetWords, view.set_words));
    sections.push_back(write_section(folder, section::kWordOffsets, view.words.offsets));
    sections.push_back(write_section(folder, section::kWords, view.words.bytes));
  }
  return sections;
}

std::vector<std::string> write_all(ReplacementFolder& replacement, const ObjectsView& view,
                                   std::span<const std::uint32_t> permutants,
                                   std::span<const std::uint8_t> ranks) {
  const std::filesystem::path folder = replacement.subfolder(kSegmentFolder);
  Manifest manifest;
  manifest.settings = view.settings;
  manifest.objects = view.objects;
  manifest.permutants = permutants.size();
  manifest.words = view.words.size();
  std::vector<SectionInfo> sections{write_section(folder, section::kPermutants, permutants),
                                    write_section(folder, section::kPermutations, ranks)};
  const std::vector<SectionInfo> more = write_objects(folder, view);
  sections.insert(sections.end(), more.begin(), more.end());
  manifest.segments.push_back({kSegmentFolder, std::move(sections)});
  return replacement.commit(manifest_to_json(manifest));
}

Manifest read_manifest(const Folder& folder) {
  const MappedFile file = map_manifest(folder);
  return manifest_from_json(
      {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()});
}

}  // namespace

std::vector<std::string> write_metric_index(const std::filesystem::path& target,
                                            const Objects& objects,
                                            const PermutationSettings& settings,
                                            const MetricProgress& progress, Resources* gpu) {
  ReplacementFolder replacement(target, kMetricKind);
  const ObjectsView view = objects.view();
  const auto space = make_space(view);
  const std::vector<std::uint32_t> permutants = choose_permutants(*space, settings, progress);
  if (gpu == nullptr) {
    return write_all(replacement, view, permutants,
                     rank_permutants(*space, permutants, settings.threads, progress));
  }
  const auto ranks = rank_permutants_on_gpu(view, permutants, *gpu, settings.threads, progress);
  const std::size_t row_bytes = rank_stride(permutants.size()) * rank_bytes(permutants.size());
  return write_all(replacement, view, permutants, {ranks.get(), view.objects * row_bytes});
}

std::vector<std::string> write_metric_index(const std::filesystem::path& target,
                                            const Objects& objects,
                                            std::span<const std::uint32_t> permutants,
                                            std::size_t threads, const MetricProgress& progress) {
  ReplacementFolder replacement(target, kMetricKind);
  const auto space = make_space(objects.view());
  return write_all(replacement, objects.view(), permutants,
                   rank_permutants(*space, permutants, threads, progress));
}

struct MetricIndex::State {
  State(const std::filesystem::path& path, const Folder& opened);

  const SectionView& view(std::string_view name) const { return segment.section(name); }
  /// Searches rely on offsets, so they are checked here.
  std::span<const std::uint64_t> offsets(std::string_view name, std::uint64_t count,
                                         std::uint64_t end) const;
  TextsView texts(std::string_view offsets_name, std::string_view bytes_name,
                  std::uint64_t count) const;
  void open_objects();
  [[noreturn]] void damaged(const std::string& what) const;

  std::filesystem::path folder;
  Manifest manifest;
  SegmentView segment;
  ObjectsView objects;
  std::span<const std::uint32_t> permutants;
  Permutations permutations;
  std::unique_ptr<ObjectSpace> space;
};

MetricIndex::State::State(const std::filesystem::path& path, const Folder& opened)
    : folder(path), manifest(read_manifest(opened)), segment(opened, manifest.segments.front()) {
  permutants = view(section::kPermutants).as<std::uint32_t>(manifest.permutants);
  for (const std::uint32_t object : permutants) {
    if (object >= manifest.objects) damaged("permutants");
  }
  const SectionView& ranks = view(section::kPermutations);
  const std::size_t row = rank_stride(permutants.size()) * rank_bytes(permutants.size());
  permutations = {manifest.objects, permutants.size(),
                  ranks.as<std::uint8_t>(manifest.objects * row).data()};
  open_objects();
  space = make_space(objects);
}

void MetricIndex::State::open_objects() {
  objects.settings = manifest.settings;
  objects.objects = manifest.objects;
  if (is_of_vectors(manifest.settings.distance)) {
    objects.vectors =
        view(section::kVectors).as<float>(manifest.objects * manifest.settings.dimension);
    return;
  }
  objects.texts = texts(section::kTextOffsets, section::kTexts, manifest.objects);
  if (manifest.settings.distance != DistanceKind::kJaccard) return;
  const SectionView& set_words = view(section::kSetWords);
  objects.set_words = set_words.as<std::uint32_t>(set_words.bytes().size() / 4);
  objects.set_begins = offsets(section::kSetBegins, manifest.objects, objects.set_words.size());
  objects.words = texts(section::kWordOffsets, section::kWords, manifest.words);
}

void MetricIndex::State::damaged(const std::string& what) const {
  throw FormatError("the " + what + " of the index at '" + folder.string() +
                    "' are damaged; build it again");
}

std::span<const std::uint64_t> MetricIndex::State::offsets(std::string_view name,
                                                           std::uint64_t count,
                                                           std::uint64_t end) const {
  const auto values = view(name).as<std::uint64_t>(count + 1);
  if (values.front() != 0 || values.back() != end ||
      !std::is_sorted(values.begin(), values.end())) {
    damaged(std::string(name));
  }
  return values;
}

TextsView MetricIndex::State::texts(std::string_view offsets_name, std::string_view bytes_name,
                                    std::uint64_t count) const {
  const std::span<const std::uint8_t> bytes = view(bytes_name).bytes();
  return {offsets(offsets_name, count, bytes.size()), bytes};
}

MetricIndex MetricIndex::open(const std::filesystem::path& folder) {
  return open_stored(folder, [&](const Folder& opened) {
    return MetricIndex(std::make_unique<State>(folder, opened));
  });
}

MetricIndex::MetricIndex(std::unique_ptr<State> state) : state_(std::move(state)) {}
MetricIndex::~MetricIndex() = default;
MetricIndex::MetricIndex(MetricIndex&&) noexcept = default;
MetricIndex& MetricIndex::operator=(MetricIndex&&) noexcept = default;

const ObjectsView& MetricIndex::objects() const { return state_->objects; }
const ObjectSpace& MetricIndex::space() const { return *state_->space; }
std::span<const std::uint32_t> MetricIndex::permutants() const { return state_->permutants; }
const Permutations& MetricIndex::permutations() const { return state_->permutations; }
const std::filesystem::path& MetricIndex::folder() const { return state_->folder; }

const std::vector<SectionInfo>& MetricIndex::section_infos() const {
  return state_->segment.infos();
}

bool MetricIndex::section_intact(std::size_t section) const {
  return state_->segment.sections()[section].intact();
}

}  // namespace warpdex::metric
