// Residuals, codebooks, and codes on the CPU.
#include "ivf/build/codes.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "kmeans/parallel_parts.hpp"
#include "pq/residual_encoder.hpp"
#include "pq/rotation.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {
namespace {

/// Residuals that codebooks are trained on, and floats of them, at most.
constexpr std::size_t kTrainingRows = 65'536;
constexpr std::size_t kTrainingFloats = std::size_t{1} << 26;
/// Groups that are encoded before they are handed on, and those of a thread's part.
constexpr std::size_t kBlockGroups = 4096;
constexpr std::size_t kPartGroups = 16;

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

/// Sets the codes of the groups [first, last), and a term for each place of theirs.
void encode_part(const VectorView& rows, const EncodingRules& rules, const ListGroups& groups,
                 std::size_t first, std::size_t last, std::uint8_t* codes, float* terms) {
  const CodeGroups layout{rules.quantizer.bytes};
  ResidualEncoder encoder(rules.quantizer, rules.centre);
  std::vector<float> row(rules.quantizer.dimension);
  std::vector<std::uint8_t> code(rules.quantizer.bytes);
  std::size_t current = rules.centroids.rows;
  groups.for_each(first, last, [&](std::size_t group, std::size_t list, auto members) {
    if (list != current) encoder.set_centroid(rules.centroids.row(list));
    current = list;
    for (std::size_t i = 0; i < members.size(); ++i) {
      copy_row(rows, members[i], row.data());
      encoder.encode(row, code.data());
      layout.write(code.data(), i, codes + (group - first) * layout.group_bytes());
      if (rules.has_terms) terms[(group - first) * kGroupVectors + i] = encoder.term(code.data());
    }
  });
}

void encode_on_cpu(const VectorView& rows, const EncodingRules& rules, const ListGroups& groups,
                   std::size_t threads, const BlockSink& sink) {
  const std::size_t group_bytes = CodeGroups{rules.quantizer.bytes}.group_bytes();
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
  for (std::size_t first = 0; first < groups.count(); first += kBlockGroups) {
    const std::size_t count = std::min(kBlockGroups, groups.count() - first);
    codes.assign(count * group_bytes, 0);
    terms.assign(rules.has_terms ? count * kGroupVectors : 0, 0);
    for_each_part(count, kPartGroups, threads, [&](std::size_t begin, std::size_t end) {
      encode_part(rows, rules, groups, first + begin, first + end,
                  codes.data() + begin * group_bytes, terms.data() + begin * kGroupVectors);
    });
    sink({first, count, codes, terms});
  }
}

}  // namespace

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
  TrainedCodes trained;
  steps.run_on_cpu("sampling residuals",
                   [&] { residuals = sample_residuals(rows.vectors, lists, ivf); });
  if (pq.is_rotated) {
    tell("training rotation");
    steps.run_on_cpu("training rotation", [&] {
      trained.rotation = train_rotation(residuals, training);
      rotate_points(trained.quantizer(residuals.columns, pq), residuals, ivf.threads, residuals);
    });
  }
  tell("training codes");
  steps.run(
      "training codes",
      [&](GpuSteps& gpu) { trained.codebooks = gpu.train_codebooks(residuals, training); },
      [&] { trained.codebooks = train_codebooks(residuals, training); });
  return trained;
}

void encode_rows(const FlatVectors& rows, const EncodingRules& rules, const ListGroups& groups,
                 std::size_t threads, BuildSteps& steps, const BlockSink& sink) {
  const auto told_sink = [&](const EncodedBlock& block) {
    sink(block);
    steps.tell("encoding", block.first_group + block.groups, groups.count());
  };
  steps.run(
      "encoding", [&](GpuSteps& gpu) { gpu.encode(rows.vectors, rules, groups, told_sink); },
      [&] { encode_on_cpu(rows.vectors, rules, groups, threads, told_sink); });
}

}  // namespace warpdex::vector
