// Writes codes as they are made, group after group.
#include "format/ivf_binary_layout.hpp"

#include "binary/list_codes.hpp"
#include "format/binary_layout.hpp"
#include "format/ivf_lists.hpp"
#include "format/manifest.hpp"

namespace warpdex::vector {

void write_list_codes(const FlatVectors& rows, const IvfLists& lists, BinaryQuantizer quantizer,
                      std::size_t threads, const std::filesystem::path& folder, BuildSteps& steps,
                      std::vector<SectionInfo>& sections) {
  quantizer.centre = {};
  const ListGroups groups(lists.members);
  SectionWriter codes(folder, section::kCodes);
  SectionWriter terms(folder, section::kTerms);
  SectionWriter factors(folder, section::kFactors);
  encode_bits(rows, {quantizer, lists.centroids, rows.centre, rows.metric == Metric::kL2}, groups,
              threads, steps, [&](const EncodedBlock& some) {
                codes.append(some.codes);
                for_each_piece(groups, some, some.terms,
                               [&](std::span<const float> piece) { append_all(terms, piece); });
                for_each_piece(groups, some, some.factors,
                               [&](std::span<const float> piece) { append_all(factors, piece); });
              });
  sections.push_back(codes.finish());
  sections.push_back(terms.finish());
  sections.push_back(factors.finish());
}

std::vector<SectionInfo> write_ivf_binary(const WrittenRows& rows,
                                          const VectorIndexSettings& settings,
                                          const std::filesystem::path& folder,
                                          const BuildProgress& progress,
                                          const BuildDevice& device) {
  BuildSteps steps(progress, device);
  const IvfLists lists = make_lists(rows.flat, settings.ivf, steps);
  const BinaryTraining training = train_binary_codes(rows.flat, lists, settings.binary, steps);
  const BinaryQuantizer quantizer = training.quantizer(settings.dimension, settings.binary.bits);
  std::vector<SectionInfo> sections;
  write_list_codes(rows.flat, lists, quantizer, settings.ivf.threads, folder, steps, sections);
  write_binary_quantizer(quantizer, folder, sections);
  write_list_sections(lists, settings.metric, folder, sections);
  return sections;
}

}  // namespace warpdex::vector
