// Writes codes as they are made, group after group.
#include "format/ivf_pq_layout.hpp"

#include "format/ivf_lists.hpp"
#include "format/manifest.hpp"
#include "pq/list_codes.hpp"

namespace warpdex::vector {

void write_codes(const FlatVectors& rows, const IvfLists& lists, const ProductQuantizer& quantizer,
                 std::size_t threads, const std::filesystem::path& folder, BuildSteps& steps,
                 std::vector<SectionInfo>& sections) {
  const ListGroups groups(lists.members);
  SectionWriter codes(folder, section::kCodes);
  SectionWriter terms(folder, section::kTerms);
  encode_rows(rows, {quantizer, lists.centroids, rows.centre, rows.metric == Metric::kL2}, groups,
              threads, steps, [&](const EncodedBlock& block) {
                codes.append(block.codes);
                for_each_piece(groups, block, block.terms,
                               [&](std::span<const float> piece) { append_all(terms, piece); });
              });
  sections.push_back(codes.finish());
  sections.push_back(terms.finish());
}

std::vector<SectionInfo> write_ivf_pq(const WrittenRows& rows, const VectorIndexSettings& settings,
                                      const std::filesystem::path& folder,
                                      const BuildProgress& progress, const BuildDevice& device) {
  BuildSteps steps(progress, device);
  const IvfLists lists = make_lists(rows.flat, settings.ivf, steps);
  const TrainedCodes trained = train_codes(rows.flat, lists, settings.ivf, settings.pq, steps);
  std::vector<SectionInfo> sections;
  write_codes(rows.flat, lists, trained.quantizer(settings.dimension, settings.pq),
              settings.ivf.threads, folder, steps, sections);
  sections.push_back(
      write_section(folder, section::kCodebooks, std::span<const float>(trained.codebooks)));
  sections.push_back(
      write_section(folder, section::kRotation, std::span<const float>(trained.rotation)));
  write_list_sections(lists, settings.metric, folder, sections);
  return sections;
}

}  // namespace warpdex::vector
