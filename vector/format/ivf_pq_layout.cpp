// Writes codes as they are made, group after group.
#include "format/ivf_pq_layout.hpp"

#include "format/ivf_lists.hpp"
#include "format/manifest.hpp"
#include "ivf/build/codes.hpp"

namespace warpdex::vector {

std::vector<SectionInfo> write_ivf_pq(const WrittenRows& rows, const VectorIndexSettings& settings,
                                      const std::filesystem::path& folder,
                                      const BuildProgress& progress, const BuildDevice& device) {
  BuildSteps steps(progress, device);
  const IvfLists lists = make_lists(rows.flat, settings.ivf, steps);
  const TrainedCodes trained = train_codes(rows.flat, lists, settings.ivf, settings.pq, steps);
  const ProductQuantizer quantizer = trained.quantizer(settings.dimension, settings.pq);
  const ListGroups groups(lists.members);
  SectionWriter codes(folder, section::kCodes);
  SectionWriter terms(folder, section::kTerms);
  encode_rows(rows.flat,
              {quantizer, lists.centroids, rows.flat.centre, settings.metric == Metric::kL2},
              groups, settings.ivf.threads, steps, [&](const EncodedBlock& block) {
                codes.append(block.codes);
                for_each_term_piece(
                    groups, block, [&](std::span<const float> piece) { append_all(terms, piece); });
              });
  std::vector<SectionInfo> sections;
  sections.push_back(codes.finish());
  sections.push_back(terms.finish());
  sections.push_back(
      write_section(folder, section::kCodebooks, std::span<const float>(trained.codebooks)));
  sections.push_back(
      write_section(folder, section::kRotation, std::span<const float>(trained.rotation)));
  write_list_sections(lists, settings.metric, folder, sections);
  return sections;
}

}  // namespace warpdex::vector
