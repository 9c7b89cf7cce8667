// Writes codes as they are made.
#include "format/xfbq_layout.hpp"

#include "format/ivf_lists.hpp"
#include "format/manifest.hpp"
#include "xfbq/encode_rows.hpp"
#include "xfbq/train.hpp"

namespace warpdex::vector {

void write_xfbq_codes(const FlatVectors& rows, const XfbqQuantizer& quantizer, std::size_t threads,
                      const std::filesystem::path& folder, BuildSteps& steps,
                      std::vector<SectionInfo>& sections) {
  SectionWriter codes(folder, section::kCodes);
  const CodeSink sink = [&](std::span<const std::uint8_t> groups) { codes.append(groups); };
  const auto on_block = [&](std::size_t done) { steps.tell("encoding", done, rows.vectors.rows); };
  steps.run_on_cpu("encode",
                   [&] { encode_rows(rows.vectors, quantizer, threads, sink, on_block); });
  sections.push_back(codes.finish());
  const bool has_terms = rows.metric == Metric::kL2;
  sections.push_back(
      write_section(folder, section::kTerms, has_terms ? rows.norms : std::span<const float>()));
}

void write_xfbq_quantizer(const XfbqQuantizer& quantizer, const std::filesystem::path& folder,
                          std::vector<SectionInfo>& sections) {
  sections.push_back(write_section(folder, section::kCodeCentre, quantizer.centre));
  sections.push_back(
      write_section(folder, section::kCodeScale, std::span<const float>(&quantizer.scale, 1)));
  sections.push_back(write_section(folder, section::kRotation, quantizer.rotation));
}

std::vector<SectionInfo> write_xfbq(const FlatVectors& rows, const VectorIndexSettings& settings,
                                    const std::filesystem::path& folder,
                                    const BuildProgress& progress, const BuildDevice& device) {
  BuildSteps steps(progress, device);
  XfbqTraining training;
  steps.run_on_cpu("scale", [&] { training = train_xfbq(rows, settings.xfbq); });
  const XfbqQuantizer quantizer = training.quantizer(settings.dimension, settings.xfbq.bits);
  std::vector<SectionInfo> sections;
  write_xfbq_codes(rows, quantizer, settings.xfbq.threads, folder, steps, sections);
  write_xfbq_quantizer(quantizer, folder, sections);
  return sections;
}

}  // namespace warpdex::vector
