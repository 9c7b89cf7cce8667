// Binary codes of all rows in their order: built in memory, or into sections as they are made.
#include <utility>
#include <vector>

#include "binary/encode_rows.hpp"
#include "binary/format/binary_format.hpp"
#include "binary/train.hpp"
#include "format/list_sections.hpp"
#include "format/manifest.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/error.hpp"
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

BinaryTraining train_rows(const FlatVectors& rows, const BinarySettings& settings,
                          BuildSteps& steps) {
  BinaryTraining training;
  steps.run_on_cpu("scale", [&] { training = train_binary(rows, settings); });
  return training;
}

void write_row_codes(const FlatVectors& rows, const BinaryQuantizer& quantizer, std::size_t threads,
                     const SegmentJob& job) {
  SectionWriter codes(job.folder, section::kCodes);
  SectionWriter factors(job.folder, section::kFactors);
  SectionWriter residuals(job.folder, section::kResiduals);
  encode_all(rows, quantizer, threads, job.steps, [&](const EncodedRows& some) {
    codes.append(some.codes);
    append_all(factors, some.factors);
    append_all(residuals, some.residuals);
  });
  job.sections.push_back(codes.finish());
  job.sections.push_back(factors.finish());
  job.sections.push_back(residuals.finish());
  std::vector<float> own_terms;
  std::span<const float> terms;
  if (rows.metric == Metric::kL2) {
    terms = rows.norms;
  } else if (quantizer.moves_queries) {
    terms = own_terms = product_terms(rows.vectors, quantizer.centre, threads);
  }
  job.sections.push_back(write_section(job.folder, section::kTerms, terms));
}

}  // namespace

BinaryVectors OwnedBinaryVectors::view() const {
  const VectorView& rows = vectors.vectors;
  BinaryVectors view;
  view.metric = vectors.metric;
  view.quantizer = {rows.dimension, bits, scale, is_corrected, centre, rotation};
  view.rows = rows.rows;
  view.codes = codes;
  view.terms = vectors.metric == Metric::kL2 ? vectors.norms : terms;
  view.factors = factors;
  view.residuals = residuals;
  view.vectors = vectors;
  return view;
}

OwnedBinaryVectors build_binary(const FlatVectors& rows, const BinarySettings& settings,
                                const BuildProgress& progress, const BuildDevice& device) {
  check_binary(settings);
  BuildSteps steps(progress, device);
  BinaryTraining training = train_rows(rows, settings, steps);
  const BinaryQuantizer quantizer = training.quantizer(rows.vectors.dimension);
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
  if (rows.metric != Metric::kL2) {
    built.terms = product_terms(rows.vectors, quantizer.centre, settings.threads);
  }
  built.centre = std::move(training.centre);
  built.rotation = std::move(training.rotation);
  return built;
}

void CodingFormat<BinaryCoding>::build_all(const SegmentJob& job) {
  if (job.rows.flat.vectors.rows == 0) {
    throw UsageError("codes are trained on the vectors; give one or more, or build a flat index");
  }
  const BinarySettings& settings = job.settings.binary;
  const BinaryTraining training = train_rows(job.rows.flat, settings, job.steps);
  const BinaryQuantizer quantizer = training.quantizer(job.settings.dimension);
  write_row_codes(job.rows.flat, quantizer, settings.threads, job);
  write_quantizer(quantizer, job.folder, job.sections);
}

void CodingFormat<BinaryCoding>::add_all(const SegmentJob& job, const BinaryVectors& trained) {
  write_row_codes(job.rows.flat, trained.quantizer, 0, job);
}

}  // namespace warpdex::vector
