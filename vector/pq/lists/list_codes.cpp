// Residuals, codebooks, and codes on the CPU.
#include "pq/lists/list_codes.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "lists/build/encode_lists.hpp"
#include "pq/residual_encoder.hpp"
#include "pq/rotation.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {
namespace {

/// Residuals that codebooks are trained on, and floats of them, at most.
constexpr std::size_t kTrainingRows = 65'536;
constexpr std::size_t kTrainingFloats = std::size_t{1} << 26;

/// A sample of what rows have beside their centroids.
Matrix<float> sample_residuals(const VectorView& rows, const IvfLists& lists,
                               const IvfSettings& ivf) {
  std::size_t wanted = std::min(kTrainingRows, kTrainingFloats / rows.dimension);
  if (ivf.train > 0) wanted = std::min(wanted, ivf.train);
  const std::vector<std::uint64_t> sample = sample_rows(rows.rows, wanted, ivf.seed + 1);
  Matrix<float> residuals = copy_rows(rows, sample, ivf.threads);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const std::span<const float> centroid = lists.centroids.row(lists.of_row[sample[i]]);
    const std::span<float> row = residuals.row(i);
    for (std::size_t c = 0; c < row.size(); ++c) row[c] -= centroid[c];
  }
  return residuals;
}

/// One thread's.
struct ListRowEncoder {
  ResidualEncoder residuals;
  bool has_terms;
  bool is_l2;

  void set_centroid(std::span<const float> centroid) { residuals.set_centroid(centroid); }
  RowFacts encode(std::span<const float> row, std::uint8_t* code) {
    residuals.encode(row, code);
    if (!has_terms) return {};
    return {is_l2 ? residuals.term(code) : residuals.length_ratio(row, code), 0};
  }
};

}  // namespace

void settle_codes(std::size_t dimension, PqSettings& pq) {
  if (pq.rotated_dimension > dimension) {
    throw UsageError("vectors of " + std::to_string(dimension) +
                     " components can be rotated to at most as many, not to " +
                     std::to_string(pq.rotated_dimension) + ": what is added would be zeros");
  }
  if (pq.rotated_dimension > 0) pq.is_rotated = true;
  if (pq.rotated_dimension == dimension) pq.rotated_dimension = 0;
  check_codes(coded_dimension(dimension, pq), pq);
  if (pq.bytes == 0) pq.bytes = default_code_bytes(coded_dimension(dimension, pq));
}

void check_codes(std::size_t dimension, const PqSettings& pq) {
  if (pq.bits != 8 && pq.bits != 4) {
    throw UsageError("codewords have numbers of 8 or 4 bits, not " + std::to_string(pq.bits));
  }
  const std::size_t largest = max_code_bytes(dimension, pq.bits);
  if (pq.bytes > largest) {
    throw UsageError("codes of " + std::to_string(pq.bits) + " bits of vectors of " +
                     std::to_string(dimension) + " components have from 1 to " +
                     std::to_string(largest) + " bytes, not " + std::to_string(pq.bytes));
  }
}

TrainedCodes train_codes(const FlatVectors& rows, const IvfLists& lists, const IvfSettings& ivf,
                         const PqSettings& pq, BuildSteps& steps) {
  Matrix<float> residuals;
  PqTraining training{.bytes = pq.bytes, .bits = pq.bits};
  training.seed = ivf.seed;
  training.threads = ivf.threads;
  const auto tell = [&](const char* stage) {
    training.on_parts = [&steps, stage](std::size_t done, std::size_t total) {
      steps.tell(stage, done, total);
    };
  };
  TrainedCodes trained{pq.bytes, pq.bits, {}, {}};
  steps.run_on_cpu("sampling residuals",
                   [&] { residuals = sample_residuals(rows.vectors, lists, ivf); });
  if (pq.is_rotated) {
    tell("training rotation");
    steps.run_on_cpu("training rotation", [&] {
      trained.rotation =
          train_rotation(residuals, training, coded_dimension(residuals.columns, pq));
      Matrix<float> rotated;
      rotate_points(trained.quantizer(residuals.columns), residuals, ivf.threads, rotated);
      residuals = std::move(rotated);
    });
  }
  tell("training codes");
  steps.run(
      "training codes",
      [&](GpuSteps& gpu) { trained.codebooks = gpu.train_codebooks(residuals, training); },
      [&] { trained.codebooks = train_codebooks(residuals, training); });
  return trained;
}

void encode_list_codes(const FlatVectors& rows, const EncodingRules& rules,
                       const ListGroups& groups, std::size_t threads, BuildSteps& steps,
                       const BlockSink& sink) {
  encode_lists(
      rows, rules, {rules.quantizer.bytes, rules.has_terms, false}, groups, threads, steps,
      [&] {
        return ListRowEncoder{ResidualEncoder(rules.quantizer, rules.centre), rules.has_terms,
                              rules.metric == Metric::kL2};
      },
      sink);
}

}  // namespace warpdex::vector
