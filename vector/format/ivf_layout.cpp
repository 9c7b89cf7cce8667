// Training, assignment, and the sections of an inverted file.
#include "format/ivf_layout.hpp"

#include <algorithm>
#include <cmath>

#include "format/manifest.hpp"
#include "format/row_writer.hpp"
#include "kmeans/update.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kTrainingRowsPerList = 256;
constexpr std::size_t kTrainingIterations = 10;
constexpr std::size_t kPartRows = 16'384;

/// Some rows as floats.
Matrix<float> copy_rows(const VectorView& vectors, std::span<const std::uint64_t> rows) {
  Matrix<float> copied{rows.size(), vectors.dimension,
                       std::vector<float>(rows.size() * vectors.dimension)};
  for (std::size_t i = 0; i < rows.size(); ++i) copy_row(vectors, rows[i], copied.row(i).data());
  return copied;
}

Matrix<float> train(const WrittenRows& rows, const IvfSettings& ivf,
                    const BuildProgress& progress) {
  const std::size_t wanted = ivf.train == 0 ? kTrainingRowsPerList * ivf.lists : ivf.train;
  const std::vector<std::uint64_t> sample =
      sample_rows(rows.flat.vectors.rows, std::max(wanted, ivf.lists), ivf.seed);
  KmeansSettings settings;
  settings.clusters = ivf.lists;
  settings.iterations = kTrainingIterations;
  settings.seed = ivf.seed;
  settings.threads = ivf.threads;
  settings.on_iteration = [&](const KmeansIteration& told) {
    if (progress) progress("training", told.number, kTrainingIterations);
  };
  return kmeans(copy_rows(rows.flat.vectors, sample), settings).centroids;
}

/// The list of each row: that of the nearest centroid, by squared distance for all metrics.
std::vector<std::uint32_t> assign_rows(const WrittenRows& rows, const Matrix<float>& centroids,
                                       std::size_t threads, const BuildProgress& progress) {
  std::vector<float> norms;
  for (std::size_t i = 0; i < centroids.rows; ++i) {
    norms.push_back(row_norm(Metric::kL2, centroids.row(i), rows.flat.centre));
  }
  const FlatVectors flat{Metric::kL2,
                         {centroids.values.data(), Store::kFloat, centroids.rows, centroids.columns,
                          centroids.columns},
                         rows.flat.centre,
                         norms};
  const FlatSearcher searcher(flat, threads);
  const std::size_t count = rows.flat.vectors.rows;
  std::vector<std::uint32_t> lists;
  lists.reserve(count);
  std::vector<float> part;
  for (std::size_t first = 0; first < count; first += kPartRows) {
    const std::size_t size = std::min(kPartRows, count - first);
    part.resize(size * centroids.columns);
    for (std::size_t i = 0; i < size; ++i) {
      copy_row(rows.flat.vectors, first + i, part.data() + i * centroids.columns);
    }
    const Neighbors nearest = searcher.nearest(part, 1);
    lists.insert(lists.end(), nearest.rows.begin(), nearest.rows.end());
    if (progress) progress("assigning", first + size, count);
  }
  return lists;
}

/// The sections that lie in the order of lists.
void write_lists(const WrittenRows& rows, const ClusterMembers& members,
                 const std::filesystem::path& folder, const BuildProgress& progress,
                 std::vector<SectionInfo>& sections) {
  const VectorView& view = rows.flat.vectors;
  const std::size_t row_bytes = view.stride * store_bytes(view.store);
  SectionWriter vectors(folder, section::kVectors);
  SectionWriter norms(folder, section::kNorms);
  std::size_t done = 0;
  for (const std::uint32_t row : members.points) {
    vectors.append({static_cast<const std::uint8_t*>(view.row(row)), row_bytes});
    norms.append_value(rows.flat.norms[row]);
    if (progress && ++done % kPartRows == 0) progress("writing", done, view.rows);
  }
  sections.push_back(vectors.finish());
  sections.push_back(norms.finish());
}

template <class T>
SectionInfo write_section(const std::filesystem::path& folder, std::string_view name,
                          std::span<const T> values) {
  SectionWriter writer(folder, name);
  append_all(writer, values);
  return writer.finish();
}

void write_centroids(const Matrix<float>& centroids, Metric metric,
                     const std::filesystem::path& folder, std::vector<SectionInfo>& sections) {
  const VectorIndexSettings as_rows{
      .metric = coarse_metric(metric), .store = Store::kFloat, .dimension = centroids.columns};
  SectionWriter values(folder, section::kCentroids);
  SectionWriter norms(folder, section::kCentroidNorms);
  for (std::size_t i = 0; i < centroids.rows; ++i) {
    append_all(values, centroids.row(i));
    for (std::size_t c = centroids.columns; c < row_stride(as_rows); ++c) {
      values.append_value(0.0F);
    }
    norms.append_value(row_norm(as_rows.metric, centroids.row(i), {}));
  }
  sections.push_back(values.finish());
  sections.push_back(norms.finish());
}

}  // namespace

WrittenRows::WrittenRows(const std::filesystem::path& folder,
                         const std::vector<SectionInfo>& sections,
                         const VectorIndexSettings& settings, std::size_t count) {
  const std::optional<Folder> files = Folder::find(folder);
  vectors_section = SectionView(*files, sections[0]);
  norms_section = SectionView(*files, sections[1]);
  centre_section = SectionView(*files, sections[2]);
  flat.metric = settings.metric;
  flat.vectors = {vectors_section.bytes().data(), settings.store, count, settings.dimension,
                  row_stride(settings)};
  flat.norms = norms_section.as<float>(count);
  flat.centre = centre_section.as<float>(centre_section.bytes().size() / sizeof(float));
}

std::size_t default_lists(std::size_t rows) {
  const auto by_root = static_cast<std::size_t>(4 * std::sqrt(static_cast<double>(rows)));
  return std::clamp<std::size_t>(by_root, 1, rows / 32 + 1);
}

std::vector<SectionInfo> write_ivf(const WrittenRows& rows, const VectorIndexSettings& settings,
                                   const std::filesystem::path& folder,
                                   const BuildProgress& progress) {
  const Matrix<float> centroids = train(rows, settings.ivf, progress);
  const std::vector<std::uint32_t> lists =
      assign_rows(rows, centroids, settings.ivf.threads, progress);
  const ClusterMembers members = collect_members(lists, centroids.rows);
  std::vector<SectionInfo> sections;
  write_lists(rows, members, folder, progress, sections);
  sections.push_back(write_section(folder, section::kCentre, rows.flat.centre));
  sections.push_back(
      write_section(folder, section::kRowNumbers, std::span<const std::uint32_t>(members.points)));
  sections.push_back(
      write_section(folder, section::kListBegins, std::span<const std::uint64_t>(members.begins)));
  write_centroids(centroids, settings.metric, folder, sections);
  return sections;
}

}  // namespace warpdex::vector
