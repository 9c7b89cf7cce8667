// The sections of an inverted file of whole vectors.
#include "format/ivf_layout.hpp"

#include "format/ivf_lists.hpp"
#include "format/manifest.hpp"

namespace warpdex::vector {
namespace {

constexpr std::size_t kPartRows = 16'384;

}  // namespace

void write_in_lists(const WrittenRows& rows, const ClusterMembers& members,
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

std::vector<SectionInfo> write_ivf(const WrittenRows& rows, const VectorIndexSettings& settings,
                                   const std::filesystem::path& folder,
                                   const BuildProgress& progress, const BuildDevice& device) {
  BuildSteps steps(progress, device);
  const IvfLists lists = make_lists(rows.flat, settings.ivf, steps);
  std::vector<SectionInfo> sections;
  write_in_lists(rows, lists.members, folder, progress, sections);
  sections.push_back(write_section(folder, section::kCentre, rows.flat.centre));
  write_list_sections(lists, settings.metric, folder, sections);
  return sections;
}

}  // namespace warpdex::vector
