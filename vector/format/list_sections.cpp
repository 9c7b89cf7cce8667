// Row numbers, lists and centroids as sections.
#include "format/list_sections.hpp"

#include "format/manifest.hpp"

namespace warpdex::vector {
namespace {

void write_centroids(const Matrix<float>& centroids, Metric metric, const SectionFolder& folder,
                     std::vector<SectionInfo>& sections) {
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

void write_list_sections(const IvfLists& lists, Metric metric, const SectionFolder& folder,
                         std::vector<SectionInfo>& sections) {
  write_members(lists.members, folder, sections);
  write_centroids(lists.centroids, metric, folder, sections);
}

void write_members(const ClusterMembers& members, const SectionFolder& folder,
                   std::vector<SectionInfo>& sections) {
  sections.push_back(
      write_section(folder, section::kRowNumbers, std::span<const std::uint32_t>(members.points)));
  sections.push_back(
      write_section(folder, section::kListBegins, std::span<const std::uint64_t>(members.begins)));
}

}  // namespace warpdex::vector
