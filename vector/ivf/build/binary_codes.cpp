// Residuals to codes.
#include "ivf/build/binary_codes.hpp"

#include <algorithm>

#include "kmeans/parallel_parts.hpp"
#include "pq/code_groups.hpp"
#include "xfbq/rotated.hpp"

namespace warpdex::vector {
namespace {

/// Groups that are encoded before they are handed on, and those of a thread's part.
constexpr std::size_t kBlockGroups = 4096;
constexpr std::size_t kPartGroups = 16;

/// Sets the codes of the groups [first, last), and a term and a factor for each place of theirs.
void encode_part(const VectorView& rows, const BitRules& rules, const ListGroups& groups,
                 std::size_t first, std::size_t last, std::uint8_t* codes, float* terms,
                 float* factors) {
  const CodeGroups layout{rules.quantizer.code_bytes()};
  ResidualBitEncoder encoder(rules.quantizer, rules.centre, rules.has_terms);
  std::vector<float> row(rows.dimension);
  std::vector<std::uint32_t> code(rules.quantizer.code_words());
  groups.for_each(first, last, [&](std::size_t group, std::size_t list, auto members) {
    encoder.set_centroid(rules.centroids.row(list));
    for (std::size_t i = 0; i < members.size(); ++i) {
      copy_row(rows, members[i], row.data());
      const ResidualBits own = encoder.encode(row, code.data());
      layout.write(reinterpret_cast<const std::uint8_t*>(code.data()), i,
                   codes + (group - first) * layout.group_bytes());
      const std::size_t place = (group - first) * kGroupVectors + i;
      if (rules.has_terms) terms[place] = own.term;
      if (rules.quantizer.is_corrected) factors[place] = own.factor;
    }
  });
}

void encode_on_cpu(const VectorView& rows, const BitRules& rules, const ListGroups& groups,
                   std::size_t threads, const BitSink& sink) {
  const std::size_t group_bytes = CodeGroups{rules.quantizer.code_bytes()}.group_bytes();
  std::vector<std::uint8_t> codes;
  std::vector<float> terms;
  std::vector<float> factors;
  for (std::size_t first = 0; first < groups.count(); first += kBlockGroups) {
    const std::size_t count = std::min(kBlockGroups, groups.count() - first);
    codes.assign(count * group_bytes, 0);
    terms.assign(rules.has_terms ? count * kGroupVectors : 0, 0);
    factors.assign(rules.quantizer.is_corrected ? count * kGroupVectors : 0, 0);
    for_each_part(count, kPartGroups, threads, [&](std::size_t begin, std::size_t end) {
      encode_part(rows, rules, groups, first + begin, first + end,
                  codes.data() + begin * group_bytes, terms.data() + begin * kGroupVectors,
                  factors.data() + begin * kGroupVectors);
    });
    sink({first, count, codes, terms, factors});
  }
}

}  // namespace

XfbqTraining train_binary_codes(const FlatVectors& rows, const IvfLists& lists,
                                const XfbqSettings& settings, BuildSteps& steps) {
  XfbqTraining training;
  steps.run_on_cpu("scale", [&] {
    training = train_scale(rows.vectors, settings, [&](std::size_t number, float* row) {
      copy_row(rows.vectors, number, row);
      const std::span<const float> centroid = lists.centroids.row(lists.of_row[number]);
      for (std::size_t c = 0; c < centroid.size(); ++c) row[c] -= centroid[c];
    });
  });
  return training;
}

ResidualBitEncoder::ResidualBitEncoder(const XfbqQuantizer& quantizer,
                                       std::span<const float> centre, bool has_terms)
    : quantizer_(quantizer),
      centre_(centre),
      has_terms_(has_terms),
      residual_(padded(quantizer.dimension)),
      rotated_(residual_.size()) {}

ResidualBits ResidualBitEncoder::encode(std::span<const float> row, std::uint32_t* code) {
  ResidualBits bits;
  double term = 0;
  for (std::size_t c = 0; c < row.size(); ++c) {
    residual_[c] = row[c] - centroid_[c];
    const double middle = centre_.empty() ? 0 : double{centre_[c]};
    term += double{residual_[c]} * (double{residual_[c]} + 2 * (double{centroid_[c]} - middle));
  }
  if (has_terms_) bits.term = static_cast<float>(term);
  bits.factor = vector::encode(quantizer_, residual_.data(), rotated_.data(), code).factor;
  return bits;
}

void encode_bits(const FlatVectors& rows, const BitRules& rules, const ListGroups& groups,
                 std::size_t threads, BuildSteps& steps, const BitSink& sink) {
  const auto told_sink = [&](const EncodedBits& block) {
    sink(block);
    steps.tell("encoding", block.first_group + block.groups, groups.count());
  };
  steps.run(
      "encoding", [&](GpuSteps& gpu) { gpu.encode_bits(rows.vectors, rules, groups, told_sink); },
      [&] { encode_on_cpu(rows.vectors, rules, groups, threads, told_sink); });
}

}  // namespace warpdex::vector
