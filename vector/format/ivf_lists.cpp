// Training of centroids, assignment of rows, and the sections of lists.
#include "format/ivf_lists.hpp"

#include <algorithm>
#include <cmath>

#include "format/manifest.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kTrainingRowsPerList = 256;
constexpr std::size_t kTrainingIterations = 10;
constexpr std::size_t kPartRows = 16'384;

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

Matrix<float> copy_rows(const VectorView& vectors, std::span<const std::uint64_t> rows) {
  Matrix<float> copied{rows.size(), vectors.dimension,
                       std::vector<float>(rows.size() * vectors.dimension)};
  for (std::size_t i = 0; i < rows.size(); ++i) copy_row(vectors, rows[i], copied.row(i).data());
  return copied;
}

std::size_t default_lists(std::size_t rows) {
  const auto by_root = static_cast<std::size_t>(4 * std::sqrt(static_cast<double>(rows)));
  return std::clamp<std::size_t>(by_root, 1, rows / 32 + 1);
}

IvfLists make_lists(const WrittenRows& rows, const IvfSettings& settings,
                    const BuildProgress& progress) {
  IvfLists lists;
  lists.centroids = train(rows, settings, progress);
  lists.of_row = assign_rows(rows, lists.centroids, settings.threads, progress);
  lists.members = collect_members(lists.of_row, lists.centroids.rows);
  return lists;
}

void write_list_sections(const IvfLists& lists, Metric metric, const std::filesystem::path& folder,
                         std::vector<SectionInfo>& sections) {
  sections.push_back(write_section(folder, section::kRowNumbers,
                                   std::span<const std::uint32_t>(lists.members.points)));
  sections.push_back(write_section(folder, section::kListBegins,
                                   std::span<const std::uint64_t>(lists.members.begins)));
  write_centroids(lists.centroids, metric, folder, sections);
}

}  // namespace warpdex::vector
