// Writes codes as they are made.
#include "format/binary_layout.hpp"

#include <utility>

#include "binary/encode_rows.hpp"
#include "binary/train.hpp"
#include "format/ivf_lists.hpp"
#include "format/manifest.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/vector/format/binary_builder.hpp"

namespace warpdex::vector {

namespace {

/// What a step on the GPU has handed on cannot be taken back: it takes all memory that it needs
/// before.
void encode_all(const FlatVectors& rows, const BinaryQuantizer& quantizer, std::size_t threads,
                BuildSteps& steps, const CodeSink& sink) {
  const auto on_block = [&](std::size_t done) { steps.tell("encoding", done, rows.vectors.rows); };
  steps.run(
      "encode", [&](GpuSteps& gpu) { gpu.encode_binary(rows.vectors, quantizer, sink, on_block); },
      [&] { encode_rows(rows.vectors, quantizer, threads, sink, on_block); });
}

BinaryTraining train(const FlatVectors& rows, const BinarySettings& settings, BuildSteps& steps) {
  BinaryTraining training;
  steps.run_on_cpu("scale", [&] { training = train_binary(rows, settings); });
  return training;
}

}  // namespace

BinaryVectors OwnedBinaryVectors::view() const {
  const VectorView& rows = vectors.vectors;
  BinaryVectors view;
  view.metric = vectors.metric;
  view.quantizer = {rows.dimension, bits, scale, is_corrected, centre, rotation};
  view.rows = rows.rows;
  view.codes = codes;
  if (vectors.metric == Metric::kL2) view.terms = vectors.norms;
  view.factors = factors;
  view.residuals = residuals;
  view.vectors = vectors;
  return view;
}

OwnedBinaryVectors build_binary(const FlatVectors& rows, const BinarySettings& settings,
                                const BuildProgress& progress, const BuildDevice& device) {
  check_binary(settings);
  BuildSteps steps(progress, device);
  BinaryTraining training = train(rows, settings, steps);
  const BinaryQuantizer quantizer = training.quantizer(rows.vectors.dimension, settings.bits);
  OwnedBinaryVectors built;
  built.vectors = rows;
  built.bits = settings.bits;
  built.scale = training.scale;
  built.is_corrected = training.is_corrected;
  built.codes.reserve(groups_of(rows.vectors.rows) *
                      CodeGroups{quantizer.code_bytes()}.group_bytes());
  encode_all(rows, quantizer, settings.threads, steps, [&](const EncodedRows& some) {
    built.codes.insert(built.codes.end(), some.codes.begin(), some.codes.end());
    built.factors.insert(built.factors.end(), some.factors.begin(), some.factors.end());
    built.residuals.insert(built.residuals.end(), some.residuals.begin(), some.residuals.end());
  });
  built.centre = std::move(training.centre);
  built.rotation = std::move(training.rotation);
  return built;
}

void write_row_codes(const FlatVectors& rows, const BinaryQuantizer& quantizer, std::size_t threads,
                     const std::filesystem::path& folder, BuildSteps& steps,
                     std::vector<SectionInfo>& sections) {
  SectionWriter codes(folder, section::kCodes);
  SectionWriter factors(folder, section::kFactors);
  SectionWriter residuals(folder, section::kResiduals);
  encode_all(rows, quantizer, threads, steps, [&](const EncodedRows& some) {
    codes.append(some.codes);
    append_all(factors, some.factors);
    append_all(residuals, some.residuals);
  });
  sections.push_back(codes.finish());
  sections.push_back(factors.finish());
  sections.push_back(residuals.finish());
  const bool has_terms = rows.metric == Metric::kL2;
  sections.push_back(
      write_section(folder, section::kTerms, has_terms ? rows.norms : std::span<const float>()));
}

void write_binary_quantizer(const BinaryQuantizer& quantizer, const std::filesystem::path& folder,
                            std::vector<SectionInfo>& sections) {
  sections.push_back(write_section(folder, section::kCodeCentre, quantizer.centre));
  sections.push_back(
      write_section(folder, section::kCodeScale, std::span<const float>(&quantizer.scale, 1)));
  sections.push_back(write_section(folder, section::kRotation, quantizer.rotation));
}

std::vector<SectionInfo> write_binary(const FlatVectors& rows, const VectorIndexSettings& settings,
                                      const std::filesystem::path& folder,
                                      const BuildProgress& progress, const BuildDevice& device) {
  BuildSteps steps(progress, device);
  const BinaryTraining training = train(rows, settings.binary, steps);
  const BinaryQuantizer quantizer = training.quantizer(settings.dimension, settings.binary.bits);
  std::vector<SectionInfo> sections;
  write_row_codes(rows, quantizer, settings.binary.threads, folder, steps, sections);
  write_binary_quantizer(quantizer, folder, sections);
  return sections;
}

}  // namespace warpdex::vector
